/** Requests as nobody sane would send them, and what has to be true of every response all the same. */

import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import * as fc from 'fast-check';
import { apiHeaders, commonHeaders, htmlHeaders } from '../../src/contract/headers.ts';
import { type Kind, kindNames } from '../../src/contract/kinds.ts';
import { API_PREFIX, listPath } from '../../src/contract/paths.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { createResponder, type PlainResponse } from '../../src/serve/handler/index.ts';
import { splitTarget } from '../../src/serve/respond.ts';
import { startServe } from './engines/serve.ts';
import { inFolder } from './folders.ts';
import { browsePage, handledSite } from './handled-site.ts';
import { everyKind } from './kinds.ts';
import { failureOf } from './random.ts';
import { rawRecords, siteOf } from './sites.ts';

const FUZZ_COUNTS = everyKind({ move: 250, item: 137 }, () => 0);
const fuzzRecords = () => rawRecords(FUZZ_COUNTS.move, FUZZ_COUNTS.item);

type Header = [name: string, value: string];
interface FuzzRequest {
  readonly method: string;
  /** As it goes over the wire. */
  readonly target: string;
  readonly headers: readonly Header[];
}

/** One of the words of a text, or of others. What stands there twice comes twice as often. */
const oneOf = (text: string, ...others: string[]) => fc.constantFrom(...text.split(' '), ...others);

const often = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const known =
  '/ /api/gamedata/ /api/gamedata/move /api/gamedata/move/ /api/gamedata/item/ /browse.html /meta.json';
/** What is no target at all: any bytes but those that end it. */
const bytes = fc.array(fc.integer({ min: 33, max: 254 }), { maxLength: 39 });
const prefix = oneOf(`/ // ${API_PREFIX} ${API_PREFIX} /api/gamedata/move/ http://other.test/`, '');
const segment = fc.oneof(
  oneOf('api gamedata move item offset 100 index.json move-1 item-3 sprites items MOVE-1 unknown.png'),
  oneOf('.. . %2e%2e %2E. ..%2f %2f %5c \\ %00 % %zz %ff %c3%a9 ~ ;x * # _headers', 'a'.repeat(300), ''),
  oneOf('.git con __proto__ constructor etc passwd'),
);
const fuzzPath = often(
  [10, oneOf(`${known} /api/gamedata/move/move-7/`)],
  [1, bytes.map((codes) => `/${String.fromCharCode(...codes)}`)],
  [
    9,
    fc
      .tuple(prefix, fc.array(segment, { maxLength: 5 }), oneOf('/', ''))
      .map(([start, segments, end]) => start + segments.join('/') + end),
  ],
);

const number = fc.oneof(
  fc.nat({ max: 399 }).map(String),
  oneOf('0 1 2 99 100 101 137 200 249 250 251 1000 -1 -0 +5 %207 1.5 1e2 0x10 007 9007199254740993'),
  oneOf('NaN Infinity x %31%30 %EF%BC%91 %D9%A3 1_000 %00 5% --1', '9'.repeat(40), ''),
);
const oddNames = 'Limit li%6dit off%73et page __proto__ % limit[] +limit';
const parameter = fc
  .oneof(
    fc.tuple(oneOf(`limit offset limit offset ${oddNames}`, ''), number),
    fc.tuple(fc.constant('format'), oneOf('api json xml API %61pi api%00 html', '')),
  )
  .chain(([name, value]) => oneOf('= = = =', '').map((equals) => name + equals + value));
const query = fc
  .tuple(fc.array(parameter, { maxLength: 4 }), oneOf('& & & ; &&'))
  .map(([parameters, between]) => parameters.join(between));

const accept = fc.constantFrom(
  ...['*/*', 'text/html', 'application/json', 'text/html,*/*;q=0.8', 'text/*', 'image/png', 'a/b/c', ';q='],
  ...['application/json; indent=4', 'application/json;indent=999999999', '*/*;q=0', 'text/html;q=NaN'],
  ...[','.repeat(500), '\xff', 'application/*;q=0.5, text/html;q=0.4'],
);
const tag = oneOf('* "x" W/"x" " W/ ,', `"${'a'.repeat(900)}"`, '"a", "b", W/"c"', '');
/** A header of every so many requests. */
const header = (name: string, every: number, value: fc.Arbitrary<string>) =>
  often([every - 1, fc.constant<Header[]>([])], [1, value.map((one) => [[name, one]])]);

