/** What a path leads to. */

import { API_PREFIX, recordFile, rootFile } from '../contract/addresses.ts';
import { isHostFile } from '../contract/host-files.ts';
import { type Kind, kindNames } from '../contract/kinds.ts';

export type Target =
  /** An endpoint of the API. `file` holds its JSON; a list's depends on the window; what can be no slug has none. */
  | { readonly type: 'root' | 'record'; readonly name: string; readonly file: string | undefined }
  | { readonly type: 'list'; readonly name: string; readonly kind: Kind }
  /** An endpoint whose final slash is missing. */
  | { readonly type: 'slashless'; readonly path: string }
  /** A file of the site at its own address. */
  | { readonly type: 'file'; readonly file: string }
  | { readonly type: 'nothing' };

const nothing: Target = { type: 'nothing' };

/** Resolves the path of an address, as it was sent. Percent-encoding counts as what it encodes, a slash included. */
export function resolveTarget(sent: string): Target {
  const path = sent.replace(/^\/{2,}/, '/');
  const decoded = decode(path);
  if (decoded === undefined) return nothing;
  const rest = decoded.startsWith(API_PREFIX) ? decoded.slice(API_PREFIX.length) : undefined;
  if (rest === '') return { type: 'root', name: 'Api Root', file: rootFile };
  if (`${decoded}/` === API_PREFIX) return { type: 'slashless', path: `${path}/` };
  const [, kindName, slug, slash] = /^([^/.]+)(?:\/([^/.]+))?(\/?)$/.exec(rest ?? '') ?? [];
  const kind = kindNames.find((name) => name === kindName);
  if (kind === undefined) return fileTarget(decoded);
  if (slash === '') return { type: 'slashless', path: `${path}/` };
  const title = kind.charAt(0).toUpperCase() + kind.slice(1);
  if (slug === undefined) return { type: 'list', name: `${title} List`, kind };
  const file = /^[a-z0-9-]+$/.test(slug) ? recordFile(kind, slug) : undefined;
  return { type: 'record', name: `${title} Instance`, file };
}

/** Any other path is a file's own, if it is made of plain names. Those of hosts' configuration are not for the public. */
function fileTarget(decoded: string): Target {
  const file = decoded === '/' ? 'index.html' : decoded.slice(1);
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
