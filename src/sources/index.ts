import type { Source, SourceName } from './source.ts';

/**
 * Imports a source's module on demand, because each command needs only one source.
 */
const importSource: Record<SourceName, () => Promise<Source>> = {
  auto: async () => (await import('./auto.ts')).autoSource,
  rest: async () => (await import('./rest.ts')).restSource,
  csv: async () => (await import('./csv.ts')).csvSource,
  snapshot: async () => (await import('./snapshot.ts')).snapshotSource,
  site: async () => (await import('./site.ts')).siteSource,
};

/** Loads a data set from the source that is named in the context. */
export const loadSource: Source = async (context) => {
  const source = await importSource[context.source]();
  return source(context);
};
