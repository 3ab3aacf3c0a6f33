import type { History } from '../contract/changes.ts';
import { CHANGES_FILE, FORMER_FILE } from '../contract/paths.ts';
import { emptyHistory } from '../dataset/history.ts';
import { mergeOldSlugs, noOldSlugs, type OldSlugs } from '../dataset/old-slugs.ts';
import { type Past, type PastWithNotices, RESTART } from '../dataset/past.ts';
import { GamedataError, OutputError } from '../errors.ts';
import { ignoreDamage } from './damage.ts';
import { TextDamageError } from './text-damage.ts';

/**
 * Reads the files that contain the past of a built site or of a snapshot. All
 * methods throw `OutputError` or `DataError` if a file is missing or damaged.
 */
export interface PastReader {
  /** The name of the site or the snapshot, for error messages. */
  readonly name: string;
  /** Reads the history, which must end at the data set. */
  history(): History;
  /**
   * Reads the history from a file that may be newer than the data set. Returns only
   * the steps that lead to the data set.
   */
  historyUpToData(): History;
  /** Reads the old slugs from a file that must match the manifest. */
  oldSlugs(): OldSlugs;
  /** Reads the old slugs from a file that need not match the manifest. */
  unverifiedOldSlugs(): OldSlugs;
  /** Reads the published redirects as old slugs. A snapshot has none. */
  redirects(): OldSlugs;
}

interface RestoreAdvice {
  /**
   * An imperative without a period that explains how to get undamaged old slugs.
   */
  readonly wayOut: string;
}

interface IntactPastOptions extends RestoreAdvice {
  /**
   * Whether all records of the source are used. The history covers all records, so
   * it does not apply if some of them are skipped.
   */
  readonly isComplete: boolean;
}

/**
 * Reads the past of a source. It must be intact, because anyone may have written it.
 *
 * @throws OutputError or DataError if a file is damaged
 */
export function readIntactPast(
  reader: PastReader,
  { isComplete, wayOut }: IntactPastOptions,
): Past {
  const history = isComplete ? reader.history() : emptyHistory;
  return { history, oldSlugs: readOldSlugs(reader, wayOut) };
}

interface PublishedPastOptions extends RestoreAdvice {
  /** Whether to continue without old slugs if they are damaged. */
  readonly mayBeLost: boolean;
}

/**
 * Reads the past of the site or snapshot in the user's own folder.
 *
 * Both files usually match the data. If an operator has restored one of them from
 * another build, they may belong to other data. In that case, we use as
 * much of them as is well-formed: history steps after the published data are
 * dropped, and the old slugs are merged with the published redirects, so that no
 * redirect is lost.
 *
 * @throws OutputError if the old slugs cannot be read but must not be lost
 */
export function readPublishedPast(
  reader: PastReader,
  options: PublishedPastOptions,
): PastWithNotices {
  const { history, notices: historyNotices } = readPublishedHistory(reader);
  const { oldSlugs, notices: slugNotices } = readPublishedSlugs(reader, options);
  return { history, oldSlugs, notices: [...historyNotices, ...slugNotices] };
}

const INTERRUPTED = 'does not match the other files, as after an interrupted build';

type HistoryWithNotices = Pick<PastWithNotices, 'history' | 'notices'>;

function readPublishedHistory(reader: PastReader): HistoryWithNotices {
  const history = ignoreDamage(() => reader.history());
  if (history) return { history, notices: [] };
  const keptHistory = ignoreDamage(() => reader.historyUpToData());
  if (!keptHistory) return { history: emptyHistory, notices: [RESTART] };
  const notice = `${CHANGES_FILE} ${INTERRUPTED}: its steps up to the published data are kept`;
  return { history: keptHistory, notices: [notice] };
}

type OldSlugsWithNotices = Pick<PastWithNotices, 'oldSlugs' | 'notices'>;

function readPublishedSlugs(
  reader: PastReader,
  { mayBeLost, wayOut }: PublishedPastOptions,
): OldSlugsWithNotices {
  const oldSlugs = ignoreDamage(() => reader.oldSlugs());
  if (oldSlugs) return { oldSlugs, notices: [] };
  const redirects = ignoreDamage(() => reader.redirects()) ?? noOldSlugs;
  const unverified = ignoreDamage(() => reader.unverifiedOldSlugs());
  if (unverified) {
    const notice = `${FORMER_FILE} ${INTERRUPTED}: its old slugs are kept`;
    return { oldSlugs: mergeOldSlugs(unverified, redirects), notices: [notice] };
  }
  if (mayBeLost) return { oldSlugs: redirects, notices: [] };
  // Reading the file again throws the original error, now with a hint.
  return { oldSlugs: readOldSlugs(reader, wayOut), notices: [] };
}

/**
 * Reads the old slugs. If they are damaged, throws an error with a hint on how to
 * restore them, because without them, published URLs would return 404.
 */
function readOldSlugs(reader: PastReader, wayOut: string): OldSlugs {
  try {
    return reader.oldSlugs();
  } catch (cause) {
    if (!(cause instanceof GamedataError)) throw cause;
    if (cause instanceof TextDamageError) throw cause;
    const problem = `has old slugs that cannot be read: ${cause.message}`;
    const hint = `${wayOut}, or drop every redirect with --forget-history.`;
    throw new OutputError(problem, reader.name, { cause, hint });
  }
}
