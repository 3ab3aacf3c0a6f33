import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { kindNames } from '../../src/contract/kinds.ts';
import { listPageFile, listPath, recordFile } from '../../src/contract/paths.ts';
import { serve } from '../support/engines/serve.ts';
import { nginx } from '../support/engines/web-servers.ts';
import { inFolder } from '../support/folders.ts';
import {
  demand,
  demandClean,
  digestSite,
  type Ended,
  mustRun,
  run,
  writeDataSet,
} from './environment.ts';

const AT_ONCE = 20;
/** The second data set has more records. */
const RECORDS = [240, 250] as const;

const BASE_URL = 'https://site.test';

const createBuild = (data: string | undefined, out: string): string[] => [
  ...[
    'build',
    '--source',
    'snapshot',
    '--upstream',
    data ?? '',
    '--base-url',
    BASE_URL,
    '--out',
    out,
  ],
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
    const data = RECORDS.map((count, at) =>
      writeDataSet(path.join(folder, `data-${at}`), count, 1),
    );
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

interface Reader {
  readonly name: string;
  /** Returns the text and the ETag of a file. */
  get(file: string): Promise<readonly [text: string, etag?: string | null] | undefined>;
}

const createClient = ({ name }: { name: string }, url = ''): Reader => ({
  name,
  async get(file) {
    const response = await fetch(`${url}/${file}`);
    const text = await response.text();
    return response.ok ? [text, response.headers.get('etag')] : undefined;
  },
});

/** Reads files of both sites until the end, and compares all bodies with the same ETag. Returns the number of reads. */
async function readAll(
  { name, get }: Reader,
  problems: string[],
  isOver: () => boolean,
): Promise<number> {
  const bodies = new Map<string, string>();
  let reads = 0;
  async function readPage(file: string): Promise<{ next?: string | null }> {
    reads++;
    const [text = '', etag] = (await get(file)) ?? [];
    const key = `${file} ${etag}`;
    if (etag && (bodies.get(key) ?? text) !== text)
      problems.push(`${name}: ${key}: two bodies for one ETag`);
    bodies.set(key, text);
    try {
      return JSON.parse(text);
    } catch {
      problems.push(`${name}: ${file}: got ${text.length} bytes, expected JSON`);
      return {};
    }
  }
  while (!isOver() && problems.length < 5) {
    for (let at = 1; at <= RECORDS[0]; at += 5) await readPage(recordFile('item', `item-${at}`));
    for (const kind of kindNames)
      for (let link: string | null = `${BASE_URL}${listPath(kind)}`; link !== null; )
        link = (await readPage(toFile(link))).next ?? null;
  }
  return reads;
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
    const readers: Reader[] = [
      {
        name: 'files',
        get: async (file) => [await readFile(path.join(out, file), 'utf8').catch(() => '')],
      },
      ...engines.map((engine, at) => createClient(engine, running[at]?.url)),
    ];
    const problems: string[] = [];
    let isOver = false;
    const reading = Promise.all(readers.map((reader) => readAll(reader, problems, () => isOver)));
    try {
      for (let round = 0; round < rebuilds; round++)
        await mustRun(createBuild(data[round % 2], out));
    } finally {
      isOver = true;
      await reading.catch(() => {});
      await Promise.all(running.map((engine) => engine.stop()));
    }
    const counts = (await reading).map(
      (reads, at) => `${reads.toLocaleString('en')} of ${readers[at]?.name}`,
    );
    return { tried: rebuilds, summary: `rebuilds; read: ${counts.join(', ')}`, problems };
  });
