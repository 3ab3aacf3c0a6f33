/** Many builds of one site: twenty at once, and two hundred while it is read. */

import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { kindNames } from '../../src/contract/kinds.ts';
import { listPageFile, listPath, recordFile } from '../../src/contract/paths.ts';
import { serve } from '../../test/support/engines/serve.ts';
import { nginx } from '../../test/support/engines/web-servers.ts';
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

/** Returns the text of a file of the site; undefined if it is missing. */
type Get = (file: string) => Promise<string | undefined>;

const pageSchema = z.object({
  next: z.string().nullable(),
  results: z.array(z.object({ slug: z.string() })),
});

interface Reader {
  readonly name: string;
  readonly get: Get;
  reads: number;
  readonly problems: string[];
}

const createReader = (name: string, get: Get): Reader => ({ name, get, reads: 0, problems: [] });

/** Reads what a server has, and compares all bodies with the same URL and ETag. */
function createClient(name: string, url: string): Reader {
  const bodies = new Map<string, string>();
  const client = createReader(name, async (file) => {
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

async function readJson(file: string, reader: Reader): Promise<unknown> {
  reader.reads++;
  const text = await reader.get(file);
  if (text === undefined) reader.problems.push(`${file}: is missing`);
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    reader.problems.push(`${file}: got ${text?.length} bytes, expected JSON`);
    return null;
  }
}

/** Reads records that both sites have, and follows both lists from their first page to the last. */
async function readAll(reader: Reader): Promise<void> {
  for (let at = 1; at <= RECORDS[0]; at += 5) await readJson(recordFile('item', `item-${at}`), reader);
  for (const kind of kindNames)
    for (let link: string | null = `${BASE_URL}${listPath(kind)}`; link !== null; ) {
      const page = pageSchema.safeParse(await readJson(toFile(link), reader));
      link = page.success ? page.data.next : null;
    }
}

/** `…/move/?format=api&limit=100&offset=100` → the file of that page */
function toFile(link: string): string {
  const { pathname, searchParams } = new URL(link);
  const [kind] = kindNames.filter((name) => pathname === listPath(name));
  return listPageFile(kind ?? 'move', Number(searchParams.get('offset') ?? 0));
}

/** Rebuilds a site while its files are read directly and from servers. */
export const readMeanwhile = (rebuilds: number): Promise<Ended> =>
  onGround(async ({ data, out }) => {
    const engines = [serve, nginx].filter((engine) => engine.missing() === undefined);
    const running = await Promise.all(engines.map((engine) => engine.start(out)));
    const readers = [
      createReader('files', (file) => readFile(path.join(out, file), 'utf8').catch(() => undefined)),
      ...engines.map(({ name }, at) => createClient(name, running[at]?.url ?? '')),
    ];
    let isOver = false;
    const reading = readers.map(async (reader) => {
      while (!isOver && reader.problems.length < 5) await readAll(reader);
    });
    try {
      for (let round = 0; round < rebuilds; round++) await succeed(buildArgs(data[round % 2], out));
    } finally {
      isOver = true;
      await Promise.allSettled(reading);
      await Promise.all(running.map((engine) => engine.stop()));
    }
    await Promise.all(reading);
    const counts = readers.map(({ name, reads }) => `${reads.toLocaleString('en')} of ${name}`);
    const problems = readers.flatMap(({ name, problems }) =>
      problems.map((problem) => `${name}: ${problem}`),
    );
    return { tried: rebuilds, says: `rebuilds; read: ${counts.join(', ')}`, problems };
  });