const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc
  .tuple(
    oneOf('GET GET GET GET GET HEAD OPTIONS POST PUT DELETE PATCH TRACE PROPFIND'),
    ...[fuzzPath, query],
    header('Accept', 3, accept),
    header('If-None-Match', 5, tag),
    header('Access-Control-Request-Method', 12, oneOf('GET PUT', '')),
    header('Range', 12, oneOf('bytes=0-1 bytes=9-1 bytes=- x')),
  )
  .map(([method, address, search, ...headers]) => {
    const target = search === '' ? address : `${address}?${search}`;
    return { method, target, headers: headers.flat() };
  });

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
  note(status >= 500 || ![200, 204, 301, 302, 304, 400, 404, 405, 431].includes(status), `status ${status}`);
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
  return problems;
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

/** Every problem of the handler in this process with a request. */
function handlerJudge(): (request: FuzzRequest) => Promise<string[]> {
  const { files } = handledSite(fuzzRecords());
  const strays: string[] = [];
  const answer = createResponder({
    async get(file) {
      if (!/^[\w-]+(?:\/[\w-]+)*(?:\.[\w-]+)+$/.test(file)) strays.push(file);
      return files.get(file);
    },
  });
  return async (request) => {
    const { method, target } = request;
    const headers = new Headers(request.headers.map(([name, value]) => [name, value]));
    const local = splitTarget(target);
    if (!local.path.startsWith('/')) return [];
    const given = await answer({ method, ...local, headers });
    const problems = judge(request, seen(given));
    // Slashes before the first one say nothing: neither another host nor another path.
    const more = await answer({ method, ...local, path: `//${local.path}`, headers });
    if (!sameAnswers(given, more)) problems.push('another answer behind //');
    return [...problems, ...strays.splice(0).map((file) => `asked for the file ${file}`)];
  };
}

const sameAnswers = (one: PlainResponse, other: PlainResponse): boolean =>
  one.status === other.status &&
  JSON.stringify(one.headers) === JSON.stringify(other.headers) &&
  Buffer.compare(bytesOf(one), bytesOf(other)) === 0;

const bytesOf = ({ body }: PlainResponse): Uint8Array => Buffer.concat(body ?? []);

const seen = (response: PlainResponse): Seen => ({
  status: response.status,
  headers: Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]),
  ),
  body: new TextDecoder().decode(bytesOf(response)),
});

const HANG_MS = 10_000;
const AT_ONCE = 8;

/** Every problem of a server with a request, over a socket of its own. */
const serverJudge = (port: number) => async (request: FuzzRequest) => {
  const fields = request.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const line = `${request.method} ${request.target} HTTP/1.1`;
  const answer = await exchange(port, `${line}\r\nHost: x\r\nConnection: close\r\n${fields}\r\n`);
  const read = answer && readAnswer(answer);
  return read ? judge(request, read) : [answer === undefined ? 'hangs' : 'no answer'];
};

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

/** Sends requests, some at once, until one has problems. */
const fuzzBy = (
  judge: (request: FuzzRequest) => Promise<string[]>,
  count: number,
  seed: number,
  atOnce = 1,
) =>
  failureOf(
    fc.asyncProperty(
      fc.array(fuzzRequest, { minLength: 1, maxLength: atOnce, size: 'max' }),
      async (requests) => {
        const problems = (await Promise.all(requests.map(judge))).flat();
        if (problems.length > 0) throw new Error(problems.join('; '));
      },
    ),
    { numRuns: Math.ceil(count / atOnce), seed },
  );

/**
 * A whole run: the handler in this process, then `gamedata serve` over sockets, with a file beside the site that nobody may read.
 *
 * @returns the first problem of each, with the requests that show it
 */
export const fuzz = (requests: { handled: number; served: number }, seed: number): Promise<string[]> =>
  inFolder(async (parent) => {
    const problems = await fuzzBy(handlerJudge(), requests.handled, seed);
    const folder = path.join(parent, 'site');
    writeFileSync(path.join(parent, 'passwd'), 'outside the site');
    const { files } = siteOf(fuzzRecords(), { extras: [browsePage] });
    await withOutput(folder, (output) => output.publish(files()));
    const { url, stop } = await startServe(folder);
    const judge = serverJudge(Number(new URL(url).port));
    return [...problems, ...(await fuzzBy(judge, requests.served, seed, AT_ONCE).finally(stop))];
  });
