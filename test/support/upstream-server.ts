/** A real HTTP upstream on loopback: absolute links, paged lists, weak ETags with 304, gzip, and faults if told to. */

import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Kind, kindNames } from '../../src/contract/kinds.ts';
import { listen } from './loopback.ts';
import type { UpstreamData } from './upstream-data.ts';

/** Answers a request in another way; true if it did. `at` counts the requests from 1. */
export type Fault = (request: IncomingMessage, response: ServerResponse, at: number) => boolean;

/** A state of the upstream. */
export interface State {
  readonly data: UpstreamData;
  /** What its answers name; `deployed` in seconds since 1970. */
  readonly edition?: { readonly hash: string; readonly deployed: number } | undefined;
}

export interface UpstreamOptions {
  /** The state that answers a request, for a CDN that holds older ones, or a deploy meanwhile. `at` counts from 1. */
  readonly stateOf?: (request: { readonly path: string; readonly at: number }) => State;
  /** What `/meta/` answers; by default the edition of its state, or 404 if there is none. */
  readonly meta?: string;
  /** Milliseconds before each response. */
  readonly latency?: number;
  /** `Cache-Control: max-age`, in seconds; the live upstream says a day. */
  readonly maxAge?: number;
  readonly fault?: Fault;
  /** 0 for a free one. */
  readonly port?: number;
}

export interface UpstreamServer {
  /** The base address, such as `http://127.0.0.1:1234/api/v2`. */
  readonly url: string;
  /** The path and query of each request so far, with the status of its answer. */
  readonly log: { path: string; status: number; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

const GZIP_FROM_BYTES = 500;

export async function startUpstream(
  data: UpstreamData,
  options: UpstreamOptions = {},
): Promise<UpstreamServer> {
  const { latency = 0, maxAge = 0, fault, port = 0, stateOf = (): State => ({ data }), meta } = options;
  const log: UpstreamServer['log'] = [];

  const server = createServer((request, response) => {
    const at = log.push({ path: request.url ?? '', status: 0, headers: request.headers });
    response.on('close', () => Object.assign(log[at - 1] ?? {}, { status: response.statusCode }));
    setTimeout(() => {
      if (!fault?.(request, response, at)) answer(request, response, at);
    }, latency);
  });

  function answer(request: IncomingMessage, response: ServerResponse, at: number): void {
    const state = stateOf({ path: request.url ?? '', at });
    const { origin, pathname, searchParams } = new URL(request.url ?? '/', `http://${request.headers.host}`);
    const text =
      pathname === '/api/v2/meta/' ? metaOf(state) : body(state.data, pathname, searchParams, origin);
    const named = state.edition && {
      'x-pokeapi-hash': state.edition.hash,
      'x-pokeapi-deploy-date': `${state.edition.deployed}`,
    };
    if (text === undefined) {
      response
        .writeHead(404, { 'content-type': 'application/json', ...named })
        .end('{"detail":"Not found."}');
      return;
    }
    const etag = `W/"${hash('sha256', text).slice(0, 32)}"`;
    const headers = {
      ...named,
      etag,
      vary: 'accept-encoding',
      ...(maxAge > 0 && { 'cache-control': `public, max-age=${maxAge}` }),
    };
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, headers).end();
      return;
    }
    const compress =
      /\bgzip\b/.test(request.headers['accept-encoding'] ?? '') && text.length >= GZIP_FROM_BYTES;
    response
      .writeHead(200, {
        ...headers,
        'content-type': 'application/json; charset=utf-8',
        ...(compress && { 'content-encoding': 'gzip' }),
      })
      .end(compress ? gzipSync(text) : text);
  }

  function metaOf({ edition }: State): string | undefined {
    if (meta !== undefined) return meta;
    return edition && JSON.stringify({ deploy_date: `${edition.deployed}`, hash: edition.hash, tag: null });
  }

  function body(
    data: UpstreamData,
    pathname: string,
    query: URLSearchParams,
    origin: string,
  ): string | undefined {
    const [, kind, id] = /^\/api\/v2\/(\w+)\/(?:(\d+)\/)?$/.exec(pathname) ?? [];
    if (!isKind(kind)) return undefined;
    if (id === undefined) return list(data, kind, query, origin);
    return data.record(kind, Number(id))?.replaceAll('"/api/v2/', `"${origin}/api/v2/`);
  }

  function list(data: UpstreamData, kind: Kind, query: URLSearchParams, origin: string): string {
    const all = data.list(kind);
    const limit = Number(query.get('limit') ?? 20);
    const offset = Number(query.get('offset') ?? 0);
    const link = (to: number) => `${origin}/api/v2/${kind}/?offset=${to}&limit=${limit}`;
    return JSON.stringify({
      count: all.length,
      next: offset + limit < all.length ? link(offset + limit) : null,
      previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
      results: all
        .slice(offset, offset + limit)
        .map(({ id, name }) => ({ name, url: `${origin}/api/v2/${kind}/${id}/` })),
    });
  }

  const { url, stop } = await listen(server, port);
  return { url: `${url}/api/v2`, log, close: stop };
}

const isKind = (name: string | undefined): name is Kind => kindNames.some((kind) => kind === name);
