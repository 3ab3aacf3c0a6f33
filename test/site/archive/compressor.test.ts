import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMPRESS_WORKER } from '../../../src/cli/commands/package-files.ts';
import { createCompressor } from '../../../src/site/archive/compressor.ts';
import { temporaryFolder } from '../../support/temporary.ts';

function packer(module = COMPRESS_WORKER) {
  const made = createCompressor(module);
  onTestFinished(() => made.end());
  return made;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);
const lines = Array.from({ length: 5000 }, (_, at) => `{"id":${at},"slug":"record-${(at * 7919) % 5000}"}\n`);

function fileOf(text: string): string {
  const file = path.join(temporaryFolder(), 'file');
  writeFileSync(file, text);
  return file;
}

describe('the compressor', () => {
  it('packs what unpacks to the same, in the order in which it is asked', async () => {
    const { compress } = packer();
    const texts = [lines.join(''), '', 'x'];
    const packed = await Promise.all(texts.map((text) => compress(fileOf(text))));
    expect(packed.map(({ gz }) => gunzipSync(gz).toString())).toEqual(texts);
    expect(packed.map(({ br }) => brotliDecompressSync(br).toString())).toEqual(texts);
  });

  it('gives these bytes on every machine and version, with no time in them', async () => {
    const { gz, br } = await packer().compress(fileOf(lines.join('')));
    expect({ gz: [gz.length, sha256(gz)], br: [br.length, sha256(br)] }).toEqual({
      gz: [27906, 'fd2b9f719f9a3548'],
      br: [10840, 'ff47a7fc4e540944'],
    });
    expect([...gz.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  });

  it('says so if its thread cannot be started', async () => {
    const { compress } = packer('/nowhere/pack.js');
    await expect(compress(fileOf('x'))).rejects.toThrow(
      /^download: cannot be compressed \((?:ERR_)?MODULE_NOT_FOUND\)$/,
    );
  });

  it('says so if the file cannot be read', async () => {
    const { compress } = packer();
    await expect(compress(path.join(temporaryFolder(), 'gone'))).rejects.toThrow(
      /^download: cannot be compressed \(ENOENT\)$/,
    );
  });

  it('ends without having started', async () => {
    await expect(createCompressor(COMPRESS_WORKER).end()).resolves.toBeUndefined();
  });
});
