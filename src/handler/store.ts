/** The seam of the handler: where the built files are, be it a folder, a CDN's binding or a table in memory. */

/** A file of the site. */
export interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  /** A validator in quotes that changes with the body. */
  readonly etag: string;
}

export interface AssetStore {
  /** Reads a file by its path inside the site; undefined where there is none. */
  get(file: string): Promise<Asset | undefined>;
}
