/** Responds to a request from the network, whatever happens. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { API_PREFIX } from '../contract/paths.ts';
import { type PlainRequest, resolveTarget } from '../handler/index.ts';
import { SiteReplacedError, type WithRelease } from './release.ts';
import { splitTarget } from './request-target.ts';
import { sendFile } from './static-file.ts';
import { errorResponse, writeResponse } from './write-response.ts';

/** Responds to a request. Never rejects; `onProblem` is called with a line about unexpected failures. */
export async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { withRelease, onProblem }: { withRelease: WithRelease; onProblem: (line: string) => void },
): Promise<void> {
  try {
    const plain = toPlain(request);
    const file = fileBeside(plain);
    if (file && (await withRelease((release) => sendFile(request, response, release, file)))) return;
    await writeResponse(request, response, await withRelease((release) => release.respond(plain)));
  } catch (error) {
    const isReplaced = error instanceof SiteReplacedError;
    const problem = isReplaced ? 'the site is being replaced' : explain(error);
    onProblem(`${request.method} ${request.url}: ${problem}`);
    const refusal = isReplaced ? errorResponse(503, { 'Retry-After': '1' }) : errorResponse(500);
    if (response.headersSent) response.destroy();
    else await writeResponse(request, response, refusal);
  }
}

function toPlain({ method = 'GET', url = '/', headers }: IncomingMessage): PlainRequest {
  const get = (name: string): string | null => headers[name.toLowerCase()]?.toString() ?? null;
  return { method, ...splitTarget(url), headers: { get, has: (name) => get(name) !== null } };
}

/** The file that a request is for, if it is not part of the API. */
function fileBeside({ method, path }: PlainRequest): string | undefined {
  if (path.startsWith(API_PREFIX) || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const target = resolveTarget(path);
  return target.type === 'file' && !`/${target.file}`.startsWith(API_PREFIX) ? target.file : undefined;
}

const explain = (error: unknown): string => (error instanceof Error ? error.message : String(error));
