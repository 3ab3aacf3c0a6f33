import {
  encodeBody,
  type FileBody,
  type SiteFile,
} from '../../src/contract/meta.ts';
import type { Bytes } from '../../src/serve/handler/asset-store.ts';

export const bodyText = (body: FileBody): string =>
  Buffer.from(body).toString('utf8');

/** Returns the contents of files, by path. */
export function bodiesByPath(files: Iterable<SiteFile>): Map<string, Bytes> {
  const bodies = new Map<string, Bytes>();
  for (const file of files) bodies.set(file.path, new Uint8Array(encodeBody(file)));
  return bodies;
}
