/** Responds to a request from the network, whatever happens. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { API_PREFIX } from '../contract/paths.ts';
import { type PlainRequest, resolveTarget } from '../handler/index.ts';
import { type Edition, SiteReplacedError, type WithEdition } from './edition.ts';
import { splitTarget } from './request-target.ts';
import { sendFile } from './static-file.ts';
import { errorResponse, hasBody, writeResponse } from './write-response.ts';

/** Responds to a request. Never rejects; `onProblem` is called with a line about unexpected failures. */
export async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { withEdition, onProblem }: { withEdition: WithEdition; onProblem: (line: string) => void },
): Promise<void> {
  try {
    const plain = toPlain(request);
    const file = fileBeside(plain);
    if (file && (await withEdition((edition) => stream(request, response, edition, file)))) return;
    await writeResponse(request, response, await withEdition((edition) => edition.respond(plain)));
  } catch (error) {
    const status = error instanceof SiteReplacedError ? 503 : 500;
    onProblem(
      `${request.method} ${request.url}: ${status === 503 ? 'the site is being replaced' : explain(error)}`,
    );
    if (response.headersSent) response.destroy();
    else
      await writeResponse(
        request,
        response,
        errorResponse(status, status === 503 ? { 'Retry-After': '1' } : {}),
      );
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

function stream(
  request: IncomingMessage,
  response: ServerResponse,
  edition: Edition,
  file: string,
): Promise<boolean> {
  if (hasBody(request)) response.setHeader('Connection', 'close');
  return sendFile(request, response, edition, file);
}

const explain = (error: unknown): string => (error instanceof Error ? error.message : String(error));
