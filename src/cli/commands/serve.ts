import { once } from 'node:events';
import { isIP } from 'node:net';
import * as z from 'zod';
import { kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import { listPath } from '../../contract/paths.ts';
import { escapeControls } from '../../contract/words.ts';
import { logRequest, respond } from '../../serve/respond.ts';
import { createBoundedServer, defaultLimits, type Limits } from '../../serve/server.ts';
import { openSite } from '../../serve/site.ts';
import {
  codeOnly,
  defineCommand,
  flag,
  inGroup,
  type OptionInput,
  option,
  parseOptions,
  quietOption,
} from '../command.ts';
import { integer, text } from '../option-values.ts';
import { formatCounts } from '../report.ts';
import { print } from '../reporter.ts';
import { BUILD_FOLDER } from '../site-options.ts';

const ownAddress = text(
  (given) => isIP(given) !== 0 || given === 'localhost',
  'an IP address of this machine, or localhost',
);

const serveOptions = inGroup('Server:', {
  /** The port to listen on; 0 picks a free one. Default 3000. */
  port: option('--port <n>', 'port to listen on; 0 picks a free one', integer(0, 65_535).default(3000)),
  /** The IP address to listen on, or `localhost`. Default 127.0.0.1, which only this machine can reach. */
  listen: option('--listen <address>', 'address to listen on', ownAddress.default('127.0.0.1')),
  /** Whether responses of the API are compressed, too: their `Vary` is then more than `Accept`. Default false. */
  compress: flag('--compress', 'compress API responses, too, not only other files'),
  /** The folder of the site. Default `build`. */
  dir: { schema: z.string().default(BUILD_FOLDER) },
  /** Called with one line per request, once it has ended. */
  onRequest: codeOnly<(line: string) => void>(),
  /** Called with one line per request that failed, and while the folder does not hold a complete site. */
  onProblem: codeOnly<(line: string) => void>(),
  /** Ends the waiting for complete sites, the first one and later ones. */
  signal: codeOnly<AbortSignal>(),
  /** Limits for clients. */
  limits: codeOnly<Partial<Limits>>(),
});

export type ServeOptions = OptionInput<typeof serveOptions>;

/** A site that is being served. */
export interface SiteServer {
  /** Where it is served, such as `http://127.0.0.1:3000`, with the path of the site's base URL. */
  readonly url: string;
  readonly meta: Meta;
  /** Accepts no new requests, lets running ones finish (for up to five seconds), and resolves when all is closed. */
  close(): Promise<void>;
}

/**
 * Serves a built site, as soon as the folder holds a complete one. When a build replaces the site, the new one is served
 * within about a second.
 *
 * @throws UsageError for an invalid option
 * @throws OutputError if the site is too large, or the address is not available
 */
export async function serve(options: ServeOptions = {}): Promise<SiteServer> {
  const checked = parseOptions(serveOptions, options);
  const { dir, port, listen, compress, onRequest, onProblem = () => {}, limits } = checked;
  const closing = new AbortController();
  const signal = AbortSignal.any([closing.signal, ...(checked.signal ? [checked.signal] : [])]);
  const site = await openSite(dir, onProblem, signal);
  const server = createBoundedServer({
    respond: (request) => respond(request, site(), compress),
    limits: { ...defaultLimits, ...limits },
    onResponse: (request, response) => onRequest && logRequest(request, response, onRequest),
    onProblem,
  });
  const { meta, base } = site();
  const bound = await server.listen(port, listen).catch((error) => {
    closing.abort();
    throw error;
  });
  return {
    url: `http://${reachable(bound.address)}:${bound.port}${base}`,
    meta,
    async close() {
      closing.abort();
      await server.stop();
    },
  };
}

/** A host for a URL: wildcard addresses cannot be opened in a browser. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIP(address) === 6 ? `[${address}]` : address;
}

export const command = defineCommand({
  description:
    'Serves a built site with the whole contract: any limit and offset, pages for browsers, 304, 405, redirects.',
  arguments: { '[dir]': ['folder of the site', BUILD_FOLDER] },
  options: {
    ...quietOption,
    ...serveOptions,
    ...inGroup('Server:', { accessLog: flag('--access-log', 'print a line per request') }),
  },
  async run({ options: { accessLog, ...options }, quiet, reporter, signal }, dir: string) {
    const onRequest = accessLog ? (line: string) => print([line]) : undefined;
    const served = { ...options, dir, onRequest, onProblem: reporter.notice, signal };
    const server = await serve(served).catch((error) => {
      if (!signal.aborted) throw error;
    });
    if (!server) return {};
    const stray = strayLinks(server);
    if (!quiet) print(servedLines(dir, server, stray));
    if (stray) reporter.notice(`warning: ${stray}`);
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    return {};
  },
});

/** What to do about links to another port of this machine; undefined if there are none. */
function strayLinks({ url, meta: { base_url: baseUrl } }: SiteServer): string | undefined {
  const [found, port = '80'] =
    /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d+))?(?![^/])/.exec(baseUrl) ?? [];
  if (found === undefined || port === (new URL(url).port || '80')) return undefined;
  return `links point to ${baseUrl}: serve the site there with --port ${port}, or build it with --base-url ${url}`;
}

/** Where a site is served, as URLs that terminals make clickable. */
function servedLines(folder: string, { url, meta }: SiteServer, stray: string | undefined): string[] {
  const lists = kindNames.map((kind) => `  ${url}${listPath(kind)}?format=api`);
  const lines = [`${escapeControls(folder)}: ${formatCounts(meta.counts)}, served at`, `  ${url}/`, ...lists];
  if (meta.base_url !== url && !stray) lines.push(`Links point to the site's base URL, ${meta.base_url}`);
  return lines;
}
