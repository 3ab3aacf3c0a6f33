import { kindNames } from '../contract/kinds.ts';
import { LAST_INDEXED_GENERATION } from '../contract/records.ts';
import type { DataSet } from '../dataset/data-set.ts';
import { UpstreamError } from '../errors.ts';
import { csv } from './csv.ts';
import { DEFAULT_UPSTREAM, rest } from './rest.ts';
import { site } from './site.ts';
import { snapshot } from './snapshot.ts';
import type { Source, SourceName } from './source.ts';

/** Reads the upstream, or the bundled data set if the upstream is unreachable. An invalid response is an error. */
const auto: Source = async (context) => {
  try {
    // The user may simply be offline.
    return await rest({ ...context, firstRetries: 1 });
  } catch (error) {
    if (!(error instanceof UpstreamError && error.request.unreachable)) throw error;
    const loaded = await snapshot({ ...context, upstream: context.dataFolder });
    const reason = `${context.upstream ?? DEFAULT_UPSTREAM} could not be reached`;
    const fallback = `${reason}: built from ${describeAge(loaded.dataSet)}`;
    context.onFallback?.(fallback, error);
    return { ...loaded, fallback };
  }
};

const sources = { auto, rest, csv, snapshot, site } satisfies Record<SourceName, Source>;

export const loadSource: Source = (context) => sources[context.source](context);

function describeAge({ records, provenance }: DataSet): string {
  const all = kindNames.flatMap((kind) => records[kind]);
  const generations = all.flatMap((record) => ('generation' in record ? [record.generation] : []));
  generations.sort((a, b) => a - b);
  const [first = 0, last = first] = [generations[0], generations.at(-1)];
  const missing = last < LAST_INDEXED_GENERATION ? '; the live upstream has more' : '';
  return `bundled data from ${provenance.captured}, generations ${first} to ${last}${missing}`;
}
