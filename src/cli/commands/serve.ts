import { once } from 'node:events';
import { isIP } from 'node:net';
import * as z from 'zod';
import { kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import { listPath } from '../../contract/paths.ts';
import { escapeControls } from '../../contract/words.ts';
import { respond } from '../../serve/respond.ts';
import { startServer } from '../../serve/server.ts';
import { watchSite } from '../../serve/site.ts';
import {
  defineCommand,
  type OptionInput,
  parseOptions,
  quietOption,
} from '../command.ts';
import { codeOnly, flag, folder, inGroup, option, plainUrl } from '../options.ts';
import { printToStdout } from '../reporter.ts';
import { BUILD_FOLDER } from '../site-options.ts';
import { formatCounts } from '../summary.ts';

const serveOptions = inGroup('Server:', {
  port: option(
    '--port <n>',
    'port to listen on; 0 picks a free one',
    z.int().min(0).max(65_535).default(3000),
    { env: () => 'PORT' },
  ),
  /** The address to listen on: an IP address, or `localhost`. */
  listen: option(
    '--listen <address>',
    'address to listen on',
    z.string().min(1).default('127.0.0.1'),
  ),
  /** The base URL of all links. The default is the base URL of the built site. */
  baseUrl: option(
    '--base-url <url>',
    'generate the site again in memory, with links to this URL [as built]',
    plainUrl.optional(),
  ),
  dir: { schema: folder.default(BUILD_FOLDER) },
  /** Called with one line for each request, after the request has ended. */
  onRequest: codeOnly<(line: string) => void>(),
  /**
   * Called with one line for each failed request, and when a new site cannot be loaded.
   */
  onProblem: codeOnly<(line: string) => void>(),
});

export type ServeOptions = OptionInput<typeof serveOptions>;

export interface SiteServer {
  /**
   * The URL of the running server, including the path of the site's base URL, such
   * as `http://127.0.0.1:3000`.
   */
  readonly url: string;
  readonly meta: Meta;
  /** Rejects new requests, and waits up to five seconds for requests in flight. */
  close(): Promise<void>;
}

/**
 * Serves a built site, and reloads it about a second after each build.
 *
 * @throws GamedataError for an invalid option, if the folder contains no complete site,
 * or if the address is not available
 */
export async function serve(options: ServeOptions = {}): Promise<SiteServer> {
  const parsed = parseOptions(serveOptions, options);
  const { dir, port, listen, baseUrl, onRequest, onProblem = () => {} } = parsed;
  const closing = new AbortController();
  const { signal } = closing;
  // We call `getSite` for each request, because each build replaces the loaded site.
  const getSite = await watchSite(dir, { baseUrl, onProblem, signal });
  const server = await startServer({
    port,
    listen,
    respond: (request) => respond(request, getSite()),
    onRequest,
    onProblem,
  }).catch((error) => {
    // Otherwise, the watcher would keep the process running.
    closing.abort();
    throw error;
  });
  const { meta, base } = getSite();
  const { address, port: boundPort } = server.address;
  return {
    url: `http://${formatHost(address)}:${boundPort}${base}`,
    meta,
    async close() {
      closing.abort();
      await server.stop();
    },
  };
}

/**
 * Formats an address for a URL. Browsers cannot open wildcard addresses, so they are
 * replaced with loopback addresses.
 */
function formatHost(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIP(address) === 6 ? `[${address}]` : address;
}

export const command = defineCommand({
  description:
    'Serves a built site of Pokémon moves and items: any limit and offset, pages for browsers, redirects and 304.',
  examples: [
    'gamedata serve',
    'gamedata serve copy --port 4000 --base-url http://127.0.0.1:4000',
  ],
  arguments: { '[dir]': `folder of the site [${BUILD_FOLDER}]` },
  options: {
    ...quietOption,
    ...serveOptions,
    ...inGroup('Server:', {
      accessLog: flag('--access-log', 'print a line per request'),
    }),
  },
  async run({ options, quiet, reporter, signal }, dir = BUILD_FOLDER) {
    const { accessLog, ...serveOptions } = options;
    const onRequest = accessLog
      ? (line: string) => printToStdout([line])
      : undefined;
    const server = await serve({
      ...serveOptions,
      dir,
      onRequest,
      onProblem: reporter.notice,
    });
    if (!quiet) printToStdout(describeServer(dir, server));
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    return {};
  },
});

/** Lists the URLs to open, and warns if the links lead to another address. */
function describeServer(dir: string, { url, meta }: SiteServer): string[] {
  const lines = [
    `${escapeControls(dir)}: ${formatCounts(meta.counts)}, served at`,
    `  ${url}/`,
  ];
  for (const kind of kindNames) lines.push(`  ${url}${listPath(kind)}?format=api`);
  if (meta.base_url !== url) {
    const linkTarget = escapeControls(meta.base_url);
    lines.push(
      `Links lead to ${linkTarget}. To make them lead here: --base-url ${url}`,
    );
  }
  return lines;
}
