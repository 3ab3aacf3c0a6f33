/** A real HTTP upstream on loopback: absolute links, paged lists, weak ETags with 304, gzip, editions and faults. */

import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Kind, kindNames } from '../../src/contract/kinds.ts';
import { listen } from './loopback.ts';
import type { UpstreamData } from './upstream-data.ts';

/** Returns true if it responds itself. `at` counts the requests from 1. */
export type Fault = (request: IncomingMessage, response: ServerResponse, at: number) => boolean;

export interface State {
  readonly data: UpstreamData;
  /** `deployed` in seconds since 1970. */
  readonly edition?: { readonly hash: string; readonly deployed: number } | undefined;
}

export interface UpstreamOptions {
  /** The state for a request, such as an older one in a CDN. */
  readonly stateOf?: (request: { readonly path: string; readonly at: number }) => State;
  /** The body of `/meta/`. Default: the edition of the state, or 404 without one. */
  readonly meta?: string;
  /** In milliseconds, before each response. */
  readonly latency?: number;
  /** In seconds, for `Cache-Control: max-age`. */
  readonly maxAge?: number;
  readonly fault?: Fault;
  /** Default: a free one. */
  readonly port?: number;
}

export interface UpstreamServer {
  /** The base URL, such as `http://127.0.0.1:1234/api/v2`. */
  readonly url: string;
  readonly log: { path: string; status: number; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

const GZIP_FROM_BYTES = 500;

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
    const at = log.push({ path: request.url ?? '', status: 0, headers: request.headers });
    response.on('close', () => Object.assign(log[at - 1] ?? {}, { status: response.statusCode }));
    setTimeout(() => {
      if (!fault?.(request, response, at)) respond(request, response, at);
    }, latency);
  });

  function respond(
    { url: path = '/', headers: sent }: IncomingMessage,
    response: ServerResponse,
    at: number,
  ) {
    const { data, edition } = stateOf({ path, at });
    const url = new URL(path, `http://${sent.host}`);
    const ownMeta =
      edition &&
      JSON.stringify({ deploy_date: `${edition.deployed}`, hash: edition.hash, tag: null });
    const text = url.pathname === '/api/v2/meta/' ? (meta ?? ownMeta) : findBody(data, url);
    const named = edition && {
      'x-pokeapi-hash': edition.hash,
      'x-pokeapi-deploy-date': `${edition.deployed}`,
    };
    const type = { 'content-type': 'application/json; charset=utf-8', ...named };
    if (text === undefined) return response.writeHead(404, type).end('{"detail":"Not found."}');
    const etag = `W/"${hash('sha256', text).slice(0, 32)}"`;
    const headers = {
      ...{ ...named, etag, vary: 'accept-encoding' },
      ...(maxAge > 0 && { 'cache-control': `public, max-age=${maxAge}` }),
    };
    if (sent['if-none-match'] === etag) return response.writeHead(304, headers).end();
    const isCompressed =
      /\bgzip\b/.test(sent['accept-encoding'] ?? '') && text.length >= GZIP_FROM_BYTES;
    const encoding = isCompressed && { 'content-encoding': 'gzip' };
    return response
      .writeHead(200, { ...headers, ...type, ...encoding })
      .end(isCompressed ? gzipSync(text) : text);
  }

  const { url, stop } = await listen(server, port);
  return { url: `${url}/api/v2`, log, close: stop };
}

function findBody(data: UpstreamData, { origin, pathname, searchParams }: URL): string | undefined {
  const [, name, id] = /^\/api\/v2\/(\w+)\/(?:(\d+)\/)?$/.exec(pathname) ?? [];
  const kind = kindNames.find((one) => one === name);
  if (!kind) return undefined;
  if (id === undefined) return createList(data, kind, searchParams, origin);
  return data.record(kind, Number(id))?.replaceAll('"/api/v2/', `"${origin}/api/v2/`);
}

function createList(
  data: UpstreamData,
  kind: Kind,
  query: URLSearchParams,
  origin: string,
): string {
  const all = data.list(kind);
  const [limit, offset] = [Number(query.get('limit') ?? 20), Number(query.get('offset') ?? 0)];
  const base = `${origin}/api/v2/${kind}/`;
  const link = (to: number) => `${base}?offset=${to}&limit=${limit}`;
  return JSON.stringify({
    count: all.length,
    next: offset + limit < all.length ? link(offset + limit) : null,
    previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
    results: all
      .slice(offset, offset + limit)
      .map(({ id, name }) => ({ name, url: `${base}${id}/` })),
  });
}
