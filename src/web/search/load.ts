/** Loads the search engine and its index, which most visitors of a page do not need. */

import { SEARCH_FILE } from '../../contract/paths.ts';
import { root } from '../shared/elements.ts';
import type { Engine } from './engine.ts';

let loading: Promise<Engine> | undefined;

/** Loads both once, on the first search, and again after a failure. */
export function loadEngine(): Promise<Engine> {
  loading ??= load();
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

async function load(): Promise<Engine> {
  const [module, response] = await Promise.all([
    // By address: the bundler would make it part of each page.
    import(`${root}search.js`) as Promise<typeof import('./engine.ts')>,
    fetch(root + SEARCH_FILE),
  ]);
  if (!response.ok) throw new Error(`got ${response.status}`);
  return module.createEngine(await response.json());
}
