import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import { archiveStorage } from '../../src/built/archive.ts';
import { openSite } from '../../src/built/site.ts';
import { folderStorage, memoryStorage, readOrThrow } from '../../src/built/storage.ts';
import { getMaxBytes } from '../../src/contract/limits.ts';
import { summarizeNames } from '../../src/dataset/data-set.ts';
import { createEntry } from '../../src/site/manifest.ts';
import { deploymentStorage } from '../../src/sources/deployment.ts';
import { namesIn } from '../support/kinds.ts';
import { startServer, testClient } from '../support/local-server.ts';
import { loadFrom } from '../support/reading.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const file = 'meta.json';
const maxBytes = getMaxBytes(file);

describe('a file that exceeds the limit for its path', () => {
  const problem = `has ${maxBytes + 1} bytes, expected at most ${maxBytes}`;

  it('is rejected in an archive', async () => {
    const archive = path.join(temporaryFolder(), 'site.tar.gz');
    const body = Buffer.alloc(maxBytes + 1);
    const manifest = Buffer.from('{"format":1,"generator":"gamedata/1","files":[]}');
    const packed = await packTar([
      { header: { name: 'gamedata/manifest.json', size: manifest.length }, body: manifest },
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

describe('values that exceed the memory limit together', () => {
  const maxMemoryBytes = 5000;
  const problem = /: has 5\d{3} bytes, expected at most 5000 in total$/;

  it('are rejected if an upstream has too many records', async () => {
    const answers = tinyUpstream(3, 1);
    const names = [{ name: 'a'.repeat(1700), language: { name: 'fr', url: '/language/5/' } }];
    for (const answer of answers.move) Object.assign(answer, { names });
    const { url } = await serveUpstream(upstreamOf(answers));
    expect((await loadFrom('rest', url)).dataSet.counts.move).toBe(3);
    await expect(loadFrom('rest', url, { maxMemoryBytes })).rejects.toThrow(problem);
  });

  it('are rejected if an upstream has too many list pages', async () => {
    const name = 'a'.repeat(1000);
    const { url } = await startServer((response, { url: asked = '' }) => {
      const { searchParams } = new URL(asked, 'http://upstream.test');
      const id = 1 + Number(searchParams.get('offset'));
      const list = { count: 1_000_000, next: `?offset=${id}`, results: [{ name, url: `${id}/` }] };
      response.end(JSON.stringify(list));
    });
    await expect(loadFrom('rest', url, { maxMemoryBytes })).rejects.toThrow(problem);
  });

  const published = siteOf(rawRecords(100, 3));
  const bodies = new Map<string, Buffer>();
  for (const { path, body } of published.files()) bodies.set(path, Buffer.from(body));

  /** Opens a site of these files with a small limit. */
  function openSmall(files: ReadonlyMap<string, Buffer>) {
    const entries = Array.from(files, ([path, body]) => createEntry(path, body));
    const manifest = JSON.stringify({ format: 1, generator: 'gamedata/1', files: entries });
    const siteFiles = new Map([...files, ['manifest.json', Buffer.from(manifest)]]);
    return openSite(memoryStorage('site', '/', siteFiles), maxMemoryBytes);
  }

  it('are rejected if a site has too many records', () => {
    const site = openSmall(bodies);
    expect(() => site.records()).toThrow(/^site: has \d{5} bytes, expected at most 5000 in total$/);
  });

  /** Opens a site with long names of its moves in three languages. */
  function openWithNames() {
    const names = published.records.move.map(({ slug }) => [slug, 'a'.repeat(20)]);
    const move = Object.fromEntries(names);
    const allNames = ['de', 'fr', 'it'].map((language) => namesIn(language, { move }));
    const meta = { ...published.meta, names: summarizeNames(allNames) };
    const files = new Map(bodies);
    files.set('meta.json', Buffer.from(JSON.stringify(meta)));
    for (const languageNames of allNames) {
      const body = Buffer.from(JSON.stringify(languageNames));
      files.set(`names/${languageNames.language}.json`, body);
    }
    return openSmall(files);
  }

  it('are rejected if a site has too many names', () => {
    const site = openWithNames();
    expect(() => site.names(published.records)).toThrow(/^site: has \d{4} bytes, expected/);
  });

  it('do not include the names of unknown records', () => {
    const site = openWithNames();
    expect(site.names({ ...published.records, move: [] })).toHaveLength(3);
  });
});

it('rejects an archive that unpacks to more bytes than fit in memory', async () => {
  const archive = path.join(temporaryFolder(), 'site.tar.gz');
  const maxMemoryBytes = 1_000_000;
  writeFileSync(archive, gzipSync(Buffer.alloc(maxMemoryBytes + 1)));
  await expect(archiveStorage(archive, maxMemoryBytes)).rejects.toThrow(
    /site\.tar\.gz: has \d+ bytes, expected at most 1000000, unpacked$/,
  );
});
