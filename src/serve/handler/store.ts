/** The interface between the handler and the built files, be they in a folder, a CDN's binding or memory. */

/** A file of the site. */
export interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  /** In quotes; changes with the body. */
  readonly etag: string;
}

/** What is too large to be in memory as a whole. */
export interface StreamedAsset extends Pick<Asset, 'etag'> {
  /** Reads it piece by piece, as fast as they are taken. */
  chunks(): AsyncGenerator<Uint8Array<ArrayBuffer>>;
}

export interface AssetStore {
  /** Reads a file by its path inside the site; undefined if it does not exist. */
  get(file: string): Promise<Asset | undefined>;
}
