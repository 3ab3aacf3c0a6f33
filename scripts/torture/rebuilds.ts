/** Many builds of one site: twenty at once, and two hundred while it is read. */

import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { kindNames } from '../../src/contract/kinds.ts';
import { listPageFile, listPath, MANIFEST_FILE, recordFile } from '../../src/contract/paths.ts';
import { nginx } from '../../test/support/engines/nginx.ts';
import { serve } from '../../test/support/engines/serve.ts';
import { inFolder } from '../../test/support/folders.ts';
import { demand, type Ended, leftovers, run, siteDigest, writeDataSet } from './ground.ts';

const AT_ONCE = 20;
/** The second data set has records that the first has not. */
const RECORDS = [240, 250];

const BASE_URL = 'https://site.test';

const buildArgs = (data: string, out: string): string[] => [
  ...['build', '--source', 'snapshot', '--upstream', data, '--base-url', BASE_URL, '--out', out],
  ...['--host', 'nginx', '--max-shrink', '100', '--no-downloads', '--quiet'],
];

interface Ground {
  readonly data: readonly string[];
  readonly out: string;
  /** Of the sites that the data sets give. */
  readonly digests: readonly (string | undefined)[];
}

const onGround = (use: (ground: Ground) => Promise<Ended>): Promise<Ended> =>
  inFolder(async (folder) => {
    const out = path.join(folder, 'site');
    const data = RECORDS.map((count, at) => writeDataSet(path.join(folder, `data-${at}`), count, 1));
    const digests: (string | undefined)[] = [];
    for (const one of data) {
      demand((await run(buildArgs(one, out))).code === 0, 'the first builds fail');
      digests.push(siteDigest(out));
    }
    return await use({ data, out, digests });
  });

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

const pageSchema = z.object({
  next: z.string().nullable(),
  results: z.array(z.object({ url: z.string(), slug: z.string() })),
});

interface Read {
  /** Where it was read. */
  readonly name: string;
  reads: number;
  readonly problems: string[];
}

interface Watch {
  readonly seen: Read;
  /** What is published at the moment. */
  edition(): string;
  isOver(): boolean;
}

/** Reads records that both sites have, again and again. */
async function read(get: Get, { seen, isOver }: Watch): Promise<void> {
  const records = Array.from({ length: 47 }, (_, at) => recordFile('item', `item-${at * 5 + 1}`));
  while (!isOver() && seen.problems.length < 5) for (const file of records) await jsonAt(get, file, seen);
}

/** Reads lists, and the last records that they name. */
async function readNamed(get: Get, { seen, edition, isOver }: Watch): Promise<void> {
  const pages = [0, 100, 200].map((offset) => listPageFile('item', offset));
  const namedAt = async (page: string): Promise<string[]> =>
    pageSchema.parse(await jsonAt(get, page, seen)).results.map(({ slug }) => slug);
  while (!isOver() && seen.problems.length < 5) {
    for (const page of pages) {
      const before = edition();
      const [last = ''] = (await namedAt(page)).slice(-1);
      if ((await get(recordFile('item', last))) !== undefined) continue;
      // It may have gone with the page that named it: then the page that is there now does not, or is of the next site.
      const still = (await namedAt(page)).includes(last);
      const isThere = (await get(recordFile('item', last))) !== undefined;
      if (still && !isThere && edition() === before)
        seen.problems.push(`${page} names ${last}, which is not there`);
    }
  }
}

/** Follows both lists from their first page to the last, again and again. */
async function crawl(get: Get, { seen, isOver }: Watch): Promise<void> {
  while (!isOver() && seen.problems.length < 5) {
    for (const kind of kindNames) {
      for (let link: string | null = `${BASE_URL}${listPath(kind)}`; link !== null && !isOver(); ) {
        const page = pageSchema.safeParse(await jsonAt(get, link.slice(BASE_URL.length + 1), seen));
        if (!page.success) break;
        link = page.data.next;
      }
    }
  }
}

async function jsonAt(get: Get, file: string, seen: Read): Promise<unknown> {
  seen.reads++;
  const text = await get(file);
  if (text === undefined) seen.problems.push(`${file}: not there`);
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    seen.problems.push(`${file}: ${text?.length} bytes that are no JSON`);
    return null;
  }
}

/** Gets what a server has, and compares all bodies that came with one ETag from one address. */
function getter(url: string, seen: Read): Get {
  const bodies = new Map<string, string>();
  return async (file) => {
    const response = await fetch(`${url}/${file}`);
    const text = await response.text();
    if (!response.ok) return undefined;
    const key = `${file} ${response.headers.get('etag')}`;
    const sha256 = hash('sha256', text);
    if ((bodies.get(key) ?? sha256) !== sha256) seen.problems.push(`${key}: two bodies for one ETag`);
    bodies.set(key, sha256);
    return text;
  };
}

/** A site is rebuilt so often while its files are read, and servers of it are read and crawled. */
export const readMeanwhile = (rebuilds: number): Promise<Ended> =>
  onGround(async ({ data, out }) => {
    const engines = [serve, nginx].filter((engine) => engine.missing() === undefined);
    const running = await Promise.all(engines.map((engine) => engine.start(out)));
    let over = false;
    const watch = (seen: Read): Watch => ({
      seen,
      isOver: () => over,
      edition() {
        const { ino, mtimeMs } = statSync(path.join(out, MANIFEST_FILE));
        return `${ino} ${mtimeMs}`;
      },
    });
    const files: Read = { name: 'files', reads: 0, problems: [] };
    const servers = engines.map(({ name }): Read => ({ name, reads: 0, problems: [] }));
    const fromFolder: Get = (file) => readFile(path.join(out, file), 'utf8').catch(() => undefined);
    const readers = [
      read(fromFolder, watch(files)),
      readNamed(fromFolder, watch(files)),
      ...servers.flatMap((seen, at) => {
        const get = getter(running[at]?.url ?? '', seen);
        // nginx keeps files open for a second, a page that has been replaced too.
        const named = seen.name === nginx.name ? [] : [readNamed(get, watch(seen))];
        return [read(get, watch(seen)), crawl(get, watch(seen)), ...named];
      }),
    ];
    try {
      for (let round = 0; round < rebuilds; round++) {
        const { code, stderr } = await run(buildArgs(data[round % 2] ?? '', out));
        demand(code === 0, `rebuild ${round}: ${stderr}`);
      }
    } finally {
      over = true;
      await Promise.allSettled(readers);
      await Promise.all(running.map((engine) => engine.stop()));
    }
    await Promise.all(readers);
    const all = [files, ...servers];
    const counts = all.map(({ name, reads }) => `${reads.toLocaleString('en')} of ${name}`);
    const problems = all.flatMap((seen) => seen.problems.map((problem) => `${seen.name}: ${problem}`));
    return { tried: rebuilds, says: `rebuilds; read: ${counts.join(', ')}`, problems };
  });
