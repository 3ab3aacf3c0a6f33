/** Responds to a request from the network, whatever happens, and logs it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { API_PREFIX } from '../contract/paths.ts';
import { printable } from '../contract/words.ts';
import { type Compress, negotiateEncoding } from './compression.ts';
import { type PlainRequest, type PlainResponse, resolveTarget } from './handler/index.ts';
import { type Release, SiteReplacedError, type WithRelease } from './release.ts';
import { packedFile, sendFile } from './static-file.ts';
import { serverError, writeResponse } from './write-response.ts';

export interface RespondOptions {
  readonly withRelease: WithRelease;
  readonly compress: Compress;
  /** Whether responses of the API are compressed, too. */
  readonly compressesApi: boolean;
  /** Called with a line about an unexpected failure. */
  readonly onProblem: (line: string) => void;
  /** Called if there is no site to respond with, as it is being replaced. */
  readonly onReplaced: () => void;
}

/** Responds to a request. Never rejects. */
export async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: RespondOptions,
): Promise<void> {
  try {
    const answered = await options.withRelease((release) => answer(request, response, release, options));
    if (answered) await writeResponse(request, response, answered);
  } catch (error) {
    const isReplaced = error instanceof SiteReplacedError;
    const problem = isReplaced ? 'the site is being replaced' : explain(error);
    options.onProblem(`${request.method} ${request.url}: ${problem}`);
    if (isReplaced) options.onReplaced();
    const refusal = isReplaced ? serverError(503, { 'Retry-After': '1' }) : serverError(500);
    if (response.headersSent) response.destroy();
    else await writeResponse(request, response, refusal);
  }
}

/** The response; undefined if it has been sent already. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  release: Release,
  { compress, compressesApi }: RespondOptions,
): Promise<PlainResponse | undefined> {
  const plain = toPlain(request);
  const { base } = release;
  const file = fileBeside(plain, base);
  if (file) {
    const packed = await packedFile(request, plain, release, { file, compress });
    if (packed) return packed;
    return (await sendFile(request, response, release, file)) ? undefined : release.respond(plain);
  }
  // Nothing else is outside of the base path.
  if (base !== '' && plain.path === '/')
    return { status: 302, headers: { Location: `${base}/` }, body: null };
  return compressesApi
    ? compress(negotiateEncoding(request), plain, release.respond)
    : release.respond(plain);
}

function toPlain({ method = 'GET', url = '/', headers }: IncomingMessage): PlainRequest {
  const get = (name: string): string | null => headers[name.toLowerCase()]?.toString() ?? null;
  return { method, ...splitTarget(url), headers: { get } };
}

/**
 * Path and query as they were sent (https://httpwg.org/specs/rfc9112.html#request.target). A WHATWG URL would resolve dot
 * segments, replace backslashes and drop fragments, and so lead to other resources.
 */
export function splitTarget(target: string): Pick<PlainRequest, 'path' | 'search'> {
  const local = target.startsWith('/') ? target : target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '');
  // Not allowed in a URL: in a redirect, clients would misinterpret them.
  const encoded = local.replaceAll('\\', '%5C').replaceAll('#', '%23');
  const [path = ''] = encoded.split('?', 1);
  return { path: path || '/', search: encoded.slice(path.length) };
}

/** The file that a request is for, if it is not part of the API. */
function fileBeside({ method, path }: PlainRequest, base: string): string | undefined {
  if (path.startsWith(API_PREFIX, base.length) || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const target = resolveTarget(path, base);
  return target.type === 'file' && !`/${target.file}`.startsWith(API_PREFIX) ? target.file : undefined;
}

const explain = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `GET /api/gamedata/move/ 200 12240 B 0.4 ms`, with the size of the body. */
export function logRequest(
  request: IncomingMessage,
  response: ServerResponse,
  print: (line: string) => void,
): void {
  const started = performance.now();
  response.on('close', () => {
    const { method, url } = request;
    const { statusCode, writableFinished } = response;
    const hasBody = method !== 'HEAD' && statusCode !== 304 && statusCode !== 204;
    const bytes = hasBody ? (response.getHeader('Content-Length') ?? 0) : 0;
    const took = (performance.now() - started).toFixed(1);
    const end = writableFinished ? '' : ', cut off';
    print(printable(`${method} ${url} ${statusCode} ${bytes} B ${took} ms${end}`));
  });
}
