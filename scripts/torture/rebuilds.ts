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
import { demand, type Ended, leftovers, run, siteDigest, succeed, writeDataSet } from './ground.ts';

const AT_ONCE = 20;
/** The second data set has records that the first has not. */
const RECORDS = [240, 250] as const;

const BASE_URL = 'https://site.test';

const buildArgs = (data: string | undefined, out: string): string[] => [
  ...['build', '--source', 'snapshot', '--upstream', data ?? '', '--base-url', BASE_URL, '--out', out],
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
      await succeed(buildArgs(one, out));
      digests.push(siteDigest(out));
    }
    return await use({ data, out, digests });
  });

/** All build the same folder: some publish, the others find it locked. */
export const buildAtOnce = (): Promise<Ended> =>
  onGround(async ({ data, out, digests }) => {
    const exits = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) => run(buildArgs(data[at % 2], out))),
    );
    const strange = exits.filter(
      ({ code, stderr }) => code !== 0 && !stderr.includes('locked by another build'),
    );
    demand(strange.length === 0, `ended with ${strange[0]?.code}: ${strange[0]?.stderr}`);
    demand(digests.includes(siteDigest(out)), 'neither the one site nor the other');
    await succeed(['verify', out, '--quiet']);
    await succeed(buildArgs(data[0], out));
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

/** Who reads: from where, and what is seen. */
interface Reader {
  readonly name: string;
  readonly get: Get;
  reads: number;
  readonly problems: string[];
}

/** Reads records that both sites have. */
async function readRecords(reader: Reader): Promise<void> {
  for (let at = 1; at <= RECORDS[0]; at += 5) await jsonAt(recordFile('item', `item-${at}`), reader);
}

/** Reads lists, and the last records that they name. `edition` tells what is published at the moment. */
async function readNamed(reader: Reader, edition: () => string): Promise<void> {
  const namedAt = async (page: string): Promise<string[]> =>
    pageSchema.parse(await jsonAt(page, reader)).results.map(({ slug }) => slug);
  const isThere = async (slug: string) => (await reader.get(recordFile('item', slug))) !== undefined;
  for (const page of [0, 100, 200].map((offset) => listPageFile('item', offset))) {
    const before = edition();
    const [last = ''] = (await namedAt(page)).slice(-1);
    if (await isThere(last)) continue;
    // It may have gone with the page that named it: then the page that is there now does not, or is of the next site.
    if ((await namedAt(page)).includes(last) && !(await isThere(last)) && edition() === before)
      reader.problems.push(`${page} names ${last}, which is not there`);
  }
}

/** Follows both lists from their first page to the last. */
async function crawl(reader: Reader): Promise<void> {
  for (const kind of kindNames) {
    for (let link: string | null = `${BASE_URL}${listPath(kind)}`; link !== null; ) {
      const page = pageSchema.safeParse(await jsonAt(link.slice(BASE_URL.length + 1), reader));
      link = page.success ? page.data.next : null;
    }
  }
}

async function jsonAt(file: string, reader: Reader): Promise<unknown> {
  reader.reads++;
  const text = await reader.get(file);
  if (text === undefined) reader.problems.push(`${file}: not there`);
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    reader.problems.push(`${file}: ${text?.length} bytes that are no JSON`);
    return null;
  }
}

const readerOf = (name: string, get: Get): Reader => ({ name, get, reads: 0, problems: [] });

/** Gets what a server has, and compares all bodies that came with one ETag from one address. */
function clientOf(name: string, url: string): Reader {
  const bodies = new Map<string, string>();
  const client = readerOf(name, async (file) => {
    const response = await fetch(`${url}/${file}`);
    const text = await response.text();
    if (!response.ok) return undefined;
    const key = `${file} ${response.headers.get('etag')}`;
    const sha256 = hash('sha256', text);
    if ((bodies.get(key) ?? sha256) !== sha256) client.problems.push(`${key}: two bodies for one ETag`);
    bodies.set(key, sha256);
    return text;
  });
  return client;
}

/** A site is rebuilt so often while its files are read, and servers of it are read and crawled. */
export const readMeanwhile = (rebuilds: number): Promise<Ended> =>
  onGround(async ({ data, out }) => {
    const engines = [serve, nginx].filter((engine) => engine.missing() === undefined);
    const running = await Promise.all(engines.map((engine) => engine.start(out)));
    const edition = (): string => {
      const { ino, mtimeMs } = statSync(path.join(out, MANIFEST_FILE));
      return `${ino} ${mtimeMs}`;
    };
    const files = readerOf('files', (file) => readFile(path.join(out, file), 'utf8').catch(() => undefined));
    const clients = engines.map(({ name }, at) => clientOf(name, running[at]?.url ?? ''));
    const all = [files, ...clients];
    let over = false;
    const again = async (reader: Reader, read: (reader: Reader) => Promise<void>): Promise<void> => {
      while (!over && reader.problems.length < 5) await read(reader);
    };
    const reading = [
      ...all.map((reader) => again(reader, readRecords)),
      ...clients.map((reader) => again(reader, crawl)),
      // nginx keeps files open for a second, a page that has been replaced too.
      ...all
        .filter(({ name }) => name !== nginx.name)
        .map((reader) => again(reader, () => readNamed(reader, edition))),
    ];
    try {
      for (let round = 0; round < rebuilds; round++) await succeed(buildArgs(data[round % 2], out));
    } finally {
      over = true;
      await Promise.allSettled(reading);
      await Promise.all(running.map((engine) => engine.stop()));
    }
    await Promise.all(reading);
    const counts = all.map(({ name, reads }) => `${reads.toLocaleString('en')} of ${name}`);
    const problems = all.flatMap((reader) => reader.problems.map((problem) => `${reader.name}: ${problem}`));
    return { tried: rebuilds, says: `rebuilds; read: ${counts.join(', ')}`, problems };
  });
