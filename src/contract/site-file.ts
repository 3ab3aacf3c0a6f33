/** The files that a site is made of, as whoever makes them hands them to whoever publishes them. */

import type { ManifestEntry } from './meta.ts';

/** A long text comes in pieces, which are read once: as a whole it would be in memory several times. */
export type Text = string | Iterable<string>;
export type Body = Text | Uint8Array;

/** A file of the site. `path` is relative to the site's folder, with forward slashes. */
export interface SiteFile {
  readonly path: string;
  readonly body: string | Uint8Array;
  /** The file before it, of which it is a part: if that is unchanged, so is this one. */
  readonly partOf?: string;
}

/** A file that is expensive to make. */
export interface MadeFile {
  readonly path: string;
  readonly partOf?: string;
  /** What it is made from, as text: the same code makes the same file of it, so that the published one can stay. */
  readonly inputs?: Text;
  make(): Body | Promise<Uint8Array>;
}

/** A file whose hash is known in advance: it is made only if the published one differs. */
export interface ListedFile extends ManifestEntry {
  make(): string | Uint8Array | Promise<Uint8Array>;
}

export type AnyFile = SiteFile | MadeFile | ListedFile;
