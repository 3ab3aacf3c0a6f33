/** Whether the cache is of the present edition: one request that saves thousands. */

import * as z from 'zod';
import { parseEdition } from '../contract/edition.ts';
import { parseJson, show } from '../contract/parse.ts';
import { UpstreamError } from '../errors.ts';
import type { Fetcher } from '../http/fetcher.ts';

/** What it says: whether that makes sense, is asked afterwards. */
const metaSchema = z.object({ hash: z.unknown(), deploy_date: z.unknown() }).partial().catch({});

export interface CachedEdition {
  /** Whether the last run has read the present edition. */
  readonly isPresent: boolean;
  /** What the upstream says about itself, if that makes no sense. */
  readonly notices: readonly string[];
}

/**
 * Asks the upstream for its edition, if the cache has all of one. An upstream that does not say is read as a whole.
 *
 * @throws UpstreamError if it cannot be reached
 */
export async function checkCachedEdition(
  { lastEdition, ask }: Fetcher,
  upstream: string,
  retries: number | undefined,
): Promise<CachedEdition> {
  if (!lastEdition) return { isPresent: false, notices: [] };
  const url = `${upstream}/meta/`;
  let text: string;
  try {
    text = (await ask(url, { retries })).toString();
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.request.unreachable) throw error;
    return { isPresent: false, notices: [] };
  }
  const meta = parseJson(text);
  const { hash, deploy_date } = metaSchema.parse(meta);
  const edition = parseEdition(hash, deploy_date, Date.now());
  if (edition) return { isPresent: edition.hash === lastEdition.hash, notices: [] };
  const problem = `got ${show(meta ?? text)}: expected hash and deploy_date of an edition`;
  return { isPresent: false, notices: [`GET ${url}: ${problem}; ignored, every record was asked for`] };
}
