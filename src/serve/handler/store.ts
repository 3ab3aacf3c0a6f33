/** The interface between the handler and the built files, be they in a folder, a CDN's binding or memory. */

/** A file of the site. */
export interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  /** In quotes; changes with the body. */
  readonly etag: string;
}

export interface AssetStore {
  /** Reads a file by its path inside the site; undefined if it does not exist. */
  get(file: string): Promise<Asset | undefined>;
}

/** The content of a JSON file, which is ours; undefined if it does not exist. */
export async function readJson<T>(store: AssetStore, file: string): Promise<T | undefined> {
  const asset = await store.get(file);
  return asset && JSON.parse(new TextDecoder().decode(asset.body));
}

/** An asset with an ETag made of its body. */
export async function createAsset(body: Uint8Array<ArrayBuffer>): Promise<Asset> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  const hex = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { body, etag: `"${hex}"` };
}

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
