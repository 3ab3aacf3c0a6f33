import { archiveFiles, bulkFiles } from '../contract/files.ts';
import {
  API_PREFIX,
  bulkFolders,
  FEED_FILE,
  getBasePath,
  LOGO_FILE,
  TYPES_FILE,
} from '../contract/paths.ts';
import * as responses from '../contract/responses.ts';
import type { HostContext, HostFile } from './host.ts';

/**
 * Creates `_headers` for Netlify and Cloudflare. Netlify matches the requested path, but its local server matches the rewritten
 * path, so both are listed. Both hosts send `public, max-age=0, must-revalidate` by default, and Cloudflare would join a second
 * `Cache-Control` from a later block to the first one.
 */
export function createHeadersFile({ baseUrl }: HostContext): HostFile {
  const errors = Object.values(responses.errorFiles).map((file) => `/${file}`);
  // An asterisk matches only the end of a path, so each file with its own type is listed.
  const typed = [...bulkFiles, ...archiveFiles, TYPES_FILE, FEED_FILE, LOGO_FILE];
  const blocks: (readonly [path: string, headers: Readonly<Record<string, string>>])[] = [
    ...[`${API_PREFIX}*`, ...errors].map((path) => [path, responses.apiHeaders] as const),
    ...bulkFolders.map((folder) => [`/${folder}*`, responses.downloadHeaders] as const),
    ...typed.map((file) => [`/${file}`, { 'Content-Type': responses.getMediaType(file) }] as const),
  ];
  const bases = new Set(['', getBasePath(baseUrl)]);
  const lines = [
    formatBlock('/*', { ...responses.commonHeaders, ...responses.htmlHeaders }),
    ...[...bases].flatMap((base) =>
      blocks.map(([path, fields]) => formatBlock(base + path, fields)),
    ),
  ];
  return { path: '_headers', body: lines.join('\n') };
}

const formatBlock = (path: string, fields: Readonly<Record<string, string>>): string =>
  [path, ...Object.entries(fields).map(([name, value]) => `  ${name}: ${value}`), ''].join('\n');
