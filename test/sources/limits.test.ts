import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import { getMaxBytes } from '../../src/contract/limits.ts';
import { createClient } from '../../src/http/client.ts';
import { deploymentStorage } from '../../src/sources/site/deployment.ts';
import { archiveStorage, folderStorage, readOrThrow } from '../../src/sources/site/storage.ts';
import { startServer } from '../support/local-server.ts';
import { temporaryFolder } from '../support/temporary.ts';

describe.each(['meta.json', 'former.json', 'changes.json', 'names/de.json'])('a large %s', (file) => {
  const maxBytes = getMaxBytes(file);
  const problem = `has ${maxBytes + 1} bytes, expected at most ${maxBytes}`;

  it('is rejected in an archive', async () => {
    const archive = path.join(temporaryFolder(), 'site.tar.gz');
    const body = Buffer.alloc(maxBytes + 1);
    writeFileSync(
      archive,
      gzipSync(await packTar([{ header: { name: `gamedata/${file}`, size: body.length }, body }])),
    );
    await expect(archiveStorage(archive)).rejects.toThrow(`${archive} › ${file}: ${problem}`);
  });

  it('is rejected in a folder', () => {
    const folder = temporaryFolder();
    const name = path.basename(file);
    writeFileSync(path.join(folder, name), '');
    truncateSync(path.join(folder, name), getMaxBytes(name) + 1);
    expect(() => readOrThrow(folderStorage(folder), name)).toThrow(
      /cannot be read \(has \d+ bytes, expected at most \d+\)/,
    );
  });

  it('is rejected in a deployment before it is requested', async () => {
    const files = [{ path: file, bytes: maxBytes + 1, sha256: '0'.repeat(64) }];
    const manifest = JSON.stringify({ format: 1, generator: 'gamedata/1', files });
    const server = await startServer((response) => response.end(manifest));
    const client = createClient({ concurrency: 1, retries: 0 });
    const reading = deploymentStorage(client, server.url, {});
    await expect(reading).rejects.toThrow(`${server.url}/${file}: ${problem}`);
    expect(new Set(server.requests.map((request) => request.path))).toEqual(new Set(['/manifest.json']));
    await client.close();
  });
});
