import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWellKnown } from './contract/paths.ts';
import type { CompiledSchemas } from './contract/served.ts';
import { listKinds } from './contract/words.ts';
import { listFiles, readFile } from './files.ts';

/** The root folder of the package. Both `src/` and `dist/` are directly below it. */
export const PACKAGE_ROOT = fileURLToPath(new URL('..', import.meta.url));

const { name, version }: Record<'name' | 'version', string> = JSON.parse(
  readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8'),
);

export const VERSION = version;

/**
 * The name and version of this package, such as `gamedata/1.2.3`. `meta.json` and
 * `manifest.json` contain it as `generator`.
 */
export const PRODUCT = `${name}/${version}`;

/** Reads the SHA-256 digest of the compiled code. */
export function codeDigest(): string {
  return readFileSync(path.join(PACKAGE_ROOT, 'dist', 'code.sha256'), 'utf8');
}

export const USER_AGENT = `${PRODUCT} (build-time mirror of ${listKinds()}; bounded, cached, conditional)`;

export const BUNDLED_DATA = path.join(PACKAGE_ROOT, 'data');
export const PUBLIC_FOLDER = path.join(PACKAGE_ROOT, 'public');

/** Reads the license of the data, which every data set must contain. */
export const readDataLicense = (): Buffer =>
  readFileSync(path.join(PUBLIC_FOLDER, 'data-license.txt'));
const DIST = path.join(PACKAGE_ROOT, 'dist');
export const HANDLER_MODULE = path.join(DIST, 'handler.js');

/**
 * Returns whether editors, file managers and archive programs hide a file. We publish
 * hidden files only if they are in `.well-known/`.
 */
function isHidden(file: string): boolean {
  if (isWellKnown(file)) return false;
  return file.split('/').some((segment) => segment.startsWith('.'));
}

/** Reads a folder's files in a fixed order, and skips hidden files. */
function readFolder(folder: string): SiteFileWithBytes[] {
  const files: SiteFileWithBytes[] = [];
  for (const file of listFiles(folder).sort()) {
    if (isHidden(file)) continue;
    files.push({ path: file, body: readFile(folder, file) });
  }
  return files;
}

/** A file together with its content. */
interface SiteFileWithBytes {
  readonly path: string;
  readonly body: Uint8Array;
}

/** Reads the handwritten files, which are part of every site. */
export const readPublicFiles = (folder = PUBLIC_FOLDER): SiteFileWithBytes[] =>
  readFolder(folder);

/**
 * The files that `npm run compile` has prepared for building sites. The templates
 * and the request handler are read only when they are needed.
 */
export interface CompiledAssets {
  /** Reads a template by its file name. */
  template(name: string): string;
  /** Scripts, styles and type declarations, which are part of every site. */
  readonly compiled: readonly SiteFileWithBytes[];
  readonly schemas: CompiledSchemas;
  /** Reads the request handler's code, which some hosts run. */
  handlerModule(): string;
}

export function readBuildAssets(): CompiledAssets {
  const schemas = readFileSync(path.join(DIST, 'schemas.json'), 'utf8');
  return {
    template: (name) => readFileSync(path.join(DIST, 'templates', name), 'utf8'),
    compiled: readFolder(path.join(DIST, 'assets')),
    schemas: JSON.parse(schemas),
    handlerModule: () => readFileSync(HANDLER_MODULE, 'utf8'),
  };
}
