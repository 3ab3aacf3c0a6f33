import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { build } from '../../src/commands/build.ts';
import type { Progress } from '../../src/sources/source.ts';
import { stateNumber } from '../support/editions.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { journalLine } from '../support/journal.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const data = upstreamOf(tinyUpstream());

/** Gives each response of the journal another one's value, with the checksum that is right for it. */
function swapValues(cache: string, isWanted: (url: string) => boolean): void {
  const [name = ''] = readdirSync(cache);
  const file = path.join(cache, name);
  const [header = '', ...lines] = readFileSync(file, 'utf8').split('\n');
  const entries = lines.map((line) => JSON.parse(line.slice(17)));
  const chosen = entries.filter(({ url }) => url !== undefined && isWanted(url));
  expect(chosen.length).toBeGreaterThan(1);
  const values = chosen.map(({ value }) => value);
  chosen.forEach((entry, at) => {
    entry.value = values[(at + 1) % values.length];
  });
  // Without the last line, which a fetch that was broken off does not write.
  const written = entries.filter(({ url }) => url !== undefined);
  writeFileSync(file, [header, ...written.map(journalLine)].join('\n'));
}

it.each([
  ['records', (url: string) => !url.includes('?')],
  ['lists', (url: string) => url.includes('?')],
])(
  'cached %s that stand at each other’s address are asked for again, and never published',
  async (_, isWanted) => {
    const server = await serveUpstream(data, { stateOf: () => stateNumber(1, data) });
    const parent = temporaryFolder();
    const [cache, out] = [path.join(parent, 'cache'), path.join(parent, 'site')];
    const options = {
      source: 'rest',
      upstream: server.url,
      baseUrl: 'https://example.test',
      cache,
      out,
    } as const;
    await build(options);
    const before = fingerprint(out);
    swapValues(cache, isWanted);
    await build(options);
    expect(fingerprint(out)).toEqual(before);
    const asked = server.log.length;
    await build(options);
    expect(server.log.length - asked, 'the cache is whole again').toBe(1);
  },
);

it('progress is told from none to all', async () => {
  const server = await serveUpstream(data);
  const options = {
    source: 'rest',
    upstream: server.url,
    baseUrl: 'https://example.test',
    cache: false,
  } as const;
  const progress: string[] = [];
  const onProgress = ({ done, total, requests }: Progress) =>
    void progress.push(`${done} of ${total} after ${requests.requests}`);
  await build({ ...options, concurrency: 1, out: path.join(temporaryFolder(), 'site') }, { onProgress });
  expect(progress).toEqual([0, 1, 2, 3, 4, 5].map((done) => `${done} of 5 after ${2 + done}`));
});
