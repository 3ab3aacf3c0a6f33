/** The story of a mirror: manifest → what has changed → received → published in one go. */

import { performance } from 'node:perf_hooks';
import type { ListedFile } from './contract/site.ts';
import { GamedataError } from './errors.ts';
import { createClient } from './http/client.ts';
import { readManifest } from './mirror/deployment.ts';
import { download, type Travelled } from './mirror/download.ts';
import { type MirrorPlan, planMirror } from './mirror/plan.ts';
import { openReceived, type Received } from './mirror/received.ts';
import { type MirrorOptions, type ResolvedMirror, resolveMirror } from './options.ts';
import { type Output, type PublishResult, withOutput } from './output/publish.ts';
import { type Published, readPublished, refuseStrangers } from './output/published.ts';
import { workFolders } from './output/work-folders.ts';
import type { Progress } from './sources/source.ts';

export interface MirrorReport {
  readonly address: string;
  /** The folder of the copy, as it was named. */
  readonly out: string;
  /** True where this only says what would be done. */
  readonly dryRun: boolean;
  /** Whether the copy was, or would be, changed. */
  readonly changed: boolean;
  /** Files that travelled, or would; `resumed` were received by a run that was broken off. */
  readonly travelled: Readonly<Travelled>;
  /** Paths that were, or would be, fetched and removed. */
  readonly fetched: readonly string[];
  readonly removed: readonly string[];
  /** Hosts' configuration, which no deployment hands out. */
  readonly leftOut: readonly string[];
  /** What became of the copy's files; null where nothing was done. */
  readonly files: PublishResult | null;
  readonly requests: number;
  readonly seconds: number;
}

/** A site that is deployed anew while it is copied is begun with again, this often at most. */
const ROUNDS = 3;

/**
 * Copies a deployment into a folder: whole or not at all, and no file that is there already.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the copy is then the old one, untouched
 */
export async function mirror(
  target: string,
  options: MirrorOptions = {},
  watchers: { onProgress?: (progress: Progress) => void } = {},
): Promise<MirrorReport> {
  const resolved = resolveMirror(target, options);
  const { signal } = options;
  signal?.throwIfAborted();
  const client = createClient(resolved);
  const stop = (): void => void client.close();
  signal?.addEventListener('abort', stop);
  const run: Run = { ...resolved, ...watchers, client, signal, started: performance.now() };
  try {
    if (resolved.dryRun) return await rehearse(run);
    return await withOutput(resolved.out, (output) => copy(run, output));
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    await client.close();
  }
}

interface Run extends ResolvedMirror {
  readonly client: ReturnType<typeof createClient>;
  readonly signal: AbortSignal | undefined;
  readonly started: number;
  readonly onProgress?: (progress: Progress) => void;
}

/** Says what would be done, and does nothing. */
async function rehearse(run: Run): Promise<MirrorReport> {
  const folders = workFolders(run.out);
  const published = readPublished(folders);
  refuseStrangers(folders, published);
  const plan = planMirror(await readManifest(run.client, run.address), published);
  const bytes = plan.fetch.reduce((sum, entry) => sum + entry.bytes, 0);
  return createReport(run, plan, { travelled: { files: plan.fetch.length, bytes, resumed: 0 } });
}

async function copy(run: Run, output: Output): Promise<MirrorReport> {
  const { signal } = run;
  const folders = workFolders(run.out);
  refuseStrangers(folders, output.published);
  const received = openReceived(folders.received);
  const travelled: Travelled = { files: 0, bytes: 0, resumed: 0 };
  const plan = await receive(run, output.published, { received, travelled });
  const files = plan.files.map((entry): ListedFile => ({ ...entry, make: () => received.read(entry) }));
  const result = await output.publish(files, { signal, generator: plan.generator });
  received.clear();
  return createReport(run, plan, { travelled, result });
}

/** Fetches what is missing; where that fails because the site has been replaced meanwhile, what the new one misses. */
async function receive(
  run: Run,
  published: Published,
  into: { received: Received; travelled: Travelled },
): Promise<MirrorPlan> {
  let manifest = await readManifest(run.client, run.address);
  for (let round = 1; ; round++) {
    const plan = planMirror(manifest, published);
    try {
      await download(plan.fetch, { ...run, ...into });
      return plan;
    } catch (error) {
      if (!(error instanceof GamedataError) || round === ROUNDS || run.signal?.aborted) throw error;
      const next = await readManifest(run.client, run.address).catch(() => manifest);
      if (JSON.stringify(next) === JSON.stringify(manifest)) throw error;
      manifest = next;
    }
  }
}

function createReport(
  { address, out, dryRun, client, started }: Run,
  { fetch, remove, leftOut }: MirrorPlan,
  { travelled, result }: { travelled: Travelled; result?: PublishResult },
): MirrorReport {
  return {
    address,
    out,
    dryRun,
    changed: result?.changed ?? fetch.length + remove.length > 0,
    travelled,
    fetched: fetch.map(({ path }) => path),
    removed: remove,
    leftOut,
    files: result ?? null,
    requests: client.stats.requests,
    seconds: Math.round(performance.now() - started) / 1000,
  };
}
