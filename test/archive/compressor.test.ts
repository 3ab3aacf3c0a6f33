import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCompressor } from '../../src/archive/compressor.ts';
import { COMPRESS_WORKER } from '../../src/commands/package-files.ts';

function packer(module = COMPRESS_WORKER) {
  const made = createCompressor(module);
  onTestFinished(() => made.end());
  return made;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const lines = Array.from({ length: 5000 }, (_, at) => `{"id":${at},"slug":"record-${(at * 7919) % 5000}"}\n`);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the compressor', () => {
  it('packs what unpacks to the same, in the order in which it is asked', async () => {
    const { compress } = packer();
    const texts = [lines.join(''), '', 'x'];
    const packed = await Promise.all(texts.map((text) => compress(bytes(text))));
    expect(packed.map(({ gz }) => gunzipSync(gz).toString())).toEqual(texts);
    expect(packed.map(({ br }) => brotliDecompressSync(br).toString())).toEqual(texts);
  });

  it('gives these bytes on every machine and version, with no time in them', async () => {
    const { gz, br } = await packer().compress(bytes(lines.join('')));
    expect({ gz: [gz.length, sha256(gz)], br: [br.length, sha256(br)] }).toEqual({
      gz: [27906, 'fd2b9f719f9a3548'],
      br: [10840, 'ff47a7fc4e540944'],
    });
    expect([...gz.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  });

  it('says so if its thread cannot be started', async () => {
    const { compress } = packer('/nowhere/pack.js');
    await expect(compress(bytes('x'))).rejects.toThrow(
      /^download: cannot be compressed \((?:ERR_)?MODULE_NOT_FOUND\)$/,
    );
  });

  it('ends without having started', async () => {
    await expect(createCompressor(COMPRESS_WORKER).end()).resolves.toBeUndefined();
  });
});
