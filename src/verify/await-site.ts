import { setTimeout as sleep } from 'node:timers/promises';
import { findMismatch, type Site } from '../built/read.ts';
import { kindNames } from '../contract/kinds.ts';
import { getMaxBytes } from '../contract/limits.ts';
import { type ManifestEntry, type Meta, manifestReader, metaReader } from '../contract/meta.ts';
import { parseOptional } from '../contract/parse.ts';
import {
  getBasePath,
  isServed,
  MANIFEST_FILE,
  META_FILE,
  parseRecordFile,
} from '../contract/paths.ts';
import { formatCount } from '../contract/words.ts';
import { DataError, GamedataError } from '../errors.ts';
import { MAX_BODY_BYTES } from '../http/body.ts';
import { closeOnAbort } from '../http/client.ts';
import { createProbe, type Probe, type ProbeResponse } from '../http/probe.ts';

interface AwaitOptions {
  readonly site: Site;
  readonly concurrency: number;
  /** Milliseconds since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Called whenever the first difference changes. */
  readonly onWait?: ((line: string) => void) | undefined;
}

/**
 * Waits until a deployment serves the files of a built site. Skips single records, which the guarantees check.
 *
 * @throws DataError if the deployment does not serve the site by the deadline
 */
export async function awaitSite(
  address: string,
  { site, concurrency, deadline, signal, onWait }: AwaitOptions,
): Promise<void> {
  await closeOnAbort(createProbe(address, { concurrency }), signal, async (probe) => {
    const base = getBasePath(site.meta.base_url);
    const pending = new Set(
      site.manifest.files.filter(({ path }) => isServed(path, base) && !parseRecordFile(path)),
    );
    let reported: string | undefined;
    for (let pause = 100; ; pause = Math.min(2 * pause, 5000)) {
      const difference = await findDifference(probe, site, pending);
      if (!difference) return;
      const { message, hint } = difference;
      const left = deadline - Date.now();
      if (left <= 0) {
        const problem = `does not serve the site in ${site.storage.name}: ${message}`;
        throw new DataError(problem, { record: address }, { hint });
      }
      if (message !== reported) onWait?.(`waiting for ${address}: ${message}`);
      reported = message;
      await sleep(Math.min(pause, left), undefined, { signal });
    }
  });
}

async function findDifference(
  probe: Probe,
  site: Site,
  pending: Set<ManifestEntry>,
): Promise<GamedataError | undefined> {
  try {
    await compareManifest(probe, site);
    await Promise.all(
      [...pending].map(async (entry) => {
        const { body } = await fetchFile(probe, entry.path, Math.max(MAX_BODY_BYTES, entry.bytes));
        const problem = findMismatch(entry, body);
        if (problem !== undefined) throw new DataError(problem, { record: entry.path });
        pending.delete(entry);
      }),
    );
    return undefined;
  } catch (error) {
    if (error instanceof GamedataError) return error;
    throw error;
  }
}

async function compareManifest(probe: Probe, { meta, manifest }: Site): Promise<void> {
  const { json } = await fetchFile(probe, MANIFEST_FILE, getMaxBytes(MANIFEST_FILE));
  const { files } = parseOptional(manifestReader, json) ?? {};
  if (JSON.stringify(files) === JSON.stringify(manifest.files)) return;
  const described = await fetchFile(probe, META_FILE, getMaxBytes(META_FILE));
  const served = parseOptional(metaReader, described.json);
  if (!served || served.digest === meta.digest)
    throw new DataError('is from a different build', { record: MANIFEST_FILE });
  throw new DataError(`serves ${describeData(served)}, expected ${describeData(meta)}`, {});
}

const describeData = ({ digest, captured, counts }: Meta): string =>
  `${digest.slice(0, 19)}… from ${captured}, ${kindNames.map((kind) => formatCount(counts[kind], kind)).join(', ')}`;

/** Follows one redirect within the deployment, because some hosts redirect `/docs/index.html` to `/docs/`. */
async function fetchFile(probe: Probe, file: string, maxBytes: number): Promise<ProbeResponse> {
  const path = `/${file.split('/').map(encodeURIComponent).join('/')}`;
  let response = await probe.send({ path, maxBytes });
  const location = response.header('location');
  const url = probe.address + path;
  const target = location && URL.canParse(location, url) ? new URL(location, url).href : '';
  if (response.status !== 200 && target.startsWith(`${probe.address}/`))
    response = await probe.send({ path: target.slice(probe.address.length), maxBytes });
  if (response.status === 200) return response;
  throw new DataError(`got status ${response.status}, expected 200`, { record: file });
}
