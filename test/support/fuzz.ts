/** Requests as nobody sane would send them, and what has to be true of every response all the same. */

import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { apiHeaders, commonHeaders, htmlHeaders } from '../../src/contract/headers.ts';
import { type Kind, kindNames } from '../../src/contract/kinds.ts';
import { API_PREFIX, listPath } from '../../src/contract/paths.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { createResponder, type PlainResponse } from '../../src/serve/handler/index.ts';
import { splitTarget } from '../../src/serve/respond.ts';
import { startServe } from './engines/serve.ts';
import { inFolder } from './folders.ts';
import { browsePage, handledSite } from './handled-site.ts';
import { type Random, seeded } from './random.ts';
import { rawRecords, siteOf } from './sites.ts';

const FUZZ_COUNTS = { move: 250, item: 137 } as const;
const fuzzRecords = () => rawRecords(FUZZ_COUNTS.move, FUZZ_COUNTS.item);

interface FuzzRequest {
  readonly method: string;
  /** As it goes over the wire. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

const methods = 'GET GET GET GET GET HEAD OPTIONS POST PUT DELETE PATCH TRACE PROPFIND'.split(' ');
const segments = [
  ...'api gamedata move item offset 100 index.json move-1 item-3 sprites items MOVE-1 unknown.png'.split(' '),
  ...'.. . %2e%2e %2E. ..%2f %2f %5c \\ %00 % %zz %ff %c3%a9 ~ ;x * # _headers'.split(' '),
  ...'.git con __proto__ constructor etc passwd'.split(' '),
  'a'.repeat(300),
  '',
];
const numbers = [
  ...'0 1 2 99 100 101 137 200 249 250 251 1000 -1 -0 +5 %207 1.5 1e2 0x10 007 9007199254740993'.split(' '),
  ...'NaN Infinity x %31%30 %EF%BC%91 %D9%A3 1_000 %00 5% --1'.split(' '),
  '9'.repeat(40),
  '',
];
const names = [
  ...'limit offset format Limit li%6dit off%73et page __proto__ % limit[] +limit'.split(' '),
  '',
];
const formats = ['api', 'json', 'xml', '', 'API', '%61pi', 'api%00', 'html'];
const accepts = [
  ...[
    '*/*',
    'text/html',
    'application/json',
    'text/html,*/*;q=0.8',
    'application/json; indent=4',
    'text/*',
    'image/png',
  ],
  ...[
    'application/json;indent=999999999',
    ';q=',
    '*/*;q=0',
    'text/html;q=NaN',
    ','.repeat(500),
    '\xff',
    'a/b/c',
    'application/*;q=0.5, text/html;q=0.4',
  ],
];
const tags = ['*', '"x"', 'W/"x"', '', '"', 'W/', `"${'a'.repeat(900)}"`, '"a", "b", W/"c"', ','];
const targets = [
  '/api/gamedata/move/',
  '/api/gamedata/item/',
  '/api/gamedata/',
  '/api/gamedata/move/move-7/',
  '/',
  '/api/gamedata/move',
  '/browse.html',
  '/meta.json',
];

function makeRequest(random: Random): FuzzRequest {
  const often = random.fraction();
  const target =
    often < 0.5
      ? random.pick(targets)
      : often < 0.55
        ? bytes(random)
        : `${random.pick(['/', '//', API_PREFIX, API_PREFIX, '/api/gamedata/move/', 'http://other.test/', ''])}${Array.from({ length: random.below(6) }, () => random.pick(segments)).join('/')}${random.pick(['', '/'])}`;
  const query = Array.from({ length: random.below(5) }, () => {
    const name = random.pick([random.pick(names), 'limit', 'offset', 'format']);
    const value =
      name === 'format'
        ? random.pick(formats)
        : random.pick([random.pick(numbers), String(random.below(400))]);
    return `${name}${random.pick(['=', '=', '=', '=', ''])}${value}`;
  }).join(random.pick(['&', '&', '&', ';', '&&']));
  const headers: [string, string][] = [];
  if (random.below(3) === 0) headers.push(['Accept', random.pick(accepts)]);
  if (random.below(5) === 0) headers.push(['If-None-Match', random.pick(tags)]);
  if (random.below(12) === 0)
    headers.push(['Access-Control-Request-Method', random.pick(['GET', 'PUT', ''])]);
  if (random.below(12) === 0)
    headers.push(['Range', random.pick(['bytes=0-1', 'bytes=9-1', 'bytes=-', 'x'])]);
  return { method: random.pick(methods), target: query === '' ? target : `${target}?${query}`, headers };
}

