/** Responds to a request from the network, whatever happens. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { API_PREFIX } from '../contract/paths.ts';
import { type Compress, negotiateEncoding, respondCompressed } from './compression.ts';
import { type PlainRequest, type PlainResponse, resolveTarget } from './handler/index.ts';
import { type Release, SiteReplacedError, type WithRelease } from './release.ts';
import { splitTarget } from './request-target.ts';
import { packedFile, sendFile } from './static-file.ts';
import { errorResponse, writeResponse } from './write-response.ts';

export interface RespondOptions {
  readonly withRelease: WithRelease;
  readonly compress: Compress;
  /** Whether responses of the API are compressed, too. */
  readonly compressesApi: boolean;
  /** Called with a line about an unexpected failure. */
  readonly onProblem: (line: string) => void;
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
    const refusal = isReplaced ? errorResponse(503, { 'Retry-After': '1' }) : errorResponse(500);
    if (response.headersSent) response.destroy();
    else await writeResponse(request, response, refusal);
  }
}

/** The response; undefined if it has been sent already. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  release: Release,
  { compress, compressesApi }: RespondOptions,
): Promise<PlainResponse | undefined> {
  const plain = toPlain(request);
  const file = fileBeside(plain, release.base);
  if (file) return answerFile(request, response, release, { plain, file, compress });
  if (release.base !== '' && plain.path === '/') return Promise.resolve(toBase(release));
  return compressesApi
    ? respondCompressed(plain, compress, negotiateEncoding(request), release.respond)
    : release.respond(plain);
}

/** Nothing else is outside of the base path. */
const toBase = ({ base }: Release): PlainResponse => ({
  status: 302,
  headers: { Location: `${base}/` },
  body: null,
});

async function answerFile(
  request: IncomingMessage,
  response: ServerResponse,
  release: Release,
  { plain, file, compress }: { plain: PlainRequest; file: string; compress: Compress },
): Promise<PlainResponse | undefined> {
  const packed = await packedFile(request, plain, release, { file, compress });
  if (packed) return packed;
  return (await sendFile(request, response, release, file)) ? undefined : release.respond(plain);
}

function toPlain({ method = 'GET', url = '/', headers }: IncomingMessage): PlainRequest {
  const get = (name: string): string | null => headers[name.toLowerCase()]?.toString() ?? null;
  return { method, ...splitTarget(url), headers: { get, has: (name) => get(name) !== null } };
}

/** The file that a request is for, if it is not part of the API. */
function fileBeside({ method, path }: PlainRequest, base: string): string | undefined {
  if (path.startsWith(API_PREFIX, base.length) || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const target = resolveTarget(path, base);
  return target.type === 'file' && !`/${target.file}`.startsWith(API_PREFIX) ? target.file : undefined;
}

const explain = (error: unknown): string => (error instanceof Error ? error.message : String(error));
