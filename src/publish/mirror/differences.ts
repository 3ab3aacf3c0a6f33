/** How a deployment differs from a built site: the question after each deploy. */

import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { kindNames } from '../../contract/kinds.ts';
import { type Manifest, type ManifestEntry, type Meta, metaReader } from '../../contract/meta.ts';
import { parseJson } from '../../contract/parse.ts';
import { isHostFile, MANIFEST_FILE, META_FILE } from '../../contract/paths.ts';
import { counted, firstOf } from '../../contract/words.ts';
import { DataError, GamedataError, UpstreamError } from '../../errors.ts';
import { abortable, createClient, type HttpClient } from '../../http/client.ts';
import { fetchFile, fetchManifest } from '../../sources/site/deployment.ts';

/** How many files are compared by their hashes, besides the manifest, which has the hash of every file. */
const SAMPLE = 100;

export interface AwaitOptions {
  readonly site: { readonly meta: Meta; readonly manifest: Manifest };
  /** The folder of that site, as the user named it. */
  readonly like: string;
  readonly concurrency: number;
  /** In milliseconds since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with what differs, whenever that is something new. */
  readonly onWait?: ((line: string) => void) | undefined;
}

/** Waits until a deployment serves a site. Throws `DataError` if it does not by the deadline. */
export async function awaitSite(address: string, options: AwaitOptions): Promise<void> {
  const { like, concurrency, deadline, signal, onWait } = options;
  await abortable(createClient({ concurrency, retries: 1 }), signal, async (client) => {
    let told: string | undefined;
    for (let offset = 0; ; offset++) {
      const differences = await findDifferences(client, address, { ...options, offset });
      const found = tellOnce(differences);
      const [first] = found;
      if (first === undefined) return;
      const left = deadline - Date.now();
      const problem = `does not serve the site in ${like}: ${firstOf(found, 5)}`;
      const { hint } = differences.find((difference) => difference.hint) ?? {};
      if (left <= 0) throw new DataError(problem, { record: address }, { hint });
      if (first !== told) onWait?.(`waiting for ${address}: ${first}`);
      told = first;
      await sleep(Math.min(5000, left), undefined, { signal });
    }
  });
}

/** What is wrong with several URLs is said of the first, with the number of the others. */
function tellOnce(differences: readonly GamedataError[]): string[] {
  const groups = new Map<string, string[]>();
  for (const error of differences) {
    const problem = error instanceof UpstreamError ? error.problem : error.message;
    groups.set(problem, [...(groups.get(problem) ?? []), error.message]);
  }
  return Array.from(groups.values(), ([first = '', ...others]) =>
    others.length > 0 ? `${first} (and ${counted(others.length, 'other URL')})` : first,
  );
}

/**
 * Compares what a deployment serves with a built site: the manifests, `meta.json`, and a sample of other files.
 *
 * @param offset which files are in the sample: another one each time finds more
 * @returns what differs, `meta.json` first; empty if nothing does
 */
export async function findDifferences(
  client: HttpClient,
  address: string,
  { site, concurrency, offset }: Pick<AwaitOptions, 'site' | 'concurrency'> & { offset: number },
): Promise<GamedataError[]> {
  const listed = site.manifest.files.filter(({ path }) => !isHostFile(path));
  const step = Math.max(1, Math.ceil(listed.length / SAMPLE));
  const sample = listed.filter(({ path }, at) => path !== META_FILE && at % step === offset % step);
  const served = await fetchManifest(client, address).catch(failure);
  // Where nobody responds, one request says all.
  if (served instanceof UpstreamError && served.request.unreachable) return [served];
  const found = served instanceof GamedataError ? [served] : [];
  const check = (entry: ManifestEntry): Promise<GamedataError[]> =>
    fetchFile(client, address, entry).then(
      () => [],
      (error) => [failure(error)],
    );
  if ('files' in served && JSON.stringify(served.files) !== JSON.stringify(site.manifest.files)) {
    const entry = served.files.find(({ path }) => path === META_FILE);
    const body = entry && (await fetchFile(client, address, entry).catch(failure));
    const meta = metaReader.safeParse(parseJson(`${body}`)).data;
    if (meta && meta.digest !== site.meta.digest)
      return [new DataError(`serves ${describeData(meta)}, expected ${describeData(site.meta)}`, {})];
    found.push(new DataError(`${MANIFEST_FILE}: is that of another build`, {}));
  }
  for (const entry of listed) if (entry.path === META_FILE) found.unshift(...(await check(entry)));
  return [...found, ...(await pLimit(concurrency).map(sample, check)).flat()];
}

/** `sha256:0123456789ab… of 2026-01-02, 937 moves, 2,222 items` */
const describeData = ({ digest, captured, counts }: Meta): string =>
  [`${digest.slice(0, 19)}… of ${captured}`, ...kindNames.map((kind) => counted(counts[kind], kind))].join(
    ', ',
  );

/** What fails is a difference, too: a deployment may be on its way. */
function failure(error: unknown): GamedataError {
  if (error instanceof GamedataError) return error;
  throw error;
}
