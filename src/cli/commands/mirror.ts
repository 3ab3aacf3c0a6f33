/** The mirror command: manifest → changed files → download → publish. An archive is a site that is built anew. */

import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { MANIFEST_FILE } from '../../contract/paths.ts';
import type { ListedFile } from '../../contract/site-file.ts';
import { secondsSince } from '../../contract/words.ts';
import type { Missing } from '../../dataset/guards.ts';
import { GamedataError, UsageError } from '../../errors.ts';
import { abortable, createClient, type HttpClient } from '../../http/client.ts';
import {
  type Downloaded,
  download,
  openPartialDownload,
  type PartialDownload,
} from '../../publish/mirror/download.ts';
import { guardCopy, type MirrorPlan, planMirror } from '../../publish/mirror/plan.ts';
import { type Output, type PublishResult, withOutput } from '../../publish/publish.ts';
import type { Published } from '../../publish/published.ts';
import { workFolders } from '../../publish/work-folders.ts';
import type { Watchers } from '../../sources/capture.ts';
import { fetchManifest } from '../../sources/site/deployment.ts';
import { folderPlace, isArchive, type Place } from '../../sources/site/place.ts';
import { openSite, previousOfSite } from '../../sources/site/read.ts';
import { isAddress } from '../../sources/source.ts';
import {
  checkAddress,
  integerOption,
  masked,
  recordNames,
  refuseUnknown,
  shrinkOption,
} from './check-options.ts';
import { refuseOtherFolder } from './check-output.ts';
import { defaults } from './defaults.ts';
import { type RemakeOptions, remake } from './rebase.ts';
import type { SourceOptions } from './source-options.ts';

type Shared = 'concurrency' | 'retries' | 'allowMissing' | 'takeLock' | 'signal';

/** Every option is optional. */
export interface MirrorOptions extends Pick<SourceOptions, Shared> {
  /** The folder of the copy. Default: named after the host, such as `example.org`. */
  readonly out?: string | undefined;
  /** The percentage of a kind's records that may disappear from a copy. Default 1. */
  readonly maxShrink?: number | undefined;
}

export interface MirrorReport {
  /** The URL of the deployment, or the archive. */
  readonly address: string;
  /** The folder of the copy as the user named it. */
  readonly out: string;
  /** Whether the copy was changed. */
  readonly changed: boolean;
  /** Files that were downloaded; `resumed` ones by an interrupted run before this one. */
  readonly downloaded: Readonly<Downloaded>;
  /** Paths that were downloaded and removed. */
  readonly fetched: readonly string[];
  readonly removed: readonly string[];
  /** Host configuration, which deployments do not serve. */
  readonly excluded: readonly string[];
  /** Records that are gone, and redirects that the deployment has lost, as `<kind>/<slug>`. */
  readonly missing: Missing;
  readonly lostRedirects: readonly string[];
  /** Files of an archive that the site does not have. */
  readonly leftBehind: readonly string[];
  readonly notices: readonly string[];
  readonly files: PublishResult;
  readonly requests: number;
  readonly seconds: number;
}

/** How often the download is restarted if the site is redeployed meanwhile. */
const ROUNDS = 3;

/**
 * Copies a deployment into a folder, completely or not at all, downloading only what has changed. An archive is restored: the site is
 * built from its records as it was made, for the same base URL.
 *
 * @throws UsageError, UpstreamError, DataError, GuardError or OutputError; the copy is then unchanged
 */
export async function mirror(
  target: string,
  options: MirrorOptions = {},
  watchers: Watchers = {},
): Promise<MirrorReport> {
  const started = performance.now();
  const resolved = resolveMirror(target, options);
  const { signal, takeLock } = options;
  if (!isAddress(resolved.address))
    return restore(resolved.address, { ...resolved, signal, takeLock }, watchers);
  return abortable(createClient(resolved), signal, (client) => {
    const run: Run = { ...resolved, ...watchers, client, signal, started };
    return withOutput(run.out, (output) => copy(run, output), { takeLock, ...watchers });
  });
}

/** Goes back to an archive, as `rebase` does from a copy. */
async function restore(
  archive: string,
  { out, ...options }: RemakeOptions,
  watchers: Watchers,
): Promise<MirrorReport> {
  const build = `gamedata build --source site --upstream ${archive} --out ${out}`;
  const hints = {
    hint: (allowed: string) => `To go back all the same: gamedata mirror ${archive} ${out} ${allowed}`,
    baseUrlHint: `To restore its data for another base URL: ${build} --base-url <url>`,
  };
  const made = await remake(archive, { ...options, ...hints, out }, watchers);
  const { changed, missing, leftBehind, notices, files, seconds } = made;
  return {
    ...{ address: archive, out, changed, missing, leftBehind, notices, seconds },
    ...{ downloaded: { files: 0, bytes: 0, resumed: 0 }, fetched: [], removed: [], excluded: [] },
    ...{ lostRedirects: [], files: { changed, ...files }, requests: 0 },
  };
}

