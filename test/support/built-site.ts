import { readManifest } from '../../src/built/own-files.ts';
import {
  type PreviousSite,
  readPreviousSite,
  readPublishedMeta,
} from '../../src/built/previous-site.ts';
import { type BuiltSite, openSite } from '../../src/built/site.ts';
import { memoryStorage } from '../../src/built/storage.ts';
import { entriesByPath } from '../../src/built/verified-files.ts';
import type { SiteFile } from '../../src/contract/meta.ts';
import { createEntry, encodeManifest } from '../../src/site/manifest.ts';

/** Maps the path of each file, including the manifest, to its body. */
export function addManifest(files: readonly SiteFile[]): Map<string, Buffer> {
  const bodies = new Map<string, Buffer>();
  for (const { path, body } of files) bodies.set(path, Buffer.from(body));
  const entries = Array.from(bodies, ([path, body]) => createEntry(path, body));
  const manifest = encodeManifest({ generator: 'gamedata/1' }, entries);
  return bodies.set('manifest.json', Buffer.from(manifest));
}

interface ChangedSite {
  readonly bodies: Map<string, Buffer>;
  readonly previous: PreviousSite | undefined;
  open(): BuiltSite;
}

/** Opens a site after a change to its files. */
export function openChanged(
  files: readonly SiteFile[],
  change?: (files: Map<string, Buffer>) => void,
): ChangedSite {
  const bodies = addManifest(files);
  change?.(bodies);
  const storage = memoryStorage('site', '/', bodies);
  const entries = entriesByPath(readManifest(storage));
  const previous = readPreviousSite(storage, {
    meta: readPublishedMeta(storage, entries),
    entries,
  });
  return { bodies, previous, open: () => openSite(storage) };
}

/** Returns a change that replaces a file's text, or deletes the file. */
export function damage(file: string, text?: string) {
  return (bodies: Map<string, Buffer>): void => {
    if (text === undefined) bodies.delete(file);
    else bodies.set(file, Buffer.from(text));
  };
}
