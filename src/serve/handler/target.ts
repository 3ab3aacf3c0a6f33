/** What a path refers to. */

import { type Kind, kindNames } from '../../contract/kinds.ts';
import { API_PREFIX, DOCS_PATH, isHostFile, recordFile, rootFile } from '../../contract/paths.ts';
import { capitalize } from '../../contract/words.ts';

export type Target =
  /** An endpoint of the API. `file` holds its JSON; undefined if the path cannot be that of a record. */
  | { readonly type: 'root' | 'record'; readonly name: string; readonly file: string | undefined }
  | { readonly type: 'list'; readonly name: string; readonly kind: Kind }
  /** An endpoint, the docs or the base path itself, without its trailing slash; relative to the base path, with the slash. */
  | { readonly type: 'slashless'; readonly path: string }
  /** A file at its own URL. */
  | { readonly type: 'file'; readonly file: string }
  | { readonly type: 'nothing' };

const nothing: Target = { type: 'nothing' };

/**
 * Resolves a path as it was sent. Percent-encoding is decoded, including encoded slashes.
 *
 * @param base the path of the base URL: nothing of the site is outside
 */
export function resolveTarget(sent: string, base = ''): Target {
  const whole = withOneSlash(sent);
  if (whole === base) return { type: 'slashless', path: '/' };
  if (!whole.startsWith(base) || whole[base.length] !== '/') return nothing;
  const path = whole.slice(base.length);
  const decoded = decode(path);
  if (decoded === undefined) return nothing;
  const rest = decoded.startsWith(API_PREFIX) ? decoded.slice(API_PREFIX.length) : undefined;
  if (rest === '') return { type: 'root', name: 'Api Root', file: rootFile };
  if ([API_PREFIX, DOCS_PATH].includes(`${decoded}/`)) return { type: 'slashless', path: `${path}/` };
  const [, kindName, slug, slash] = /^([^/.]+)(?:\/([^/.]+))?(\/?)$/.exec(rest ?? '') ?? [];
  const kind = kindNames.find((name) => name === kindName);
  if (kind === undefined) return fileTarget(decoded);
  if (slash === '') return { type: 'slashless', path: `${path}/` };
  const title = capitalize(kind);
  if (slug === undefined) return { type: 'list', name: `${title} List`, kind };
  const file = /^[a-z0-9-]+$/.test(slug) ? recordFile(kind, slug) : undefined;
  return { type: 'record', name: `${title} Instance`, file };
}

/** Whether a path is below the API's prefix, be there something or not. */
export const isApiPath = (sent: string, base: string): boolean =>
  withOneSlash(sent).startsWith(base + API_PREFIX);

const withOneSlash = (sent: string): string => sent.replace(/^\/{2,}/, '/');

/** Any other path may be that of a file, or of a folder with a page. Host configuration is not public. */
function fileTarget(decoded: string): Target {
  const file = decoded.slice(1) + (decoded.endsWith('/') ? 'index.html' : '');
  const isPublic = /^(?:\w[\w-]*\/)*\w[\w-]*(?:\.[\w-]+)+$/.test(file) && !isHostFile(file);
  return isPublic ? { type: 'file', file } : nothing;
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