/** What is no target at all: any bytes but those that end it. */
const bytes = (random: Random): string =>
  `/${Array.from({ length: random.below(40) }, () => String.fromCharCode(33 + random.below(222))).join('')}`;

/** An answer, wherever it came from. Header names are lower-case. */
interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Everything that is wrong with a response. */
function judge({ method, target, headers }: FuzzRequest, { status, headers: got, body }: Seen): string[] {
  const problems: string[] = [];
  const note = (wrong: boolean, problem: string): void => void (wrong && problems.push(problem));
  note(
    status >= 500 || ![200, 204, 206, 301, 302, 304, 400, 404, 405, 406, 412, 416, 431].includes(status),
    `status ${status}`,
  );
  note(/root:.*:0:0:|outside the site/.test(body), 'a file outside the site');
  const expected: Record<string, string> = { ...commonHeaders };
  const { path: asked, search } = splitTarget(target);
  const isApi = target.startsWith(API_PREFIX) && status !== 400;
  if (isApi) Object.assign(expected, { Allow: apiHeaders.Allow, Vary: apiHeaders.Vary });
  if (got['content-type']?.startsWith('text/html')) Object.assign(expected, htmlHeaders);
  for (const [name, value] of Object.entries(expected)) {
    const had = got[name.toLowerCase()];
    note(had !== value, `${name}: ${had}, expected ${value}`);
  }
  note(status === 301 && !/^\/(?!\/)\S*$/.test(got.location ?? ''), `a redirect to ${got.location}`);
  note(
    status === 302 && !got.location?.startsWith('https://raw.githubusercontent.com/PokeAPI/sprites/'),
    `sent away to ${got.location}`,
  );
  // Browsers get a page, and only for what is not there.
  const accept = headers.find(([name]) => name === 'Accept')?.[1] ?? '';
  const isPage = status === 404 && method === 'GET' && accept.includes('text/') && body === browsePage.body;
  if (status >= 400 && method !== 'HEAD' && body !== '')
    note(!isPage && !isDetail(body), `a refusal of ${body.slice(0, 80)}`);
  const kind = kindNames.find((name) => asked === listPath(name));
  const isJson = got['content-type']?.startsWith('application/json');
  if (status === 200 && kind && method === 'GET' && isJson) {
    const problem = judgeWindow(body, kind, new URLSearchParams(search));
    note(problem !== undefined, problem ?? '');
  }
  return problems.map(
    (problem) => `${method} ${JSON.stringify(target)} ${JSON.stringify(headers)}: ${problem}`,
  );
}

function isDetail(body: string): boolean {
  try {
    return typeof JSON.parse(body).detail === 'string';
  } catch {
    return false;
  }
}

/** Compares with a plain slice. What counts as a number is decided here by plain ones alone; for others it only has to be some slice. */
function judgeWindow(body: string, kind: Kind, query: URLSearchParams): string | undefined {
  const count = FUZZ_COUNTS[kind];
  const ids = Array.from({ length: count }, (_, at) => at + 1);
  const page = JSON.parse(body) as {
    count: number;
    next: string | null;
    previous: string | null;
    results: { id: number }[];
  };
  const got = page.results.map(({ id }) => id);
  if (page.count !== count) return `count ${page.count}`;
  const start = (got[0] ?? 1) - 1;
  if (got.join() !== ids.slice(start, start + got.length).join()) return `no slice: ${got.join()}`;
  const [limit, offset] = [plain(query, 'limit', 100), plain(query, 'offset', 0)];
  if (limit === undefined || offset === undefined) return undefined;
  const size = limit === 0 ? 100 : limit;
  if (got.join() !== ids.slice(offset, offset + size).join())
    return `ids ${got.join()}, expected offset ${offset}, limit ${size}`;
  const format = query.getAll('format').at(-1) === 'json' ? 'json' : 'api';
  const link = (to: number): string =>
    `https://example.test/api/gamedata/${kind}/?format=${format}&limit=${size}&offset=${to}`;
  const next = offset + size < count ? link(offset + size) : null;
  const previous = offset > 0 ? link(Math.max(0, offset - size)) : null;
  if (page.next !== next || page.previous !== previous)
    return `links ${page.next} and ${page.previous}, expected ${next} and ${previous}`;
  return undefined;
}

