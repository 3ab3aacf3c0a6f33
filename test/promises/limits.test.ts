import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { getMaxBytes } from '../../src/contract/limits.ts';
import { readIfExists } from '../../src/site-folder.ts';
import { readRemoteDataSet } from '../../src/upstream/remote-data.ts';
import { startServer } from '../support/local-server.ts';
import { loadFrom } from '../support/reading.ts';
import { rawRecords } from '../support/sites.ts';
import { createStoredData, storeData } from '../support/stored-data.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const file = 'meta.json';
const maxBytes = getMaxBytes(file);

describe('a file that exceeds the limit for its path', () => {
  const problem = `has ${maxBytes + 1} bytes, expected at most ${maxBytes}`;

  it('rejects a file that exceeds the size limit for its path', () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, file), Buffer.alloc(maxBytes + 1));
    expect(() => readIfExists(folder, file)).toThrow(`cannot be read (${problem})`);
  });

  it('does not read more bytes of a deployed file than the data set lists for it', async () => {
    const bodies = storeData(createStoredData(rawRecords(1, 1)));
    const description = `${bodies.get('dataset.json')}`;
    const server = await startServer((response, { url = '' }) => {
      const isDescription = url.includes('dataset.json');
      response.end(isDescription ? description : Buffer.alloc(1_000_000));
    });
    const options = { concurrency: 1, retryBaseMs: 1 };
    await expect(readRemoteDataSet(server.url, options)).rejects.toThrow(
      /got more than \d{1,5} bytes/,
    );
  });
});

describe('values that together exceed the memory limit', () => {
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
});
