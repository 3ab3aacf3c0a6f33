/** The probe: sends any request to a deployment, and returns its response whatever the status. */

import pLimit from 'p-limit';
import { parseJson } from '../contract/parse.ts';
import { errorCode, UpstreamError } from '../errors.ts';
import { decompress, MAX_BODY_BYTES } from './body.ts';
import { type ClientOptions, createClient, type RawResponse, type RequestOptions } from './client.ts';
import { asFailedAttempt } from './retry.ts';

/** The path is relative to the deployment's base URL. */
export interface ProbeRequest extends Partial<RequestOptions> {
  readonly path: string;
}

export type ProbeResponse = ReturnType<typeof asProbeResponse>;
export type Probe = ReturnType<typeof createProbe>;

/** @throws UsageError if the environment names an invalid proxy */
export function createProbe(address: string, options: Pick<ClientOptions, 'concurrency' | 'timeouts'>) {
  const client = createClient({ ...options, retries: 0 });
  const limit = pLimit(options.concurrency);
  /** Large bodies one at a time: their sum counts. */
  const limitLarge = pLimit(1);

  async function attempt(request: ProbeRequest, attempts = 1): Promise<ProbeResponse> {
    const { method = 'GET', path, maxBytes = MAX_BODY_BYTES } = request;
    const url = `${address}${path}`;
    try {
      const response = await client.request(url, { ...request, maxBytes });
      return asProbeResponse(describe(request), response, maxBytes);
    } catch (error) {
      // A keep-alive connection may be closed just as it is reused: one retry tells this from a failure.
      if (attempts === 1 && ['UND_ERR_SOCKET', 'ECONNRESET'].includes(errorCode(error)))
        return attempt(request, 2);
      const { message, cause, failure } = asFailedAttempt(error);
      const options = { cause, hint: failure.hint };
      throw new UpstreamError(message, { method, url, attempts, unreachable: true }, options);
    }
  }

  const send = (request: ProbeRequest): Promise<ProbeResponse> =>
    (request.maxBytes ?? 0) > MAX_BODY_BYTES ? limitLarge(attempt, request) : limit(attempt, request);
  return {
    address,
    send,
    /** What was seen, in the order of the requests. Responses are not kept, as there may be hundreds of thousands, of any size. */
    sendAll: <R extends ProbeRequest, T>(
      requests: readonly R[],
      look: (response: ProbeResponse, request: R) => T,
    ): Promise<T[]> => Promise.all(requests.map(async (request) => look(await send(request), request))),
    close: client.close,
  };
}

function asProbeResponse(request: string, { status, headers, body }: RawResponse, maxBytes: number) {
  const header = (name: string): string | undefined => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const encoding = header('content-encoding');
  // The response to HEAD has the header without the body.
  const text = new TextDecoder().decode(body.length === 0 ? body : decompress(body, encoding, maxBytes));
  return {
    request,
    status,
    /** The `Content-Encoding`; undefined for none. It has been undone. */
    encoding,
    header,
    text,
    /** The body as JSON, whatever its type says; undefined if it is not JSON. */
    get json(): unknown {
      return parseJson(text);
    },
  };
}

/** `POST /api/gamedata/move/ (Accept: text/html)` */
function describe({ method = 'GET', path, headers = {} }: ProbeRequest): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path}${fields.length > 0 ? ` (${fields.join('; ')})` : ''}`;
}