/** The folder of a copy that is not given one: `example.org`, or the archive's name. */
export const mirrorFolder = (source: string): string =>
  isArchive(source)
    ? path.basename(source).replace(/\.(?:tar\.gz|tgz)$/, '')
    : source.replace(/^https?:\/\/|\/+$/gi, '').replace(/[^\w.-]+/g, '-');

/** Applies defaults and checks. Throws `UsageError`. */
export function resolveMirror(target: string, options: MirrorOptions) {
  refuseUnknown(options, 'out maxShrink concurrency retries allowMissing takeLock signal');
  const address = isArchive(target) && !isAddress(target) ? target : checkSource(target);
  return {
    address,
    out: options.out ?? mirrorFolder(address),
    concurrency: integerOption('concurrency', options.concurrency ?? defaults.concurrency),
    retries: integerOption('retries', options.retries ?? defaults.retries),
    maxShrink: shrinkOption(options.maxShrink ?? defaults.maxShrink),
    allowMissing: recordNames(options.allowMissing),
  };
}

function checkSource(target: string): string {
  if (isAddress(target)) return checkAddress('address', target);
  throw new UsageError(
    `address: got ${JSON.stringify(masked(target))}, expected an http or https URL, or an archive (.tar.gz)`,
  );
}

interface Run extends ReturnType<typeof resolveMirror>, Watchers {
  readonly client: HttpClient;
  readonly signal: AbortSignal | undefined;
  readonly started: number;
}

const readPlan = async ({ address, client }: Run, published: Published): Promise<MirrorPlan> =>
  planMirror(await fetchManifest(client, address), published);

async function copy(run: Run, output: Output): Promise<MirrorReport> {
  const { address, signal, maxShrink, allowMissing } = run;
  refuseOtherFolder(output, 'site');
  const received = openPartialDownload(workFolders(run.out).received, output.modes);
  const downloaded: Downloaded = { files: 0, bytes: 0, resumed: 0 };
  const { published } = output;
  const plan = await receive(run, published, { received, downloaded });
  const site = openSite(placeOf(plan, received, { ...output, name: address }));
  const { missing, redirects } = guardCopy(
    site,
    previousOfSite(folderPlace(output.folder, output.name), published),
    {
      maxShrink,
      allowMissing,
      // What was built or rebased here is not replaced by the site of another base URL, unless that is the one that was asked for.
      isBaseUrlNamed: published.making?.inputs === undefined || site.meta.base_url === address,
      baseUrlHint: 'Mirror into another folder, and rebase that one with --out.',
    },
  );
  const making = { generator: plan.generator };
  const files = await output.publish(filesOf(plan, received), { signal, making });
  received.clear();
  return {
    address: run.address,
    out: run.out,
    changed: files.changed,
    downloaded,
    fetched: plan.fetch.map(({ path }) => path),
    removed: plan.remove,
    excluded: plan.excluded,
    missing,
    lostRedirects: redirects,
    leftBehind: [],
    notices: output.notices,
    files,
    requests: run.client.stats.requests,
    seconds: secondsSince(run.started),
  };
}

/** The copy as it will be: what was received, and what stays. */
function placeOf(
  { generator, files }: MirrorPlan,
  received: PartialDownload,
  { folder, name }: Pick<Output, 'folder' | 'name'>,
): Place {
  const published = folderPlace(folder, name);
  const listed = new Map(files.map((entry) => [entry.path, entry]));
  const manifest = Buffer.from(JSON.stringify({ generator, files }));
  return {
    ...published,
    read(file) {
      if (file === MANIFEST_FILE) return manifest;
      const entry = listed.get(file);
      if (!entry) throw Object.assign(new Error('not listed'), { code: 'ENOENT' });
      return received.has(entry) ? Buffer.from(received.read(entry)) : published.read(file);
    },
  };
}

const filesOf = ({ files }: MirrorPlan, received: PartialDownload): ListedFile[] =>
  files.map((entry) => ({ ...entry, make: () => received.read(entry) }));

/** Downloads what is missing, and starts over if that fails because the site has been redeployed. */
async function receive(
  run: Run,
  published: Published,
  into: { received: PartialDownload; downloaded: Downloaded },
): Promise<MirrorPlan> {
  let plan = await readPlan(run, published);
  const { client, onProgress } = run;
  const report = (done: number, total: number): void =>
    onProgress?.({ done, total, requests: { ...client.stats, cacheHits: 0 }, waiting: client.waiting });
  for (let round = 1; ; round++) {
    try {
      await download(plan.fetch, { ...run, ...into, onProgress: report });
      return plan;
    } catch (error) {
      if (!(error instanceof GamedataError) || round === ROUNDS || run.signal?.aborted) throw error;
      const next = await readPlan(run, published).catch(() => plan);
      if (JSON.stringify(next) === JSON.stringify(plan)) throw error;
      plan = next;
    }
  }
}
