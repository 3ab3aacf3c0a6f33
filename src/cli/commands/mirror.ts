/** The mirror command: manifest → changed files → download, or extract → publish. */

import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseJson } from '../../contract/parse.ts';
import { META_FILE } from '../../contract/paths.ts';
import type { ListedFile } from '../../contract/site-file.ts';
import { secondsSince } from '../../contract/words.ts';
import { GamedataError, OutputError, UsageError } from '../../errors.ts';
import { createClient, type HttpClient } from '../../http/client.ts';
import { abortable } from '../../http/connections.ts';
import { extract, isArchive, readArchivedManifest } from '../../publish/mirror/archive.ts';
import { readManifest } from '../../publish/mirror/deployment.ts';
import { readMeta } from '../../publish/mirror/differences.ts';
import {
  type Downloaded,
  download,
  openPartialDownload,
  type PartialDownload,
} from '../../publish/mirror/download.ts';
import { type MirrorPlan, planMirror, refuseDamagedSite } from '../../publish/mirror/plan.ts';
import { type Output, type PublishResult, withOutput } from '../../publish/publish.ts';
import type { Published } from '../../publish/published.ts';
import { workFolders } from '../../publish/work-folders.ts';
import { isAddress, type Progress } from '../../sources/source.ts';
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
import type { SourceOptions } from './source-options.ts';

type Shared = 'concurrency' | 'retries' | 'allowMissing' | 'takeLock' | 'signal';

/** Every option is optional. */
export interface MirrorOptions extends Pick<SourceOptions, Shared> {
  /** The folder of the copy. Default: named after the host, such as `example.org`. */
  readonly out?: string | undefined;
  /** The percentage of a kind's records that may disappear from a copy. Default 1; any for an archive. */
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
  readonly files: PublishResult;
  readonly requests: number;
  readonly seconds: number;
}

/** How often the download is restarted if the site is redeployed meanwhile. */
const ROUNDS = 3;

/**
 * Copies a deployment into a folder, completely or not at all, downloading only what has changed. Restores an archive, with its
 * host configuration.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the copy is then unchanged
 */
export async function mirror(
  target: string,
  options: MirrorOptions = {},
  watchers: { onProgress?: (progress: Progress) => void } = {},
): Promise<MirrorReport> {
  const started = performance.now();
  const resolved = resolveMirror(target, options);
  return abortable(createClient(resolved), options.signal, (client) => {
    const run: Run = { ...resolved, ...watchers, client, signal: options.signal, started };
    return withOutput(run.out, (output) => copy(run, output), options);
  });
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
  // Whoever goes back to an archive wants just that.
  const maxShrink = options.maxShrink ?? (isAddress(address) ? defaults.maxShrink : 100);
  return {
    address,
    out: options.out ?? mirrorFolder(address),
    concurrency: integerOption('concurrency', options.concurrency ?? defaults.concurrency),
    retries: integerOption('retries', options.retries ?? defaults.retries),
    maxShrink: shrinkOption(maxShrink),
    allowMissing: recordNames(options.allowMissing),
  };
}

function checkSource(target: string): string {
  if (isAddress(target)) return checkAddress('address', target);
  throw new UsageError(
    `address: got ${JSON.stringify(masked(target))}, expected an http or https URL, or an archive (.tar.gz)`,
  );
}

interface Run extends ReturnType<typeof resolveMirror> {
  readonly client: HttpClient;
  readonly signal: AbortSignal | undefined;
  readonly started: number;
  readonly onProgress?: (progress: Progress) => void;
}

async function readPlan(run: Run, published: Published): Promise<MirrorPlan> {
  const { address, client } = run;
  if (!isAddress(address)) return planMirror(await readArchivedManifest(address), published, () => false);
  const plan = planMirror(await readManifest(client, address), published);
  await refuseOtherBase(run, published, plan);
  return plan;
}

/** What was rebased or built here is not replaced by the site of another base URL. */
async function refuseOtherBase(
  { address, client, out }: Run,
  own: Published,
  plan: MirrorPlan,
): Promise<void> {
  if (own.making?.inputs === undefined || !own.meta) return;
  const served = await readMeta(client, address, plan);
  if (!served || served.base_url === own.meta.base_url) return;
  throw new OutputError(
    `has the base URL ${own.meta.base_url}, and would get that of the deployment, ${served.base_url}`,
    out,
    { hint: 'Mirror into another folder, and rebase that one with --out.' },
  );
}

async function copy(run: Run, output: Output): Promise<MirrorReport> {
  const { signal } = run;
  refuseOtherFolder(output, 'site');
  const received = openPartialDownload(workFolders(run.out).received);
  const downloaded: Downloaded = { files: 0, bytes: 0, resumed: 0 };
  const plan = await receive(run, output.published, { received, downloaded });
  const own = plan.files.find((entry) => entry.path === META_FILE);
  const meta = own && received.has(own) ? parseJson(`${received.read(own)}`) : own && output.published.meta;
  refuseDamagedSite({ ...run, published: output.published, files: plan.files, meta });
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
    files,
    requests: run.client.stats.requests,
    seconds: secondsSince(run.started),
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
  if (!isAddress(run.address)) {
    await extract(run.address, plan.fetch, into.received.put);
    const bytes = plan.fetch.reduce((sum, entry) => sum + entry.bytes, 0);
    Object.assign(into.downloaded, { files: plan.fetch.length, bytes });
    return plan;
  }
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
