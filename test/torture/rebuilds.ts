import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { kindNames } from '../../src/contract/kinds.ts';
import { listPageFile, listPath, recordFile } from '../../src/contract/paths.ts';
import type { RunningEngine } from '../support/engines/engine.ts';
import { serve } from '../support/engines/serve.ts';
import { nginx } from '../support/engines/web-servers.ts';
import { inFolder } from '../support/folders.ts';
import type { Finished } from '../support/processes.ts';
import {
  createBuildArgs,
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

const BUILD_OPTIONS = ['--host=nginx', `--base-url=${BASE_URL}`];

function createBuild(data: string, out: string): string[] {
  return createBuildArgs(data, out, ...BUILD_OPTIONS);
}

/** A data set and its site's digest. */
interface Variant {
  readonly data: string;
  readonly digest: string | undefined;
}

interface Environment {
  readonly out: string;
  /** Two data sets, of which the second is published at first. */
  readonly variants: readonly [Variant, Variant];
}

function withTwoSites(
  use: (environment: Environment) => Promise<Ended>,
): Promise<Ended> {
  return inFolder(async (folder) => {
    const out = path.join(folder, 'site');
    async function publish(name: string, records: number): Promise<Variant> {
      const data = writeDataSet(path.join(folder, name), records, 1);
      await mustRun(createBuild(data, out));
      return { data, digest: digestSite(out) };
    }
    const first = await publish('data-0', RECORDS[0]);
    const second = await publish('data-1', RECORDS[1]);
    return use({ out, variants: [first, second] });
  });
}

/**
 * Builds the same folder at the same time. Some builds publish, the others find it
 * locked. Afterwards the site is one of the two, and the next build publishes as
 * usual.
 */
export function buildAtOnce(): Promise<Ended> {
  return withTwoSites(async ({ out, variants }) => {
    const [first, second] = variants;
    const running: Promise<Finished>[] = [];
    for (let at = 0; at < AT_ONCE; at++) {
      const { data } = at % 2 === 0 ? first : second;
      running.push(run(createBuild(data, out)));
    }
    let published = 0;
    for (const { code, stderr } of await Promise.all(running)) {
      if (code === 0) {
        published += 1;
        continue;
      }
      const isLocked = stderr.includes('another build is publishing there');
      demand(isLocked, `ended with ${code}: ${stderr}`);
    }
    const digest = digestSite(out);
    const isComplete = digest === first.digest || digest === second.digest;
    demand(isComplete, 'the site is neither of the two');
    await mustRun(['verify', out, '--quiet']);
    await mustRun(createBuild(first.data, out));
    demand(digestSite(out) === first.digest, 'the next build creates another site');
    demandClean(out);
    return {
      tried: AT_ONCE,
      summary: `builds: ${published} published, the others found a lock`,
    };
  });
}

interface ReadFile {
  readonly text: string;
  /** Only servers send an ETag. */
  readonly etag: string | null;
}

interface Reader {
  readonly name: string;
  /** Returns undefined if the file is missing. */
  get(file: string): Promise<ReadFile | undefined>;
}

/** Reads files from the folder. While a build replaces a file, it may be missing. */
function createFileReader(out: string): Reader {
  return {
    name: 'files',
    async get(file) {
      const text = await readFile(path.join(out, file), 'utf8').catch(() => '');
      return { text, etag: null };
    },
  };
}

function createClient(name: string, url: string): Reader {
  return {
    name,
    async get(file) {
      const response = await fetch(`${url}/${file}`);
      const text = await response.text();
      if (!response.ok) return undefined;
      return { text, etag: response.headers.get('etag') };
    },
  };
}

/**
 * Reads files of both sites until the end. Reports a problem if a file is not JSON,
 * or if two bodies have the same ETag. Returns the number of reads.
 */
async function readAll(
  { name, get }: Reader,
  problems: string[],
  isOver: () => boolean,
): Promise<number> {
  /** The body for each file and ETag. */
  const bodies = new Map<string, string>();
  let reads = 0;

  async function readPage(file: string): Promise<{ next?: string | null }> {
    reads += 1;
    const response = await get(file);
    const text = response?.text ?? '';
    if (response?.etag) checkEtag(`${file} ${response.etag}`, text);
    try {
      return JSON.parse(text);
    } catch {
      problems.push(`${name}: ${file}: got ${text.length} bytes, expected JSON`);
      return {};
    }
  }

  function checkEtag(key: string, text: string): void {
    const earlierText = bodies.get(key) ?? text;
    if (earlierText !== text) {
      problems.push(`${name}: ${key}: two bodies for one ETag`);
    }
    bodies.set(key, text);
  }

  while (!isOver() && problems.length < 5) {
    for (let id = 1; id <= RECORDS[0]; id += 5) {
      await readPage(recordFile('item', `item-${id}`));
    }
    for (const kind of kindNames) {
      let link: string | null = `${BASE_URL}${listPath(kind)}`;
      while (link !== null) {
        const page: { next?: string | null } = await readPage(toFile(link));
        link = page.next ?? null;
      }
    }
  }
  return reads;
}

/** Converts `…/move/?format=api&limit=100&offset=100` to the file of the page. */
function toFile(link: string): string {
  const { pathname, searchParams } = new URL(link);
  const kind = kindNames.find((name) => pathname === listPath(name));
  const offset = Number(searchParams.get('offset') ?? 0);
  return listPageFile(kind ?? 'move', offset);
}

/**
 * Rebuilds a site while its files are read from the folder and from servers. Readers
 * start before the first rebuild and stop after the last, so that every change
 * happens under them.
 */
export function readDuringBuilds(rebuilds: number): Promise<Ended> {
  return withTwoSites(async ({ out, variants }) => {
    const readers: Reader[] = [createFileReader(out)];
    const running: RunningEngine[] = [];
    for (const engine of [serve, nginx]) {
      if (engine.missing() !== undefined) continue;
      const started = await engine.start(out);
      running.push(started);
      readers.push(createClient(engine.name, started.url));
    }
    const problems: string[] = [];
    let isOver = false;
    const reading = Promise.all(
      readers.map((reader) => readAll(reader, problems, () => isOver)),
    );
    try {
      for (let round = 0; round < rebuilds; round++) {
        const { data } = round % 2 === 0 ? variants[0] : variants[1];
        await mustRun(createBuild(data, out));
      }
    } finally {
      isOver = true;
      await reading.catch(() => {});
      for (const engine of running) await engine.stop();
    }
    const counts: string[] = [];
    for (const [at, reads] of (await reading).entries()) {
      counts.push(`${reads.toLocaleString('en')} of ${readers[at]?.name}`);
    }
    return {
      tried: rebuilds,
      summary: `rebuilds; read: ${counts.join(', ')}`,
      problems,
    };
  });
}
