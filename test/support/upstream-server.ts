/**
 * A real HTTP upstream on loopback: absolute links, paged lists, weak ETags with
 * 304, gzip, editions and faults.
 */

import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Kind, kindNames } from '../../src/contract/kinds.ts';
import { listen } from './loopback.ts';
import type { UpstreamData } from './upstream-data.ts';

/**
 * Returns true if it has sent the response itself. `at` is the request's number,
 * starting at 1.
 */
export type Fault = (
  request: IncomingMessage,
  response: ServerResponse,
  at: number,
) => boolean;

export interface State {
  readonly data: UpstreamData;
  /** `deployed` in seconds since 1970. */
  readonly edition?:
    | { readonly hash: string; readonly deployed: number }
    | undefined;
}

export interface UpstreamOptions {
  /** The state for a request, such as an older one in a CDN. */
  readonly stateOf?: (request: {
    readonly path: string;
    readonly at: number;
  }) => State;
  /** The body of `/meta/`. Default: the edition of the state, or 404 without one. */
  readonly meta?: string;
  /** The delay before each response, in milliseconds. */
  readonly latency?: number;
  /** In seconds, for `Cache-Control: max-age`. */
  readonly maxAge?: number;
  readonly fault?: Fault;
  /** The default is a free port. */
  readonly port?: number;
}

export interface UpstreamServer {
  /** The base URL, such as `http://127.0.0.1:1234/api/v2`. */
  readonly url: string;
  readonly log: {
    path: string;
    status: number;
    headers: IncomingMessage['headers'];
  }[];
  close(): Promise<void>;
}

const GZIP_FROM_BYTES = 500;

/**
 * Starts a server that responds like the upstream. Each request is logged as soon as
 * it arrives, and its status is added when the response ends. After the latency, the
 * fault may respond instead of the server, or let the server respond by returning
 * false.
 */
export async function startUpstream(
  data: UpstreamData,
  options: UpstreamOptions = {},
): Promise<UpstreamServer> {
  const {
    latency = 0,
    maxAge = 0,
    fault,
    port = 0,
    stateOf = (): State => ({ data }),
    meta,
  } = options;
  const log: UpstreamServer['log'] = [];

  const server = createServer((request, response) => {
    const { url: path = '', headers } = request;
    const entry = { path, status: 0, headers };
    const at = log.push(entry);
    response.on('close', () => {
      entry.status = response.statusCode;
    });
    setTimeout(() => {
      if (!fault?.(request, response, at)) respond(request, response, at);
    }, latency);
  });

  function respond(
    request: IncomingMessage,
    response: ServerResponse,
    at: number,
  ): void {
    const { url: path = '/', headers: sentHeaders } = request;
    const { data, edition } = stateOf({ path, at });
    const url = new URL(path, `http://${sentHeaders.host}`);
    const isMeta = url.pathname === '/api/v2/meta/';
    const text = isMeta ? (meta ?? createMeta(edition)) : findBody(data, url);
    const editionHeaders = edition && {
      'x-pokeapi-hash': edition.hash,
      'x-pokeapi-deploy-date': `${edition.deployed}`,
    };
    const type = {
      'content-type': 'application/json; charset=utf-8',
      ...editionHeaders,
    };
    if (text === undefined) {
      response.writeHead(404, type).end('{"detail":"Not found."}');
      return;
    }
    const etag = `W/"${hash('sha256', text).slice(0, 32)}"`;
    const headers = {
      ...editionHeaders,
      etag,
      vary: 'accept-encoding',
      ...(maxAge > 0 && { 'cache-control': `public, max-age=${maxAge}` }),
    };
    if (sentHeaders['if-none-match'] === etag) {
      response.writeHead(304, headers).end();
      return;
    }
    const acceptsGzip = /\bgzip\b/.test(sentHeaders['accept-encoding'] ?? '');
    if (acceptsGzip && text.length >= GZIP_FROM_BYTES) {
      const encoding = { 'content-encoding': 'gzip' };
      response
        .writeHead(200, { ...headers, ...type, ...encoding })
        .end(gzipSync(text));
      return;
    }
    response.writeHead(200, { ...headers, ...type }).end(text);
  }

  const { url, stop } = await listen(server, port);
  return { url: `${url}/api/v2`, log, close: stop };
}

function createMeta(edition: State['edition']): string | undefined {
  if (!edition) return undefined;
  return JSON.stringify({
    deploy_date: `${edition.deployed}`,
    hash: edition.hash,
    tag: null,
  });
}

function findBody(
  data: UpstreamData,
  { origin, pathname, searchParams }: URL,
): string | undefined {
  const [, name, id] = /^\/api\/v2\/(\w+)\/(?:(\d+)\/)?$/.exec(pathname) ?? [];
  const kind = kindNames.find((one) => one === name);
  if (!kind) return undefined;
  if (id === undefined) return createList(data, kind, searchParams, origin);
  return data
    .record(kind, Number(id))
    ?.replaceAll('"/api/v2/', `"${origin}/api/v2/`);
}

function createList(
  data: UpstreamData,
  kind: Kind,
  query: URLSearchParams,
  origin: string,
): string {
  const records = data.list(kind);
  const limit = Number(query.get('limit') ?? 20);
  const offset = Number(query.get('offset') ?? 0);
  const end = offset + limit;
  const base = `${origin}/api/v2/${kind}/`;
  const link = (start: number): string => `${base}?offset=${start}&limit=${limit}`;
  const results = records
    .slice(offset, end)
    .map(({ id, name }) => ({ name, url: `${base}${id}/` }));
  return JSON.stringify({
    count: records.length,
    next: end < records.length ? link(end) : null,
    previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
    results,
  });
}
