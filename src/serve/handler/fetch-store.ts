/** An asset store over a function that fetches a file: a binding, or the host's next handler. */

import { type AssetStore, createAsset } from './store.ts';

/** Fetches a file by its path inside the site; any status but 200 means that it does not exist. */
export type FetchFile = (file: string) => Promise<Response>;

export function createFetchStore(fetchFile: FetchFile): AssetStore {
  return {
    async get(file) {
      const response = await fetchFile(file);
      if (response.status !== 200) {
        await response.body?.cancel();
        return undefined;
      }
      const body = new Uint8Array(await response.arrayBuffer());
      const etag = response.headers.get('ETag');
      // Some hosts send no ETag.
      return etag === null ? createAsset(body) : { body, etag };
    },
  };
}
