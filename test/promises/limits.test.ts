import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { describe, expect, it } from 'vitest';
import { archiveStorage } from '../../src/built/archive.ts';
import { openSite } from '../../src/built/site.ts';
import { folderStorage } from '../../src/built/site-folder.ts';
import { memoryStorage, readOrThrow } from '../../src/built/storage.ts';
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

  it('rejects a file in an archive that exceeds its size limit', async () => {
    const archive = path.join(temporaryFolder(), 'site.tar.gz');
    const body = Buffer.alloc(maxBytes + 1);
    const manifest = Buffer.from('{"format":1,"generator":"gamedata/1","files":[]}');
    const packed = await packTar([
      {
        header: { name: 'gamedata/manifest.json', size: manifest.length },
        body: manifest,
      },
      { header: { name: `gamedata/${file}`, size: body.length }, body },
    ]);
    writeFileSync(archive, gzipSync(packed));
    await expect(archiveStorage(archive)).rejects.toThrow(
      `${archive} › ${file}: ${problem}`,
    );
  });

  it('rejects a file in a folder that exceeds its size limit', () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, file), Buffer.alloc(maxBytes + 1));
    expect(() => readOrThrow(folderStorage(folder), file)).toThrow(
      `cannot be read (${problem})`,
    );
  });

  it('does not request a file from a deployment if it is larger than its limit', async () => {
    const files = [{ path: file, bytes: maxBytes + 1, sha256: '0'.repeat(64) }];
    const manifest = JSON.stringify({ format: 1, generator: 'gamedata/1', files });
    const server = await startServer((response) => response.end(manifest));
    const reading = deploymentStorage(testClient(), server.url, {});
    await expect(reading).rejects.toThrow(`${server.url}/${file}: ${problem}`);
    expect(new Set(server.requests.map((request) => request.path))).toEqual(
      new Set(['/manifest.json']),
    );
  });
});

describe('values that exceed the memory limit together', () => {
  const maxMemoryBytes = 5000;
  const problem = /: has 5\d{3} bytes, expected at most 5000 in total$/;

  it('rejects an upstream whose records exceed the memory limit', async () => {
    const answers = tinyUpstream(3, 1);
    const names = [
      { name: 'a'.repeat(1700), language: { name: 'fr', url: '/language/5/' } },
    ];
    for (const answer of answers.move) Object.assign(answer, { names });
    const { url } = await serveUpstream(upstreamOf(answers));
    expect((await loadFrom('rest', url)).dataSet.counts.move).toBe(3);
    await expect(loadFrom('rest', url, { maxMemoryBytes })).rejects.toThrow(problem);
  });

  it('rejects an upstream whose list pages exceed the memory limit', async () => {
    const name = 'a'.repeat(1000);
    const { url } = await startServer((response, { url: asked = '' }) => {
      const { searchParams } = new URL(asked, 'http://upstream.test');
      const id = 1 + Number(searchParams.get('offset'));
      const list = {
        count: 1_000_000,
        next: `?offset=${id}`,
        results: [{ name, url: `${id}/` }],
      };
      response.end(JSON.stringify(list));
    });
    await expect(loadFrom('rest', url, { maxMemoryBytes })).rejects.toThrow(problem);
  });

  const published = siteOf(rawRecords(100, 3));
  const bodies = new Map<string, Buffer>();
  for (const { path, body } of published.files()) {
    bodies.set(path, Buffer.from(body));
  }

  /** Opens a site that consists of these files, with a small memory limit. */
  function openSmall(files: ReadonlyMap<string, Buffer>) {
    const entries = Array.from(files, ([path, body]) => createEntry(path, body));
    const manifest = JSON.stringify({
      format: 1,
      generator: 'gamedata/1',
      files: entries,
    });
    const siteFiles = new Map([...files, ['manifest.json', Buffer.from(manifest)]]);
    return openSite(memoryStorage('site', '/', siteFiles), maxMemoryBytes);
  }

  it('rejects a site whose records exceed the memory limit', () => {
    const site = openSmall(bodies);
    expect(() => site.records()).toThrow(
      /^site: has \d{5} bytes, expected at most 5000 in total$/,
    );
  });

  /** Opens a site with long names for its moves in three languages. */
  function openWithNames() {
    const names = published.records.move.map(({ slug }) => [slug, 'a'.repeat(20)]);
    const move = Object.fromEntries(names);
    const allNames = ['de', 'fr', 'it'].map((language) =>
      namesIn(language, { move }),
    );
    const meta = { ...published.meta, names: summarizeNames(allNames) };
    const files = new Map(bodies);
    files.set('meta.json', Buffer.from(JSON.stringify(meta)));
    for (const languageNames of allNames) {
      const body = Buffer.from(JSON.stringify(languageNames));
      files.set(`names/${languageNames.language}.json`, body);
    }
    return openSmall(files);
  }

  it('rejects a site whose names exceed the memory limit', () => {
    const site = openWithNames();
    expect(() => site.names(published.records)).toThrow(
      /^site: has \d{4} bytes, expected/,
    );
  });

  it('does not count the names of unknown records toward the memory limit', () => {
    const site = openWithNames();
    expect(site.names({ ...published.records, move: [] })).toHaveLength(3);
  });
});

it('rejects an archive that is larger than the memory limit when unpacked', async () => {
  const archive = path.join(temporaryFolder(), 'site.tar.gz');
  const maxMemoryBytes = 1_000_000;
  writeFileSync(archive, gzipSync(Buffer.alloc(maxMemoryBytes + 1)));
  await expect(archiveStorage(archive, maxMemoryBytes)).rejects.toThrow(
    /site\.tar\.gz: has \d+ bytes, expected at most 1000000, unpacked$/,
  );
});
