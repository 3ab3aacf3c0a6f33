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
