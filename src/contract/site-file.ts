/** The files that a site is made of, as whoever makes them hands them to whoever publishes them. */

import type { ManifestEntry } from './meta.ts';

/** A file of the site. `path` is relative to the site's folder, with forward slashes. */
export interface SiteFile {
  readonly path: string;
  readonly body: string | Uint8Array;
}

/** A file that is expensive to make from others. It is not made again while those are unchanged. */
export interface DerivedFile {
  readonly path: string;
  /** The files it depends on, all of which precede it: those listed, or every file except those listed. */
  readonly of: readonly string[] | { readonly except: readonly string[] };
  make(): Uint8Array | Promise<Uint8Array>;
}

/** A file whose hash is known in advance: it is made only if the published one differs. */
export interface ListedFile extends ManifestEntry {
  make(): Uint8Array | Promise<Uint8Array>;
}

export type AnyFile = SiteFile | DerivedFile | ListedFile;
