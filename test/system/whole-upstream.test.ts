/**
 * Reads the whole test upstream under the conditions that a scheduled build meets. Each
 * run must be complete and correct, with a bounded number of requests.
 */

import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { SourceContext } from '../../src/upstream/source.ts';
import { encodeDataSet } from '../support/decode.ts';
import { namedEdition, stateNumber } from '../support/editions.ts';
import { fullUpstream } from '../support/full-upstream.ts';
import { createRandom } from '../support/random.ts';
import { loadFrom } from '../support/reading.ts';
import { dataSetOf, rawOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import type { UpstreamData } from '../support/upstream-data.ts';
import type { Fault, UpstreamOptions } from '../support/upstream-server.ts';

const data = fullUpstream();
const RECORDS = data.list('move').length + data.list('item').length;
/** All records, the lists and `/meta/`. */
const ALL = RECORDS + 3;

/** The same records, but none of them has an English name. */
const otherData: UpstreamData = {
  ...data,
  record: (kind, id) =>
    data.record(kind, id)?.replaceAll('"name":"en"', '"name":"x"'),
};
const [older, newer] = [stateNumber(1, otherData), stateNumber(2, data)];

/** Sends the start of a longer body, and then closes the connection. */
function truncated(response: Parameters<Fault>[1]): void {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"id":');
  setTimeout(() => response.destroy(), 5);
}

/** Serves the upstream. `read` returns the digest, the edition and the requests. */
async function startScene(options: UpstreamOptions = {}) {
  const server = await serveUpstream(data, { stateOf: () => newer, ...options });
  const cacheFolder = temporaryFolder();
  async function read(more: Partial<SourceContext> = {}) {
    const before = server.log.length;
    const { dataSet } = await loadFrom('rest', server.url, {
      cacheFolder,
      concurrency: 16,
      ...more,
    });
    const { digest, counts, provenance } = dataSet;
    const { edition } = provenance;
    return { digest, counts, edition, sent: server.log.length - before };
  }
  return { server, cacheFolder, read };
}

const { digest, counts } = encodeDataSet(dataSetOf(rawOf(data)));
const expected = { digest, counts, edition: namedEdition(2) };

it('sends one request if the edition has not changed', async () => {
  const { read } = await startScene();
  expect(await read()).toEqual({ ...expected, sent: ALL });
  expect(await read()).toEqual({ ...expected, sent: 1 });
});

it('sends only the remaining requests after a run that was interrupted at half', async () => {
  const { read, server, cacheFolder } = await startScene();
  const stop = new AbortController();
  const interrupted = read({
    signal: stop.signal,
    onProgress({ done, total }) {
      if (total > 0 && done >= total / 2) stop.abort();
    },
  });
  await expect(interrupted).rejects.toThrow('aborted');
  const folder = path.join(cacheFolder, 'journals');
  const [journal = ''] = readdirSync(folder);
  appendFileSync(path.join(folder, journal), '\n{"url":"torn');
  const received = server.log.length;
  const { sent, ...result } = await read();
  expect(result).toEqual(expected);
  expect(sent).toBeLessThan(ALL / 2 + 1);
  // Responses that were on their way are requested again.
  expect(received + sent).toBeLessThan(ALL + 50);
});

it('reads everything again if the upstream is deployed in the middle', async () => {
  const { read } = await startScene({
    stateOf: ({ at }) => (at < ALL / 2 ? older : newer),
  });
  const { sent, ...result } = await read();
  expect(result).toEqual(expected);
  expect(sent).toBeLessThan(ALL * 1.5 + 300);
});

it('requests old responses of a CDN once more', async () => {
  const random = createRandom(1);
  let old = 0;
  const { read } = await startScene({
    stateOf({ path: url }) {
      const isOld = !url.includes('uncached=') && random.below(3) === 0;
      if (isOld) old++;
      return isOld ? older : newer;
    },
  });
  expect(await read()).toEqual({ ...expected, sent: ALL + old });
  expect(old).toBeGreaterThan(RECORDS / 4);
});

it('tries again after faults in 6 % of the responses', async () => {
  const random = createRandom(2);
  const respond: ((response: Parameters<Fault>[1]) => void)[] = [
    (response) => response.socket?.resetAndDestroy(),
    (response) => response.writeHead(503).end(),
    (response) => response.end('<html>'),
    truncated,
    (response) => response.writeHead(404).end('{}'),
  ];
  let faults = 0;
  const { read } = await startScene({
    fault(_, response) {
      if (random.below(100) >= 6) return false;
      faults++;
      random.pick(respond)(response);
      return true;
    },
  });
  expect(await read()).toEqual({ ...expected, sent: ALL + faults });
  expect(faults).toBeGreaterThan(100);
});
