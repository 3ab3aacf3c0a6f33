/** The access log: one line per request. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { printable } from '../contract/words.ts';

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
