import type { Source, SourceName } from '../upstream/source.ts';

async function importAuto(): Promise<Source> {
  const { createAutoSource } = await import('../upstream/auto.ts');
  const { snapshotSource } = await import('./snapshot.ts');
  return createAutoSource(snapshotSource);
}

/**
 * Imports a source's module on demand, because each command needs only one source.
 */
const importSource: Record<SourceName, () => Promise<Source>> = {
  auto: importAuto,
  rest: async () => (await import('../upstream/rest.ts')).restSource,
  csv: async () => (await import('../upstream/csv.ts')).csvSource,
  snapshot: async () => (await import('./snapshot.ts')).snapshotSource,
  site: async () => (await import('./site.ts')).siteSource,
};

/** Loads a data set from the source that is named in the context. */
export const loadSource: Source = async (context) => {
  const source = await importSource[context.source]();
  return source(context);
};
