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

interface Block {
  /** The path that the headers apply to. An asterisk is allowed only at the end. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Creates the `_headers` file for Netlify and Cloudflare, a list of paths with the headers
 * of their responses.
 *
 * No block sets `public, max-age=0, must-revalidate`, because both hosts send this
 * `Cache-Control` by default, and Cloudflare would join the values of several blocks.
 */
export function createHeadersFile({ baseUrl }: HostContext): HostFile {
  const everywhere = { ...responses.commonHeaders, ...responses.htmlHeaders };
  const texts = [formatBlock({ path: '/*', headers: everywhere })];
  // Netlify matches the requested path, but its local server matches the rewritten path,
  // which has no base path.
  for (const base of new Set(['', getBasePath(baseUrl)])) {
    for (const { path, headers } of ownBlocks) {
      texts.push(formatBlock({ path: `${base}${path}`, headers }));
    }
  }
  return { path: '_headers', body: texts.join('\n') };
}

const ownBlocks = listOwnBlocks();

/**
 * Lists the blocks of all files whose headers differ from those of a page: the API and its
 * errors, the downloads, and files with a media type that the hosts do not know.
 */
function listOwnBlocks(): Block[] {
  const blocks: Block[] = [
    { path: `${API_PREFIX}*`, headers: responses.apiHeaders },
  ];
  for (const file of Object.values(responses.errorFiles)) {
    blocks.push({ path: `/${file}`, headers: responses.apiHeaders });
  }
  for (const folder of bulkFolders) {
    blocks.push({ path: `/${folder}*`, headers: responses.downloadHeaders });
  }
  // Each of these files needs its own block, because an asterisk cannot match a file
  // extension.
  const otherFiles = [TYPES_FILE, FEED_FILE, LOGO_FILE];
  for (const file of [...bulkFiles, ...archiveFiles, ...otherFiles]) {
    const headers = { 'Content-Type': responses.getMediaType(file) };
    blocks.push({ path: `/${file}`, headers });
  }
  return blocks;
}

function formatBlock({ path, headers }: Block): string {
  const lines = Object.entries(headers).map(
    ([name, value]) => `  ${name}: ${value}\n`,
  );
  return `${path}\n${lines.join('')}`;
}
