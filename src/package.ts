import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isWellKnown } from './contract/paths.ts';
import type { CompiledSchemas } from './contract/served.ts';
import { listFirst, listKinds, quoteArgument } from './contract/words.ts';
import { listFiles, readFile } from './files.ts';

/** Both src/ and dist/ are directly below it. */
export const PACKAGE_ROOT = fileURLToPath(new URL('..', import.meta.url));

const { name, version }: Record<'name' | 'version', string> = JSON.parse(
  readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8'),
);

export const VERSION = version;

/** `gamedata/1.2.3`, the `generator` of `meta.json` and `manifest.json`. */
export const PRODUCT = `${name}/${version}`;

export const codeDigest = (): string =>
  readFileSync(path.join(PACKAGE_ROOT, 'dist', 'code.sha256'), 'utf8');

export const USER_AGENT = `${PRODUCT} (build-time mirror of ${listKinds()}; bounded, cached, conditional)`;

export const BUNDLED_DATA = path.join(PACKAGE_ROOT, 'data');
export const PUBLIC_FOLDER = path.join(PACKAGE_ROOT, 'public');
const DIST = path.join(PACKAGE_ROOT, 'dist');
export const HANDLER_MODULE = path.join(DIST, 'handler.js');

/** Editors, file managers and archive programs hide their files. Only `.well-known/` is published. */
const isHidden = (file: string): boolean =>
  !isWellKnown(file) && file.split('/').some((segment) => segment.startsWith('.'));

/** Files that Windows, editors and macOS archives leave in folders. */
const LEFTOVER =
  /(?:^|\/)(?:Thumbs\.db|desktop\.ini|#[^/]*#|[^/]*~|[^/]*\.orig)$|(?:^|\/)__MACOSX\//i;

/** Reads the files of a folder in a fixed order, except hidden files. */
function readFolder(folder: string): SiteFileWithBytes[] {
  const files = listFiles(folder).filter((file) => !isHidden(file));
  return files.sort().map((file) => ({ path: file, body: readFile(folder, file) }));
}

interface SiteFileWithBytes {
  readonly path: string;
  readonly body: Uint8Array;
}

export interface PublicFiles {
  readonly files: readonly SiteFileWithBytes[];
  /** Says which files another program has probably left in the folder. They are not published. */
  readonly notices: readonly string[];
}

/** Reads the hand-written files, which become part of every site. */
export function readPublicFiles(folder = PUBLIC_FOLDER): PublicFiles {
  const files: SiteFileWithBytes[] = [];
  const leftovers: string[] = [];
  for (const file of readFolder(folder)) {
    if (LEFTOVER.test(file.path)) leftovers.push(file.path);
    else files.push(file);
  }
  if (leftovers.length === 0) return { files, notices: [] };
  return { files, notices: [`not published from public/: ${listFirst(leftovers)}`] };
}

export const readBuildAssets = () => ({
  template: (name: string): string => readFileSync(path.join(DIST, 'templates', name), 'utf8'),
  compiled: readFolder(path.join(DIST, 'assets')),
  schemas: JSON.parse(readFileSync(path.join(DIST, 'schemas.json'), 'utf8')) as CompiledSchemas,
  handlerModule: () => readFileSync(HANDLER_MODULE, 'utf8'),
});

/** Finds the command that started this process: `gamedata`, `npx gamedata` or `node scripts/gamedata.mjs`. */
export function findStartCommand(
  script = process.argv[1] ?? '',
  { PATH = '', npm_command }: NodeJS.ProcessEnv = process.env,
  cwd = process.cwd(),
): string {
  const folder = path.dirname(script);
  const isInstalled = (above: string): boolean =>
    existsSync(path.join(above, 'node_modules', '.bin', name)) ||
    (path.dirname(above) !== above && isInstalled(path.dirname(above)));
  if (npm_command === 'exec' || folder.endsWith(path.join('node_modules', '.bin'))) {
    // Elsewhere, npx would request the name from the registry, where anyone may register it.
    if (path.join(cwd, path.sep) === PACKAGE_ROOT || isInstalled(cwd)) return `npx ${name}`;
  } else if (path.basename(script) === name && PATH.split(path.delimiter).includes(folder))
    return name;
  const relative = path.relative(cwd, script);
  const shown = relative.startsWith('..') ? script : relative;
  return `node ${quoteArgument(shown)}`;
}
