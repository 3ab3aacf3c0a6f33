import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import { archiveStorage, folderStorage, readOrThrow } from '../../src/built/storage.ts';
import { getMaxBytes, MAX_MEMORY_BYTES } from '../../src/contract/limits.ts';
import { deploymentStorage } from '../../src/sources/deployment.ts';
import { startServer, testClient } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary.ts';

const file = 'meta.json';
const maxBytes = getMaxBytes(file);

describe('a file that exceeds the limit for its path', () => {
  const problem = `has ${maxBytes + 1} bytes, expected at most ${maxBytes}`;

  it('is rejected in an archive', async () => {
    const archive = path.join(temporaryFolder(), 'site.tar.gz');
    const body = Buffer.alloc(maxBytes + 1);
    const packed = await packTar([
      { header: { name: `gamedata/${file}`, size: body.length }, body },
    ]);
    writeFileSync(archive, gzipSync(packed));
    await expect(archiveStorage(archive)).rejects.toThrow(`${archive} › ${file}: ${problem}`);
  });

  it('is rejected in a folder', () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, file), Buffer.alloc(maxBytes + 1));
    expect(() => readOrThrow(folderStorage(folder), file)).toThrow(`cannot be read (${problem})`);
  });

  it('is rejected in a deployment before it is requested', async () => {
    const files = [{ path: file, bytes: maxBytes + 1, sha256: '0'.repeat(64) }];
    const manifest = JSON.stringify({ format: 1, generator: 'gamedata/1', files });
    const server = await startServer((response) => response.end(manifest));
    const reading = deploymentStorage(testClient({ retries: 0 }), server.url, {});
    await expect(reading).rejects.toThrow(`${server.url}/${file}: ${problem}`);
    expect(new Set(server.requests.map((request) => request.path))).toEqual(
      new Set(['/manifest.json']),
    );
  });
});

it('rejects an archive that unpacks to more bytes than fit in memory', async () => {
  const archive = path.join(temporaryFolder(), 'site.tar.gz');
  const zeros = Buffer.alloc(MAX_MEMORY_BYTES + 1);
  writeFileSync(archive, gzipSync(zeros, { level: 1 }));
  await expect(archiveStorage(archive)).rejects.toThrow(`${archive}: has `);
});
