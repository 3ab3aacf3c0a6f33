/** Copies a deployment: manifest → changed files → download → guards → publish. */

import { MANIFEST_FILE } from '../../contract/paths.ts';
import { secondsSince } from '../../contract/words.ts';
import type { GuardOptions, Missing } from '../../dataset/guards.ts';
import { abortable, createClient } from '../../http/client.ts';
import { readOneBuild } from '../../sources/site/deployment.ts';
import { folderPlace, type Place } from '../../sources/site/place.ts';
import { openSite, previousOfSite } from '../../sources/site/read.ts';
import type { Progress } from '../../sources/source.ts';
import type { Output, PublishResult } from '../publish.ts';
import { workFolders } from '../work-folders.ts';
import { download, openPartialDownload, type PartialDownload } from './download.ts';
import { guardCopy, type MirrorPlan, planMirror } from './plan.ts';

export interface MirrorReport {
  /** The URL of the deployment, or the archive. */
  readonly address: string;
  /** The folder of the copy as the user named it. */
  readonly out: string;
  readonly changed: boolean;
  /** Files that were downloaded; `resumed` ones by an interrupted run before this one. */
  readonly downloaded: Readonly<Record<'files' | 'bytes' | 'resumed', number>>;
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

export interface CopyOptions extends Pick<GuardOptions, 'maxShrink' | 'allowMissing'> {
  /** The URL of the deployment. */
  readonly address: string;
  readonly concurrency: number;
  readonly retries: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** @throws UpstreamError, DataError, GuardError or OutputError; the copy is then unchanged */
export function copyDeployment(output: Output, options: CopyOptions): Promise<MirrorReport> {
  const started = performance.now();
  const { address, signal, maxShrink, allowMissing, onProgress } = options;
  const { folder, name, published } = output;
  return abortable(createClient(options), signal, async (client) => {
    const received = openPartialDownload(workFolders(name), output.modes);
    const report = (done: number, total: number): void =>
      onProgress?.({ done, total, requests: { ...client.stats, cacheHits: 0 }, waiting: client.waiting });
    const plan = await readOneBuild(client, address, async (manifest) => {
      const planned = planMirror(manifest, published);
      await download(planned.fetch, { ...options, client, received }, report);
      return planned;
    });
    const site = openSite(placeOf(plan, received, folderPlace(folder, address)));
    const { missing, redirects } = guardCopy(site, previousOfSite(folderPlace(folder, name), published), {
      maxShrink,
      allowMissing,
      // What was built or rebased here is not replaced by the site of another base URL, unless that is the one that was asked for.
      isBaseUrlNamed: published.making?.inputs === undefined || site.meta.base_url === address,
      baseUrlHint: 'Mirror into another folder, and rebase that one with --out.',
    });
    const copied = plan.files.map((entry) => ({ ...entry, make: () => received.read(entry) }));
    const files = await output.publish(copied, { signal, making: { generator: plan.generator } });
    received.clear();
    return {
      address,
      out: name,
      changed: files.changed,
      downloaded: received.downloaded,
      fetched: plan.fetch.map(({ path }) => path),
      removed: plan.remove,
      excluded: plan.excluded,
      missing,
      lostRedirects: redirects,
      leftBehind: [],
      notices: output.notices,
      files,
      requests: client.stats.requests,
      seconds: secondsSince(started),
    };
  });
}

/** The copy as it will be: what was received, and what stays. */
function placeOf({ generator, files }: MirrorPlan, received: PartialDownload, published: Place): Place {
  const listed = new Map(files.map((entry) => [entry.path, entry]));
  const manifest = Buffer.from(JSON.stringify({ generator, files }));
  return {
    ...published,
    at: (file) => `${published.name}/${file}`,
    read(file) {
      if (file === MANIFEST_FILE) return manifest;
      const entry = listed.get(file);
      if (!entry) throw Object.assign(new Error('not listed'), { code: 'ENOENT' });
      return received.has(entry) ? Buffer.from(received.read(entry)) : published.read(file);
    },
  };
}
