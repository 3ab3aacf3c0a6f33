/** The serve command: a built site over HTTP, with the whole contract. */

import { isIP } from 'node:net';
import type { Meta } from '../../contract/meta.ts';
import { pathOf } from '../../contract/paths.ts';
import { OutputError, UsageError } from '../../errors.ts';
import { HOW_TO_FINISH, isBeingChanged, settled } from '../../publish/publish.ts';
import { createCompress } from '../../serve/compression.ts';
import { createReleases } from '../../serve/release.ts';
import { logRequest, respond } from '../../serve/respond.ts';
import { createBoundedServer, defaultLimits, type Limits } from '../../serve/server.ts';
import { folderPlace } from '../../sources/site/place.ts';
import { openSite, readMeta } from '../../sources/site/read.ts';
import { integerOption, refuseUnknown } from './check-options.ts';
import { defaults } from './defaults.ts';

export interface ServeOptions {
  /** The folder of the site. Default `build`. */
  readonly dir?: string | undefined;
  /** The port to listen on; 0 picks a free one. Default 3000. */
  readonly port?: number | undefined;
  /** The IP address to listen on, or `localhost`. Default 127.0.0.1, which only this machine can reach. */
  readonly listen?: string | undefined;
  /** Whether responses of the API are compressed, too: their `Vary` is then more than `Accept`. Default false. */
  readonly compress?: boolean | undefined;
  /** Called with one line per request, once it has ended. */
  readonly onRequest?: ((line: string) => void) | undefined;
  /** Called with one line per request that failed. */
  readonly onProblem?: ((line: string) => void) | undefined;
  /** Limits for clients. */
  readonly limits?: Partial<Limits> | undefined;
}

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
  refuseUnknown(options, 'dir port listen compress onRequest onProblem limits');
  const { dir = defaults.out, onRequest, onProblem = () => {} } = options;
  const port = integerOption('port', options.port ?? defaults.port);
  const address = checkListen(options.listen ?? defaults.listen);
  let isTold = false;
  const tellHow = (): void => {
    if (isTold || !isBeingChanged(dir)) return;
    isTold = true;
    onProblem(`${dir}: is being changed. ${HOW_TO_FINISH}`);
  };
  // It starts all the same, and responds as soon as somebody has finished what was interrupted.
  await settled(dir).catch(tellHow);
  const meta = readSite(dir);
  const withRelease = createReleases(dir, {
    maxBytes: MAX_BYTES,
    checkIntervalMs: CHECK_INTERVAL_MS,
    isChanging: isBeingChanged,
    readBase,
  });
  const compress = createCompress(MAX_COMPRESSED_BYTES);
  const compressesApi = options.compress ?? false;
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
    { ...defaultLimits, ...options.limits },
  );
  const bound = await server.listen(port, address);
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

function checkListen(address: string): string {
  if (isIP(address) !== 0 || address === 'localhost') return address;
  throw new UsageError(
    `--listen: got ${JSON.stringify(address)}, expected an IP address of this machine, or localhost`,
  );
}

/** A host for a URL: wildcard addresses cannot be opened in a browser. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIP(address) === 6 ? `[${address}]` : address;
}
