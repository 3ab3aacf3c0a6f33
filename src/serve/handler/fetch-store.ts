/** An asset store over a function that fetches a file: a binding, or the host's next handler. */

import type { AssetStore } from './store.ts';

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
      return { body, etag: response.headers.get('ETag') ?? (await digest(body)) };
    },
  };
}

/** An ETag for hosts that do not send one. */
async function digest(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  return `"${[...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}"`;
}
