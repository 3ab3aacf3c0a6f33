import type { Source, SourceName } from './source.ts';

/**
 * Imports a source's module on demand, because each command needs only one source.
 */
const importSource: Record<SourceName, () => Promise<Source>> = {
  auto: async () => {
    const { createAutoSource } = await import('./auto.ts');
    return createAutoSource(loadSnapshot);
  },
  rest: async () => (await import('./rest.ts')).restSource,
  csv: async () => (await import('./csv.ts')).csvSource,
  snapshot: async () => (await import('./snapshot.ts')).snapshotSource,
};

const loadSnapshot: Source = (context) =>
  loadSource({ ...context, source: 'snapshot' });

/** Loads a data set from the source that is named in the context. */
export const loadSource: Source = async (context) => {
  const source = await importSource[context.source]();
  return source(context);
};
