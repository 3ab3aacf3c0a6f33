/** How a deployment differs from a built site: the question after each deploy. */

import pLimit from 'p-limit';
import type { Manifest, ManifestEntry } from '../../contract/meta.ts';
import { isHostFile, MANIFEST_FILE, META_FILE } from '../../contract/paths.ts';
import { GamedataError } from '../../errors.ts';
import type { HttpClient } from '../../http/client.ts';
import { readFile, readManifest } from './deployment.ts';

/** How many files are compared by their hashes, besides the manifest, which has the hash of every file. */
const SAMPLE = 100;

/**
 * Compares what a deployment serves with the manifest of a site: the manifests, `meta.json`, and a sample of other files.
 *
 * @param offset which files are in the sample: another one each time finds more
 * @returns what differs, `meta.json` first; empty if nothing does
 */
export async function findDifferences(
  client: HttpClient,
  address: string,
  { site, concurrency, offset }: { site: Manifest; concurrency: number; offset: number },
): Promise<string[]> {
  const listed = site.files.filter(({ path }) => !isHostFile(path));
  const description = listed.filter(({ path }) => path === META_FILE);
  const step = Math.max(1, Math.ceil(listed.length / SAMPLE));
  const sample = listed.filter(({ path }, at) => path !== META_FILE && at % step === offset % step);
  const served = await problemOf(() => readManifest(client, address));
  const differs =
    typeof served === 'object' && JSON.stringify(served.files) !== JSON.stringify(site.files)
      ? [`${MANIFEST_FILE}: is that of another build`]
      : [];
  const check = async (entry: ManifestEntry): Promise<string | undefined> => {
    const problem = await problemOf(() => readFile(client, address, entry));
    return typeof problem === 'string' ? problem : undefined;
  };
  const unread = typeof served === 'string' ? [served] : [];
  const described = await pLimit(1).map(description, check);
  const sampled = await pLimit(concurrency).map(sample, check);
  return [...unread, ...described, ...differs, ...sampled].filter((problem) => problem !== undefined);
}

/** What fails is a difference, too: a deployment may be on its way. */
async function problemOf<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof GamedataError) return error.message;
    throw error;
  }
}
