import { autoSource } from './auto.ts';
import { csvSource } from './csv.ts';
import { restSource } from './rest.ts';
import { siteSource } from './site.ts';
import { snapshotSource } from './snapshot.ts';
import type { Source, SourceName } from './source.ts';

const sources: Record<SourceName, Source> = {
  auto: autoSource,
  rest: restSource,
  csv: csvSource,
  snapshot: snapshotSource,
  site: siteSource,
};

/** Loads a data set from the source that is named in the context. */
export const loadSource: Source = (context) => sources[context.source](context);
