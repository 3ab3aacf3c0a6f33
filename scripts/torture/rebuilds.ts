import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { kindNames } from '../../src/contract/kinds.ts';
import { listPageFile, listPath, recordFile } from '../../src/contract/paths.ts';
import { serve } from '../../test/support/engines/serve.ts';
import { nginx } from '../../test/support/engines/web-servers.ts';
import { inFolder } from '../../test/support/folders.ts';
import { demand, demandClean, digestSite, type Ended, mustRun, run, writeDataSet } from './environment.ts';

const AT_ONCE = 20;
/** The second data set has more records. */
const RECORDS = [240, 250] as const;

const BASE_URL = 'https://site.test';

const createBuild = (data: string | undefined, out: string): string[] => [
  ...['build', '--source', 'snapshot', '--upstream', data ?? '', '--base-url', BASE_URL, '--out', out],
  ...['--host', 'nginx', '--max-shrink', '100', '--no-downloads', '--quiet'],
];

interface Environment {
  readonly data: readonly string[];
  readonly out: string;
  /** The digests of the sites of both data sets. */
  readonly digests: readonly (string | undefined)[];
}

const withTwoSites = (use: (environment: Environment) => Promise<Ended>): Promise<Ended> =>
  inFolder(async (folder) => {
    const out = path.join(folder, 'site');
    const data = RECORDS.map((count, at) => writeDataSet(path.join(folder, `data-${at}`), count, 1));
    const digests: (string | undefined)[] = [];
    for (const one of data) {
      await mustRun(createBuild(one, out));
      digests.push(digestSite(out));
    }
    return await use({ data, out, digests });
  });

/** Builds the same folder at the same time: some builds publish, others find it locked. */
export const buildAtOnce = (): Promise<Ended> =>
  withTwoSites(async ({ data, out, digests }) => {
    const exits = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) => run(createBuild(data[at % 2], out))),
    );
    const strange = exits.filter(
      ({ code, stderr }) => code !== 0 && !stderr.includes('locked by another build'),
    );
    demand(strange.length === 0, `ended with ${strange[0]?.code}: ${strange[0]?.stderr}`);
    demand(digests.includes(digestSite(out)), 'the site is neither of the two');
    await mustRun(['verify', out, '--quiet']);
    await mustRun(createBuild(data[0], out));
    demand(digestSite(out) === digests[0], 'the next build creates another site');
    demandClean(out);
    const published = exits.filter(({ code }) => code === 0).length;
    return { tried: AT_ONCE, summary: `builds: ${published} published, the others found a lock` };
  });

const pageSchema = z.object({
  next: z.string().nullable(),
  results: z.array(z.object({ slug: z.string() })),
});

type Reader = ReturnType<typeof createReader>;

const createReader = (name: string, get: (file: string) => Promise<string | undefined>) => ({
  ...{ name, get, reads: 0 },
  problems: [] as string[],
});

/** Reads from a server, and compares all bodies with the same URL and ETag. */
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

/** Reads records of both sites, and follows both lists from the first page to the last. */
async function readAll(reader: Reader): Promise<void> {
  for (let at = 1; at <= RECORDS[0]; at += 5) await readJson(recordFile('item', `item-${at}`), reader);
  for (const kind of kindNames)
    for (let link: string | null = `${BASE_URL}${listPath(kind)}`; link !== null; ) {
      const page = pageSchema.safeParse(await readJson(toFile(link), reader));
      link = page.success ? page.data.next : null;
    }
}

/** Converts `…/move/?format=api&limit=100&offset=100` to the file of the page. */
function toFile(link: string): string {
  const { pathname, searchParams } = new URL(link);
  const [kind] = kindNames.filter((name) => pathname === listPath(name));
  return listPageFile(kind ?? 'move', Number(searchParams.get('offset') ?? 0));
}

/** Rebuilds a site while its files are read directly and from servers. */
export const readDuringBuilds = (rebuilds: number): Promise<Ended> =>
  withTwoSites(async ({ data, out }) => {
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
      for (let round = 0; round < rebuilds; round++) await mustRun(createBuild(data[round % 2], out));
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
    return { tried: rebuilds, summary: `rebuilds; read: ${counts.join(', ')}`, problems };
  });
