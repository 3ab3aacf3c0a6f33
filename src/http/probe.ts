import pLimit from 'p-limit';
import { parseJson } from '../contract/parse.ts';
import { errorCode, UpstreamError } from '../errors.ts';
import { decompress, MAX_BODY_BYTES } from './body.ts';
import {
  type ClientOptions,
  createClient,
  type RawResponse,
  type RequestOptions,
} from './client.ts';
import { toAttemptError } from './retry.ts';

/** The path is relative to the deployment's base URL. */
export interface ProbeRequest extends Partial<RequestOptions> {
  readonly path: string;
}

export type ProbeResponse = ReturnType<typeof readResponse>;
export type Probe = ReturnType<typeof createProbe>;

export function createProbe(
  address: string,
  options: Pick<ClientOptions, 'concurrency' | 'timeouts'>,
) {
  const client = createClient({ ...options, retries: 0 });
  const limit = pLimit(options.concurrency);
  const limitLarge = pLimit(1);

  async function attempt(request: ProbeRequest, attempts = 1): Promise<ProbeResponse> {
    const { method = 'GET', path, maxBytes = MAX_BODY_BYTES } = request;
    const url = `${address}${path}`;
    try {
      return readResponse(request, await client.request(url, { ...request, maxBytes }), maxBytes);
    } catch (error) {
      // A server may close a keep-alive connection while we reuse it, so we retry once.
      if (attempts === 1 && ['UND_ERR_SOCKET', 'ECONNRESET'].includes(errorCode(error)))
        return attempt(request, 2);
      const { message, cause, failure } = toAttemptError(error);
      const options = { cause, hint: failure.hint };
      throw new UpstreamError(message, { method, url, attempts, unreachable: true }, options);
    }
  }

  return {
    address,
    send: (request: ProbeRequest): Promise<ProbeResponse> =>
      (request.maxBytes ?? 0) > MAX_BODY_BYTES
        ? limitLarge(attempt, request)
        : limit(attempt, request),
    close: client.close,
  };
}

function readResponse(
  request: ProbeRequest,
  { status, headers, body: sent }: RawResponse,
  maxBytes: number,
) {
  const { method = 'GET', path, headers: fields = {} } = request;
  const header = (name: string): string | undefined => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const encoding = header('content-encoding');
  // A HEAD response may have `Content-Encoding` but has no body.
  const body = sent.length === 0 ? sent : decompress(sent, encoding, maxBytes);
  const text = new TextDecoder().decode(body);
  const shown = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return {
    /** `POST /api/gamedata/move/ (Accept: text/html)` */
    request: `${method} ${path}${shown.length > 0 ? ` (${shown.join('; ')})` : ''}`,
    status,
    header,
    encoding,
    body,
    text,
    get json(): unknown {
      return parseJson(text);
    },
  };
}
