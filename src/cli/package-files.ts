/** The files that come with the package: data, hand-written files, and what `npm run compile` makes. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SiteFile } from '../contract/meta.ts';
import { listFiles, readFile } from '../files.ts';
import type { Package } from '../site/complete-site.ts';
import { PACKAGE_ROOT } from '../version.ts';

/** The bundled data set. */
export const BUNDLED_DATA = path.join(PACKAGE_ROOT, 'data');
/** Files that every site has as they are. */
export const PUBLIC_FOLDER = path.join(PACKAGE_ROOT, 'public');
const DIST = path.join(PACKAGE_ROOT, 'dist');
/** The handler as one module. */
export const HANDLER_MODULE = path.join(DIST, 'handler.js');

/** Reads files that every site has, in a fixed order and without what file managers leave. */
const readFolder = (folder: string): SiteFile[] =>
  listFiles(folder)
    .filter((file) => !path.basename(file).startsWith('.'))
    .sort()
    .map((file) => ({ path: file, body: readFile(folder, file) }));

export const readAssets = (): SiteFile[] => readFolder(PUBLIC_FOLDER);

export function readPackage(): Package {
  const template = (name: string): string => readFileSync(path.join(DIST, 'templates', name), 'utf8');
  return {
    templates: {
      'index.html': template('index.html'),
      'browse.html': template('browse.html'),
      'docs.html': template('docs.html'),
      '404.html': template('404.html'),
      'search.html': template('search.html'),
    },
    // Style sheets and scripts of the pages.
    compiled: readFolder(path.join(DIST, 'assets')),
    handlerModule: () => readFileSync(HANDLER_MODULE, 'utf8'),
    hostTemplate: template,
  };
}
