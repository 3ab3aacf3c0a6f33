import { type Kind, mapKinds } from '../contract/kinds.ts';
import type { Entries, Meta } from '../contract/meta.ts';
import {
  CHANGES_FILE,
  FORMER_FILE,
  findSlugs,
  META_FILE,
} from '../contract/paths.ts';
import { emptyHistory } from '../dataset/history.ts';
import { mergeOldSlugs, noOldSlugs, type OldSlugs } from '../dataset/old-slugs.ts';
import { type PastWithNotices, RESTART } from '../dataset/past.ts';
import type { Previous } from '../dataset/update.ts';
import { GamedataError, OutputError } from '../errors.ts';
import { ignoreDamage } from './damage.ts';
import { parseMeta } from './own-files.ts';
import {
  readAddresses,
  readHistory,
  readOldSlugs,
  readRecords,
  readRedirects,
  readSiteNames,
  readUnverifiedHistory,
  readUnverifiedOldSlugs,
  type SiteFiles,
} from './site-data.ts';
import type { SiteStorage } from './storage.ts';
import { TextDamageError } from './text-damage.ts';
import { readVerified } from './verified-files.ts';

/**
 * Reads the `meta.json` of the site in the user's output folder.
 *
 * @returns undefined if the file is missing, invalid, or different from its manifest
 * entry
 */
export function readPublishedMeta(
  storage: SiteStorage,
  entries: Entries,
): Meta | undefined {
  return ignoreDamage(() => {
    const body = readVerified(storage, entries, META_FILE);
    return parseMeta(storage, body);
  });
}

/** The site that a build replaces, in the form of a previous data set. */
export interface PreviousSite extends Previous {
  readonly storage: SiteStorage;
  readonly entries: Entries;
}

/** The parts of a published site that are read before its data. */
interface PublishedFiles {
  /**
   * Undefined if `meta.json` is damaged. In that case, only the list of files is
   * available.
   */
  readonly meta?: Meta | undefined;
  readonly entries: Entries;
}

/**
 * Reads the published site as the previous data set. Damaged data is returned as
 * undefined, because the build replaces it anyway.
 *
 * @returns undefined if nothing is published
 */
export function readPreviousSite(
  storage: SiteStorage,
  { meta, entries }: PublishedFiles,
): PreviousSite | undefined {
  if (entries.size === 0) return undefined;
  const paths = [...entries.keys()];
  const files: SiteFiles = { storage, entries, meta };
  const countFiles = (kind: Kind): number => findSlugs(kind, paths).length;
  const summary = meta ?? {
    digest: '',
    captured: null,
    counts: mapKinds(countFiles),
  };
  return {
    ...summary,
    storage,
    entries,
    records: () => ignoreDamage(() => readRecords(files)),
    listed: () => readAddresses(files),
    readNames: (records) => ignoreDamage(() => readSiteNames(files, records)),
    readPast: (mayBeLost) => readPublishedPast(files, mayBeLost),
  };
}

/**
 * Reads the history and the old slugs of the published site in the user's output
 * folder.
 *
 * Both files usually match the manifest. If a build was interrupted and its staging
 * folder is lost, they may already belong to the next site. In that case, we use as
 * much of them as is well-formed: history steps after the published data are
 * dropped, and the old slugs are merged with the published redirects, so that no
 * redirect is lost.
 *
 * @throws OutputError if the old slugs cannot be read but must not be lost
 */
function readPublishedPast(files: SiteFiles, mayBeLost: boolean): PastWithNotices {
  const { history, notices: historyNotices } = readPublishedHistory(files);
  const { oldSlugs, notices: slugNotices } = readPublishedOldSlugs(files, mayBeLost);
  return { history, oldSlugs, notices: [...historyNotices, ...slugNotices] };
}

export const INTERRUPTED =
  'differs from the manifest, as after an interrupted build';

type HistoryWithNotices = Pick<PastWithNotices, 'history' | 'notices'>;

function readPublishedHistory(files: SiteFiles): HistoryWithNotices {
  const history = ignoreDamage(() => readHistory(files));
  if (history) return { history, notices: [] };
  const unverified = ignoreDamage(() => readUnverifiedHistory(files));
  if (!unverified) return { history: emptyHistory, notices: [RESTART] };
  const notice = `${CHANGES_FILE} ${INTERRUPTED}: its steps up to the published data are kept`;
  return { history: unverified, notices: [notice] };
}

type OldSlugsWithNotices = Pick<PastWithNotices, 'oldSlugs' | 'notices'>;

function readPublishedOldSlugs(
  files: SiteFiles,
  mayBeLost: boolean,
): OldSlugsWithNotices {
  const oldSlugs = ignoreDamage(() => readOldSlugs(files));
  if (oldSlugs) return { oldSlugs, notices: [] };
  const redirects = ignoreDamage(() => readRedirects(files)) ?? noOldSlugs;
  const unverified = ignoreDamage(() => readUnverifiedOldSlugs(files));
  if (unverified) {
    const notice = `${FORMER_FILE} ${INTERRUPTED}: its old slugs are added to the published redirects`;
    return { oldSlugs: mergeOldSlugs(unverified, redirects), notices: [notice] };
  }
  if (mayBeLost) return { oldSlugs: redirects, notices: [] };
  const site: RestorableSite = {
    name: files.storage.name,
    wayOut: 'Restore an archive of the site with gamedata mirror <archive>',
  };
  // Reading the file again throws the original error, now with a hint on how to
  // restore the site.
  return { oldSlugs: withRestoreHint(site, () => readOldSlugs(files)), notices: [] };
}

interface RestorableSite {
  readonly name: string;
  /**
   * An imperative without a period that explains how to get a site with undamaged
   * old slugs.
   */
  readonly wayOut: string;
}

/**
 * Reads old slugs. If they are damaged, throws an error with a hint on how to
 * restore them, because without them, published URLs would return 404.
 *
 * @param mayBeLost whether to drop damaged old slugs instead of throwing
 */
export function withRestoreHint(
  site: RestorableSite,
  read: () => OldSlugs,
  mayBeLost = false,
): OldSlugs {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof GamedataError)) throw cause;
    if (mayBeLost) return noOldSlugs;
    if (cause instanceof TextDamageError) throw cause;
    const problem = `has old slugs that cannot be read: ${cause.message}`;
    const hint = `${site.wayOut}, or drop every redirect with --forget-history.`;
    throw new OutputError(problem, site.name, { cause, hint });
  }
}
