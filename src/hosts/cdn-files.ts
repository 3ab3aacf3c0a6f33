/** `_headers`, which Netlify and Cloudflare read alike, of what their rules and assets serve. */

import { archiveFiles, bulkFiles } from '../contract/files.ts';
import { apiHeaders, commonHeaders, downloadHeaders, htmlHeaders, mediaTypeOf } from '../contract/headers.ts';
import { bulkFolders, FEED_FILE, MARK_FILE, pathOf, TYPES_FILE } from '../contract/paths.ts';
import type { HostContext, HostFile } from './host.ts';

/**
 * Netlify matches by the requested path, its local server by the rewritten one: both are listed. What is not said here is
 * what both send by themselves: `public, max-age=0, must-revalidate`. Cloudflare would join the values of two blocks.
 */
export function headersFile({ routes, baseUrl }: HostContext): HostFile {
  const refusals = Object.values(routes.errors).map((file) => `/${file}`);
  // An asterisk only matches the end of a path, so files with types of their own are listed.
  const typed = [...bulkFiles, ...archiveFiles, TYPES_FILE, FEED_FILE, MARK_FILE];
  const blocks: (readonly [path: string, headers: Readonly<Record<string, string>>])[] = [
    ...[`${routes.prefix}*`, ...refusals].map((path) => [path, apiHeaders] as const),
    ...bulkFolders.map((folder) => [`/${folder}*`, downloadHeaders] as const),
    ...typed.map((file) => [`/${file}`, { 'Content-Type': mediaTypeOf(file) }] as const),
  ];
  const bases = new Set(['', pathOf(baseUrl)]);
  const lines = [
    // Any path may be HTML, and for other files the policy has no effect.
    block('/*', { ...commonHeaders, ...htmlHeaders }),
    ...[...bases].flatMap((base) => blocks.map(([path, fields]) => block(base + path, fields))),
  ];
  return { path: '_headers', body: lines.join('\n') };
}

const block = (path: string, fields: Readonly<Record<string, string>>): string =>
  [path, ...Object.entries(fields).map(([name, value]) => `  ${name}: ${value}`), ''].join('\n');
