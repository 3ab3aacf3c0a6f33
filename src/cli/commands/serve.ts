/** The serve command: a built site over HTTP, with the whole contract. */

import { once } from 'node:events';
import { isIP } from 'node:net';
import * as z from 'zod';
import { kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import { listPath, pathOf } from '../../contract/paths.ts';
import { printable } from '../../contract/words.ts';
import { OutputError } from '../../errors.ts';
import { HOW_TO_FINISH, isBeingChanged } from '../../publish/publish.ts';
import { createCompress } from '../../serve/compression.ts';
import { createReleases } from '../../serve/release.ts';
import { logRequest, respond } from '../../serve/respond.ts';
import { createBoundedServer, defaultLimits, type Limits } from '../../serve/server.ts';
import { folderPlace } from '../../sources/site/place.ts';
import { openSite, readMeta } from '../../sources/site/read.ts';
import { integer, text } from '../checks.ts';
import { declare, quietOption } from '../command.ts';
import { settledSource } from '../folders.ts';
import { checkOptions, flag, type Given, inCode, inGroup, option } from '../options.ts';
import { print } from '../perform.ts';
import { BUILD_FOLDER } from '../shared-options.ts';
import { recordCounts } from '../summary.ts';

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
  onRequest: inCode<(line: string) => void>(),
  /** Called with one line per request that failed. */
  onProblem: inCode<(line: string) => void>(),
  /** Limits for clients. */
  limits: inCode<Partial<Limits>>(),
});

export type ServeOptions = Given<typeof serveOptions>;

/** A site that is being served. */
export interface SiteServer {
  /** Where it is served, such as `http://127.0.0.1:3000`, with the path of the site's base URL. */
  readonly url: string;
  readonly meta: Meta;
  /** Accepts no new requests, lets running ones finish (for up to five seconds), and resolves when all is closed. */
  close(): Promise<void>;
}

/** The maximum size of API files in memory. A site of ten times the present size fits. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The maximum size of compressed responses in memory. */
const MAX_COMPRESSED_BYTES = 32 * 1024 * 1024;
const CHECK_INTERVAL_MS = 1000;

/**
 * Serves a built site. When a build replaces the site, the new one is served within about a second.
 *
 * @throws UsageError for an invalid option
 * @throws OutputError if the folder is not a built site, or the address is not available
 */
export async function serve(options: ServeOptions = {}): Promise<SiteServer> {
  const checked = checkOptions(serveOptions, options);
  const { dir, port, listen, compress: compressesApi, onRequest, onProblem = () => {} } = checked;
  let isTold = false;
  const tellHow = (): void => {
    if (isTold || !isBeingChanged(dir)) return;
    isTold = true;
    onProblem(`${dir}: is being changed. ${HOW_TO_FINISH}`);
  };
  // It starts all the same, and responds as soon as somebody has finished what was interrupted.
  await settledSource(dir).catch(tellHow);
  const meta = readSite(dir);
  const withRelease = createReleases(dir, {
    maxBytes: MAX_BYTES,
    checkIntervalMs: CHECK_INTERVAL_MS,
    isChanging: isBeingChanged,
    readBase,
  });
  const compress = createCompress(MAX_COMPRESSED_BYTES);
  const server = createBoundedServer(
    (request, response) => {
      if (onRequest) logRequest(request, response, onRequest);
      void respond(request, response, {
        withRelease,
        compress,
        compressesApi,
        onProblem,
        onReplaced: tellHow,
      });
    },
    { ...defaultLimits, ...checked.limits },
  );
  const bound = await server.listen(port, listen);
  const url = `http://${reachable(bound.address)}:${bound.port}${pathOf(meta.base_url)}`;
  return { url, meta, close: server.stop };
}

/** A site that says nothing of itself is at the root. */
const readBase = (folder: string): string => pathOf(readMeta(folderPlace(folder))?.base_url ?? '');

function readSite(dir: string): Meta {
  try {
    return openSite(folderPlace(dir)).meta;
  } catch (error) {
    if (!(error instanceof OutputError) || error.hint !== undefined) throw error;
    const hint = 'Build one with gamedata build, or name its folder: gamedata serve <dir>.';
    throw new OutputError('is not a built site', dir, { cause: error, hint });
  }
}

/** A host for a URL: wildcard addresses cannot be opened in a browser. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIP(address) === 6 ? `[${address}]` : address;
}

export const command = declare({
  description:
    'Serves a built site with the whole contract: any limit and offset, pages for browsers, 304, 405, redirects.',
  arguments: { '[dir]': ['folder of the site', BUILD_FOLDER] },
  presentation: quietOption,
  options: {
    ...serveOptions,
    ...inGroup('Server:', { accessLog: flag('--access-log', 'print a line per request') }),
  },
  async run({ options: { accessLog, ...options }, quiet, reporter, signal }, dir: string) {
    const onRequest = accessLog ? (line: string) => print([line]) : undefined;
    const server = await serve({ ...options, dir, onRequest, onProblem: reporter.notice });
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
  const lines = [`${printable(folder)}: ${recordCounts(meta.counts)}, served at`, `  ${url}/`, ...lists];
  if (meta.base_url !== url && !stray) lines.push(`Links point to the site's base URL, ${meta.base_url}`);
  return lines;
}
