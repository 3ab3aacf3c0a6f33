/** Loads the search engine and its index, which most visitors of a page do not need. */

import { SEARCH_FILE } from '../../contract/paths.ts';
import type { Engine } from './engine.ts';

let loading: Promise<Engine> | undefined;

/**
 * Loads both once, on the first search, and again after a failure.
 *
 * @param root the base URL with a trailing slash
 */
export function loadEngine(root: string): Promise<Engine> {
  loading ??= load(root);
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

async function load(root: string): Promise<Engine> {
  const [module, index] = await Promise.all([
    // By address: the bundler would make it part of each page.
    import(`${root}search.js`) as Promise<typeof import('./engine.ts')>,
    fetch(root + SEARCH_FILE).then((response) => {
      if (!response.ok) throw new Error(`got ${response.status}`);
      return response.json();
    }),
  ]);
  return module.createEngine(index);
}
