import type { Names } from '../../contract/names.ts';
import { namesFile, SEARCH_FILE } from '../../contract/paths.ts';
import type { SearchIndex } from '../../contract/served.ts';
import { fetchJson, siteRoot } from '../shared/dom.ts';
import type { SearchEngine } from './search-engine.ts';

/**
 * Caches the results of a loading function. Failures are not cached, so the next
 * call tries again.
 */
function once<Args extends readonly string[], T>(
  load: (...args: Args) => Promise<T>,
): typeof load {
  const loaded = new Map<string, Promise<T>>();
  return (...args) => {
    const key = args.join();
    const loading = loaded.get(key) ?? load(...args);
    loaded.set(key, loading);
    loading.catch(() => loaded.delete(key));
    return loading;
  };
}

export const loadSearchEngine = once(async (): Promise<SearchEngine> => {
  const [module, index] = await Promise.all([
    // We import the engine by its URL. Otherwise, the bundler would add it to each
    // page's script.
    import(`${siteRoot}search.js`) as Promise<typeof import('./search-engine.ts')>,
    fetchJson<SearchIndex>(SEARCH_FILE),
  ]);
  return module.createSearchEngine(index);
});

export const loadNames = once((language) => fetchJson<Names>(namesFile(language)));
