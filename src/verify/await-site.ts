import { setTimeout as sleep } from 'node:timers/promises';
import { getMaxBytes } from '../contract/limits.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { GamedataError } from '../errors.ts';
import type { SiteFolder } from '../site-folder.ts';
import type { Probe } from '../upstream/probe.ts';

export interface AwaitOptions {
  /**
   * How long to wait, in milliseconds. If undefined, the manifest is compared only
   * once.
   */
  readonly wait?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once if the deployment does not serve the site yet. */
  readonly onWait?: ((line: string) => void) | undefined;
}

/** The pause between comparisons doubles from the first value up to the last one. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5000;

/**
 * Waits until a deployment serves the manifest of the site in a folder.
 *
 * @throws GamedataError if the deployment does not serve it in time
 */
export async function awaitSite(
  probe: Probe,
  site: SiteFolder,
  { wait = 0, signal, onWait }: AwaitOptions,
): Promise<void> {
  const deadline = Date.now() + wait;
  for (let attempt = 0; ; attempt++) {
    try {
      await assertServed(probe, site);
      return;
    } catch (error) {
      const isBug = !(error instanceof GamedataError);
      if (isBug || Date.now() >= deadline) throw error;
      if (attempt === 0) onWait?.(`waiting: ${error.message}`);
    }
    const pauseMs = FIRST_PAUSE_MS * 2 ** attempt;
    await sleep(Math.min(pauseMs, LAST_PAUSE_MS), undefined, { signal });
  }
}

async function assertServed(probe: Probe, site: SiteFolder): Promise<void> {
  const manifest = await fetchManifest(probe);
  if (manifest?.equals(site.manifestBody)) return;
  const served = manifest ? 'a different' : 'no';
  throw new GamedataError(
    'data',
    `${probe.address}: does not serve the site in ${site.name}, because it has ${served} ${MANIFEST_FILE}`,
  );
}

/** Fetches a deployment's manifest. Returns undefined if there is none. */
export async function fetchManifest({ send }: Probe): Promise<Buffer | undefined> {
  const { status, body } = await send({
    path: `/${MANIFEST_FILE}`,
    maxBytes: getMaxBytes(MANIFEST_FILE),
  });
  return status === 200 ? body : undefined;
}
