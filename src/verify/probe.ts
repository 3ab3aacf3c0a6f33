/** The probe: asks a deployment one thing at a time and takes the answer as it comes, whatever its status. */

import pLimit from 'p-limit';
import { Agent, type Dispatcher, request } from 'undici';
import { errorCode, UpstreamError } from '../errors.ts';
import { USER_AGENT } from '../version.ts';

/** A question: the path is behind the deployment's address. */
export interface Question {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  /** The question in one line, for messages. */
  readonly question: string;
  readonly status: number;
  /** The header's value; several are joined by commas. */
  header(name: string): string | undefined;
  readonly text: string;
  /** The body as JSON, whatever its type says; undefined where it is none. */
  readonly json: unknown;
}

export interface Probe {
  /** @throws UpstreamError where no answer comes */
  ask(question: Question): Promise<Reply>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 30_000;

export function createProbe(address: string, { concurrency }: { concurrency: number }): Probe {
  const dispatcher = new Agent({
    connections: concurrency,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const limit = pLimit(concurrency);
  return {
    ask: (question) => limit(ask, dispatcher, address, question),
    close: () => dispatcher.destroy(),
  };
}

/** A connection may be closed just when it is used again: one more attempt is no leniency. */
const ATTEMPTS = 2;

async function ask(dispatcher: Dispatcher, address: string, question: Question): Promise<Reply> {
  const { method = 'GET', path, headers = {} } = question;
  for (let attempts = 1; ; attempts++) {
    try {
      const answer = await request(`${address}${path}`, {
        dispatcher,
        method: method as Dispatcher.HttpMethod,
        headers: { 'user-agent': USER_AGENT, ...headers },
      });
      return reply(describe(question), answer.statusCode, answer.headers, await answer.body.text());
    } catch (cause) {
      const code = errorCode(cause);
      if (attempts < ATTEMPTS && (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')) continue;
      const failed = { method, url: `${address}${path}`, attempts, unreachable: true };
      throw new UpstreamError(`no answer (${code || String(cause)})`, failed, { cause });
    }
  }
}

function reply(
  question: string,
  status: number,
  headers: Dispatcher.ResponseData['headers'],
  text: string,
): Reply {
  return {
    question,
    status,
    header(name) {
      const value = headers[name.toLowerCase()];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    text,
    get json() {
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
    },
  };
}

/** `POST /api/gamedata/move/ (Accept: text/html)` */
function describe({ method = 'GET', path, headers = {} }: Question): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path}${fields.length > 0 ? ` (${fields.join('; ')})` : ''}`;
}
