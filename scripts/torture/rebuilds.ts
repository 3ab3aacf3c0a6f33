/** Many builds of one site: twenty at once, and two hundred under the eyes of readers. */

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as z from 'zod';
import { listPageFile, recordFile } from '../../src/contract/paths.ts';
import { demand, leftovers, run, siteDigest, start, temporary, writeDataSet } from './ground.ts';
import type { Ended } from './parts.ts';

const AT_ONCE = 20;
/** The second data set has records that the first has not. */
const RECORDS = [240, 250];

const buildArgs = (data: string, out: string): string[] => [
  ...['build', '--source', 'snapshot', '--upstream', data, '--base-url', 'https://site.test', '--out', out],
  ...['--max-shrink', '100', '--no-downloads', '--quiet'],
];

interface Ground {
  readonly data: readonly string[];
  readonly out: string;
  /** Of the sites that the data sets give. */
  readonly digests: readonly (string | undefined)[];
}

async function onGround(use: (ground: Ground) => Promise<Ended>): Promise<Ended> {
  const folder = temporary();
  try {
    const out = path.join(folder, 'site');
    const data = RECORDS.map((count, at) => writeDataSet(path.join(folder, `data-${at}`), count, 1));
    const digests: (string | undefined)[] = [];
    for (const one of data) {
      demand((await run(buildArgs(one, out))).code === 0, 'the first builds fail');
      digests.push(siteDigest(out));
    }
    return await use({ data, out, digests });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All build the same folder: some publish, the others find it locked. */
export const buildAtOnce = (): Promise<Ended> =>
  onGround(async ({ data, out, digests }) => {
    const exits = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) => run(buildArgs(data[at % 2] ?? '', out))),
    );
    const strange = exits.filter(
      ({ code, stderr }) => code !== 0 && !stderr.includes('locked by another build'),
    );
    demand(strange.length === 0, `ended with ${strange[0]?.code}: ${strange[0]?.stderr}`);
    demand(digests.includes(siteDigest(out)), 'neither the one site nor the other');
    const verified = await run(['verify', out, '--quiet']);
    demand(verified.code === 0, `verify: ${verified.stderr}`);
    demand((await run(buildArgs(data[0] ?? '', out))).code === 0, 'the next build fails');
    demand(siteDigest(out) === digests[0] && leftovers(out).length === 0, 'the next build leaves something');
    const published = exits.filter(({ code }) => code === 0).length;
    return { tried: AT_ONCE, says: `builds, of which ${published} published and the others found a lock` };
  });

/** The text at an address of the site; undefined if there is none. */
type Get = (file: string) => Promise<string | undefined>;

const pageSchema = z.object({ results: z.array(z.object({ url: z.string(), slug: z.string() })) });

/** Reads fifty addresses again and again: records that both sites have, and lists with what they name. */
async function read(get: Get, isOver: () => boolean): Promise<{ reads: number; problems: string[] }> {
  const problems: string[] = [];
  let reads = 0;
  const pages = [0, 100, 200].map((offset) => listPageFile('item', offset));
  const records = Array.from({ length: 47 }, (_, at) => recordFile('item', `item-${at * 5 + 1}`));
  const jsonAt = async (file: string): Promise<unknown> => {
    reads++;
    const text = await get(file);
    if (text === undefined) problems.push(`${file}: not there`);
    try {
      return JSON.parse(text ?? 'null');
    } catch {
      problems.push(`${file}: ${text?.length} bytes that are no JSON`);
      return null;
    }
  };
  const namedAt = async (page: string): Promise<string[]> =>
    pageSchema.parse(await jsonAt(page)).results.map(({ slug }) => slug);
  while (!isOver() && problems.length < 5) {
    for (const file of records) await jsonAt(file);
    for (const page of pages) {
      const named = await namedAt(page);
      const [last = ''] = named.slice(-1);
      if ((await get(recordFile('item', last))) !== undefined) continue;
      // It may have gone with the page that named it: then the page that is there now does not.
      const still = (await namedAt(page)).includes(last);
      const isThere = (await get(recordFile('item', last))) !== undefined;
      if (still && !isThere) problems.push(`${page} names ${last}, which is not there`);
    }
  }
  return { reads, problems };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

const isServed = (address: string): Promise<boolean> =>
  fetch(address).then(
    ({ ok }) => ok,
    () => false,
  );

/** A site is rebuilt so often while one reads its files, and another one asks `serve` for them. */
export const readMeanwhile = (rebuilds: number): Promise<Ended> =>
  onGround(async ({ data, out }) => {
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const server = start(['serve', out, '--port', `${port}`]);
    for (let tries = 0; !(await isServed(address)); tries++) {
      demand(tries < 100, 'serve does not answer');
      await setTimeout(100);
    }
    let over = false;
    const readers = [
      read(
        (file) => readFile(path.join(out, file), 'utf8').catch(() => undefined),
        () => over,
      ),
      read(
        async (file) => {
          const response = await fetch(`${address}/${file}`);
          const text = await response.text();
          return response.ok ? text : undefined;
        },
        () => over,
      ),
    ];
    try {
      for (let round = 0; round < rebuilds; round++) {
        const { code, stderr } = await run(buildArgs(data[round % 2] ?? '', out));
        demand(code === 0, `rebuild ${round}: ${stderr}`);
      }
    } finally {
      over = true;
      await Promise.allSettled(readers);
      server.child.kill();
      await server.ended;
    }
    const results = await Promise.all(readers);
    const reads = results.map(({ reads }) => reads.toLocaleString('en'));
    const problems = results.flatMap(({ problems }) => problems);
    return {
      tried: rebuilds,
      says: `rebuilds, ${reads[0]} reads of files and ${reads[1]} by \`serve\``,
      problems,
    };
  });
