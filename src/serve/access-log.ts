/** The access log: one line per request. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { printable } from '../contract/words.ts';
import { lengthOf } from './write-response.ts';

/** `GET /api/gamedata/move/ 200 12240 B 0.4 ms`, with the size of the body. */
export function logRequest(
  request: IncomingMessage,
  response: ServerResponse,
  print: (line: string) => void,
): void {
  const started = performance.now();
  response.on('close', () => {
    const { method, url } = request;
    const bytes = hasNoBody(request, response) ? 0 : lengthOf(response);
    const took = (performance.now() - started).toFixed(1);
    const end = response.writableFinished ? '' : ', cut off';
    print(printable(`${method} ${url} ${response.statusCode} ${bytes} B ${took} ms${end}`));
  });
}

const hasNoBody = ({ method }: IncomingMessage, { statusCode }: ServerResponse): boolean =>
  method === 'HEAD' || statusCode === 304 || statusCode === 204;
