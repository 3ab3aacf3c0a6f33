import { once } from 'node:events';
import { isIP } from 'node:net';
import { kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import { listPath } from '../../contract/paths.ts';
import { escapeControls } from '../../contract/words.ts';
import { respond } from '../../serve/respond.ts';
import {
  createBoundedServer,
  defaultLimits,
  type Limits,
} from '../../serve/server.ts';
import { watchSite } from '../../serve/site.ts';
import {
  defineCommand,
  type OptionInput,
  parseOptions,
  quietOption,
} from '../command.ts';
import {
  codeOnly,
  flag,
  inGroup,
  integer,
  numeric,
  option,
  required,
  text,
} from '../options.ts';
import { printToStdout } from '../reporter.ts';
import { BUILD_FOLDER } from '../site-options.ts';
import { formatCounts } from '../summary.ts';

const ownAddress = text(
  (given) => isIP(given) !== 0 || given === 'localhost',
  'an IP address of this machine, or localhost',
);

const serveOptions = inGroup('Server:', {
  port: numeric(
    '--port <n>',
    'port to listen on; 0 picks a free one',
    integer(0, 65_535).default(3000),
  ),
  /** The address to listen on: an IP address, or `localhost`. */
  listen: option(
    '--listen <address>',
    'address to listen on',
    ownAddress.default('127.0.0.1'),
  ),
  /** Whether to compress API responses. This adds `Accept-Encoding` to `Vary`. */
  compress: flag('--compress', 'compress API responses, too, not only other files'),
  dir: { schema: required('the folder of a site').default(BUILD_FOLDER) },
  /** Called with one line for each request, after the request has ended. */
  onRequest: codeOnly<(line: string) => void>(),
  /**
   * Called with one line for each failed request, and whenever the folder does not
   * contain a complete site.
   */
  onProblem: codeOnly<(line: string) => void>(),
  signal: codeOnly<AbortSignal>(),
  limits: codeOnly<Partial<Limits>>(),
});

export type ServeOptions = OptionInput<typeof serveOptions>;

export interface SiteServer {
  /**
   * The URL of the running server, including the path of the site's base URL, such
   * as `http://127.0.0.1:3000`.
   */
  readonly url: string;
  readonly meta: Meta;
  /**
   * Rejects new requests, and waits up to five seconds for requests that are still
   * running.
   */
  close(): Promise<void>;
}

/**
 * Serves a built site. Waits until the folder contains a complete site, and reloads
 * it about a second after each build.
 *
 * @throws UsageError for an invalid option
 * @throws OutputError if the site is too large, or the address is not available
 */
export async function serve(options: ServeOptions = {}): Promise<SiteServer> {
  const parsed = parseOptions(serveOptions, options);
  const {
    dir,
    port,
    listen,
    compress,
    onRequest,
    onProblem = () => {},
    limits,
  } = parsed;
  const closing = new AbortController();
  const signals = [closing.signal];
  if (parsed.signal) signals.push(parsed.signal);
  const site = await watchSite(dir, { onProblem, signal: AbortSignal.any(signals) });
  const server = createBoundedServer({
    respond: (request) => respond(request, site(), compress),
    limits: { ...defaultLimits, ...limits },
    onRequest,
    onProblem,
  });
  const { meta, base } = site();
  const bound = await server.listen(port, listen).catch((error) => {
    // We stop watching the folder, because the watcher would keep the process
    // running.
    closing.abort();
    throw error;
  });
  return {
    url: `http://${formatHost(bound.address)}:${bound.port}${base}`,
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
    'Serves a built site with the whole contract: any limit and offset, pages for browsers, 304, 405, redirects.',
  examples: ['gamedata serve build', 'gamedata serve copy --port 4000'],
  arguments: { '[dir]': ['folder of the site', BUILD_FOLDER] },
  options: {
    ...quietOption,
    ...serveOptions,
    ...inGroup('Server:', {
      accessLog: flag('--access-log', 'print a line per request'),
    }),
  },
  async run({ options, quiet, reporter, signal }, dir: string) {
    const { accessLog, ...serveOptions } = options;
    const onRequest = accessLog
      ? (line: string) => printToStdout([line])
      : undefined;
    let server: SiteServer;
    try {
      server = await serve({
        ...serveOptions,
        dir,
        onRequest,
        onProblem: reporter.notice,
        signal,
      });
    } catch (error) {
      // The user may stop the command while it is still waiting for a site.
      if (signal.aborted) return {};
      throw error;
    }
    if (!quiet) printToStdout(describeServer(dir, server));
    const { url, meta } = server;
    const port = findOtherPort(meta.base_url, url);
    if (port !== undefined) {
      reporter.notice(
        `warning: links point to ${meta.base_url}. Serve the site there with --port ${port}, or build it with --base-url ${url}`,
      );
    }
    if (!signal.aborted) await once(signal, 'abort');
    await server.close();
    return {};
  },
});

function describeServer(dir: string, { url, meta }: SiteServer): string[] {
  const lines = [
    `${escapeControls(dir)}: ${formatCounts(meta.counts)}, served at`,
    `  ${url}/`,
  ];
  for (const kind of kindNames) lines.push(`  ${url}${listPath(kind)}?format=api`);
  const hasOtherLinks = meta.base_url !== url;
  // If links point to another port of this machine, a warning is printed instead.
  if (hasOtherLinks && findOtherPort(meta.base_url, url) === undefined) {
    lines.push(
      `Links point to the site's base URL, ${escapeControls(meta.base_url)}`,
    );
  }
  return lines;
}

const localHosts = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns the port of the base URL if the URL points to this machine, but to a
 * different port than the one being served.
 */
function findOtherPort(baseUrl: string, url: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const { protocol, hostname, port } = new URL(baseUrl);
  const isLocal = protocol === 'http:' && localHosts.includes(hostname);
  const servedPort = new URL(url).port;
  if (!isLocal || port === servedPort) return undefined;
  // A URL omits the default port, 80.
  return port === '' ? '80' : port;
}