function plain(query: URLSearchParams, name: string, left: number): number | undefined {
  const value = query.getAll(name).at(-1);
  if (value === undefined) return left;
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** As many requests as told, against the handler in this process. */
async function fuzzHandler(requests: number, seed: number): Promise<string[]> {
  const random = seeded(seed);
  const { files } = handledSite(fuzzRecords());
  const strays: string[] = [];
  const answer = createResponder({
    async get(file) {
      if (!/^[\w-]+(?:\/[\w-]+)*(?:\.[\w-]+)+$/.test(file)) strays.push(file);
      return files.get(file);
    },
  });
  const problems: string[] = [];
  for (let at = 0; at < requests && problems.length < 20; at++) {
    const request = makeRequest(random);
    const headers = new Headers(request.headers.map(([name, value]) => [name, value]));
    const local = splitTarget(request.target);
    if (!local.path.startsWith('/')) continue;
    try {
      const given = await answer({ method: request.method, ...local, headers });
      problems.push(...judge(request, seen(given)));
      // Slashes before the first one say nothing: neither another host nor another path.
      const more = await answer({ method: request.method, ...local, path: `//${local.path}`, headers });
      if (!sameAnswers(given, more))
        problems.push(`${request.method} ${JSON.stringify(request.target)}: another answer behind //`);
    } catch (error) {
      problems.push(`${request.method} ${JSON.stringify(request.target)}: ${error}`);
    }
    if (strays.length > 0)
      problems.push(`${JSON.stringify(request.target)} asked for the file ${strays.splice(0).join()}`);
  }
  return problems;
}

const sameAnswers = (one: PlainResponse, other: PlainResponse): boolean =>
  one.status === other.status &&
  JSON.stringify(one.headers) === JSON.stringify(other.headers) &&
  Buffer.compare(bytesOf(one), bytesOf(other)) === 0;

const bytesOf = ({ body }: PlainResponse): Uint8Array => body ?? new Uint8Array();

const seen = (response: PlainResponse): Seen => ({
  status: response.status,
  headers: Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]),
  ),
  body: new TextDecoder().decode(bytesOf(response)),
});

const HANG_MS = 10_000;
const AT_ONCE = 8;

/** As many requests as told, over sockets of their own, against a server of the same site. */
async function fuzzServer(port: number, requests: number, seed: number): Promise<string[]> {
  const random = seeded(seed);
  const problems: string[] = [];
  let left = requests;
  const client = async (): Promise<void> => {
    while (left-- > 0 && problems.length < 20) {
      const request = makeRequest(random);
      const fields = request.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const answer = await exchange(
        port,
        `${request.method} ${request.target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}\r\n`,
      );
      const read = answer && readAnswer(answer);
      problems.push(
        ...(read
          ? judge(request, read)
          : [
              `${request.method} ${JSON.stringify(request.target)}: ${answer === undefined ? 'hangs' : 'no answer'}`,
            ]),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return problems;
}

/** Sends bytes as they are; undefined if no end comes. */
function exchange(port: number, text: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    let answer = '';
    let hangs = false;
    socket.setEncoding('latin1').setTimeout(HANG_MS, () => {
      hangs = true;
      socket.destroy();
    });
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    // A reset shows as a response that is missing.
    socket.on('error', () => {});
    socket.once('close', () => resolve(hangs ? undefined : answer));
  });
}

function readAnswer(answer: string): Seen | undefined {
  const end = answer.indexOf('\r\n\r\n');
  const [first = '', ...fields] = answer.slice(0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  if (end < 0 || Number.isNaN(status)) return undefined;
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  );
  const body = answer.slice(end + 4);
  const chunked = headers['transfer-encoding'] === 'chunked';
  return {
    status,
    headers,
    body: chunked ? body.replace(/^[\da-f]+\r\n|\r\n[\da-f]+\r\n(?=[\s\S])|\r\n0\r\n\r\n$/gi, '') : body,
  };
}

/**
 * A whole run: the handler in this process, then `gamedata serve` over sockets, with a file beside the site that nobody may read.
 *
 * @returns every problem, with the request that shows it
 */
export const fuzz = (requests: { handled: number; served: number }, seed: number): Promise<string[]> =>
  inFolder(async (parent) => {
    const problems = await fuzzHandler(requests.handled, seed);
    const folder = path.join(parent, 'site');
    writeFileSync(path.join(parent, 'passwd'), 'outside the site');
    await withOutput(folder, (output) =>
      output.publish(siteOf(fuzzRecords(), { extras: [browsePage] }).files()),
    );
    const { url, stop } = await startServe(folder);
    const served = fuzzServer(Number(new URL(url).port), requests.served, seed);
    return [...problems, ...(await served.finally(stop))];
  });
