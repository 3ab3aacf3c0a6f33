/** The files that a site is made of, as whoever makes them hands them to whoever publishes them. */

import type { ManifestEntry } from './meta.ts';

export type Body = string | Uint8Array;

/** A file of the site. `path` is relative to the site's folder, with forward slashes. */
export interface SiteFile {
  readonly path: string;
  readonly body: Body;
}

/** A file whose hash is known in advance: it is made only if the published one differs. */
export interface ListedFile extends ManifestEntry {
  make(): Body;
}

export type AnyFile = SiteFile | ListedFile;

export function bodyOf(file: AnyFile): Uint8Array {
  const body = 'make' in file ? file.make() : file.body;
  return typeof body === 'string' ? new TextEncoder().encode(body) : body;
}
