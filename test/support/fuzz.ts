/** Random requests to `gamedata serve`, which must respond as the request handler does, and never anything dangerous. */

import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import * as fc from 'fast-check';
import { API_PREFIX } from '../../src/contract/paths.ts';
import { commonHeaders } from '../../src/contract/responses.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { createResponder, type PlainResponse } from '../../src/serve/handler/index.ts';
import { splitTarget } from '../../src/serve/respond.ts';
import { startServe } from './engines/serve.ts';
import { inFolder } from './folders.ts';
import { browsePage, handledSite } from './handled-site.ts';
import { findFailures } from './random.ts';
import { rawRecords, siteOf } from './sites.ts';

/** Picks one of the words of a text, or of others. Repeated words are more frequent. */
const oneOf = (text: string, ...others: string[]) => fc.constantFrom(...text.split(' '), ...others);

const bytes = fc
  .array(fc.integer({ min: 33, max: 254 }), { maxLength: 39 })
  .map((codes) => `/${String.fromCharCode(...codes)}`);
const segment = fc.oneof(
  oneOf(
    'api gamedata move item offset 100 index.json move-1 item-3 sprites items MOVE-1 unknown.png passwd',
  ),
  oneOf(
    '.. . %2e%2e %2E. ..%2f %2f %5c \\ %00 % %zz %ff %c3%a9 ~ ;x * # _headers',
    'a'.repeat(300),
    '',
  ),
  oneOf('.git con __proto__ constructor etc'),
);
const address = fc.oneof(
  oneOf('/ /api/gamedata/ /api/gamedata/move /api/gamedata/move/ /api/gamedata/item/'),
  oneOf('/browse.html /meta.json /api/gamedata/move/move-7/'),
  bytes,
  fc
    .tuple(
      oneOf(`/ // ${API_PREFIX} ${API_PREFIX} /api/gamedata/move/ http://other.test/`, ''),
      fc.array(segment, { maxLength: 5 }),
      oneOf('/', ''),
    )
    .map(([start, segments, end]) => start + segments.join('/') + end),
);
const number = fc.oneof(
  fc.nat({ max: 399 }).map(String),
  oneOf('0 99 100 101 137 250 251 1000 -1 -0 +5 %207 1.5 1e2 0x10 007 9007199254740993', ''),
  oneOf('NaN %D9%A3 00 --1'),
);
const parameter = fc
  .oneof(
    fc.tuple(
      oneOf('limit offset limit offset Limit li%6dit page __proto__ % limit[] +limit', ''),
      number,
    ),
    fc.tuple(fc.constant('format'), oneOf('api json xml API %61pi api%00 html', '')),
  )
  .map(([name, value]) => `${name}=${value}`);
const query = fc
  .tuple(fc.array(parameter, { maxLength: 4 }), oneOf('& & & ; &&'))
  .map(([parameters, between]) => (parameters.length === 0 ? '' : `?${parameters.join(between)}`));

const header = (name: string, every: number, value: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: every - 1, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: value.map((one) => [[name, one] as const]) },
  );
const accept = fc.constantFrom(
  ...[
    '*/*',
    'text/html',
    'application/json',
    'text/html,*/*;q=0.8',
    'text/*',
    'image/png',
    'a/b/c',
    ';q=',
  ],
  ...['application/json;indent=999999999', '*/*;q=0', 'text/html;q=NaN', ','.repeat(500), '\xff'],
);
/** The target is as it goes over the wire. */
const request = fc
  .tuple(
    oneOf('GET GET GET GET GET HEAD OPTIONS POST PUT DELETE PATCH TRACE PROPFIND'),
    ...[address, query],
    header('Accept', 3, accept),
    header(
      'If-None-Match',
      5,
      oneOf('* "x" W/"x" " W/ ,', `"${'a'.repeat(900)}"`, '"a", "b", W/"c"', ''),
    ),
    header('Access-Control-Request-Method', 12, oneOf('GET PUT', '')),
    header('Range', 12, oneOf('bytes=0-1 bytes=9-1 bytes=- x')),
  )
  .map(([method, address, query, ...headers]) => ({
    method,
    target: address + query,
    headers: headers.flat(),
  }));

type FuzzRequest = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

function judge({ status, headers }: PlainResponse): string[] {
  const { Location: location = '' } = headers;
  return [
    ![200, 204, 301, 302, 304, 400, 404, 405].includes(status) && `status ${status}`,
    status === 301 && !/^\/(?!\/)\S*$/.test(location) && `a redirect to ${location}`,
    status === 302 &&
      !location.startsWith('https://raw.githubusercontent.com/PokeAPI/sprites/') &&
      `a redirect to ${location}`,
    ...Object.entries(commonHeaders).map(
      ([name, value]) => headers[name] !== value && `${name}: ${headers[name]}, expected ${value}`,
    ),
  ].filter((problem) => problem !== false);
}

/** Sends bytes as they are. Returns the response; undefined if it does not end. */
function exchange(port: number, text: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    let response = '';
    socket.setEncoding('latin1').setTimeout(10_000, () => {
      resolve(undefined);
      socket.destroy();
    });
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(response));
  });
}

function compare(
  wire: string | undefined,
  { status, headers, body }: PlainResponse,
  isHead: boolean,
) {
  if (wire === undefined) return ['hangs'];
  const [, got = '', fields = '', sent = ''] =
    /^HTTP\/1\.1 (\d{3}).*?\r\n(.*?\r\n)\r\n(.*)$/s.exec(wire) ?? [];
  // Node's parser responds to what is not HTTP.
  if (got === '431' || sent === '{"detail":"Bad Request."}') return [];
  const lines = fields.toLowerCase();
  const isSent = ([name, value]: [string, unknown]) =>
    // Compression changes the values of these.
    lines.includes(
      (/^(?:ETag|Vary)$/.test(name) ? `${name}: ` : `${name}: ${value}\r\n`).toLowerCase(),
    );
  const expected = Buffer.concat(isHead ? [] : (body ?? [])).toString('latin1');
  const isSame =
    sent === expected ||
    sent.split(/\r\n[\da-f]+\r\n|^[\da-f]+\r\n|\r\n0\r\n\r\n$/i).join('') === expected;
  return [
    got !== String(status) && `status ${got}, expected ${status}`,
    ...Object.entries(headers).map((entry) => !isSent(entry) && `no header ${entry.join(': ')}`),
    !isSame && `body ${JSON.stringify(sent.slice(0, 80))}`,
  ].filter((problem) => problem !== false);
}

const AT_ONCE = 8;

/** Sends requests, some in parallel, until one has problems. Returns these with the requests. */
export const fuzz = (requests: number, seed: number): Promise<string[]> =>
  inFolder(async (parent) => {
    const records = rawRecords(250, 137);
    const folder = path.join(parent, 'site');
    writeFileSync(path.join(parent, 'passwd'), 'outside the site');
    await withOutput(folder, (output) =>
      output.publish(siteOf(records, { extras: [browsePage] }).files()),
    );
    const { files } = handledSite(records);
    const respond = createResponder({
      async get(file) {
        if (/^[\w-]+(?:\/[\w-]+)*(?:\.[\w-]+)+$/.test(file)) return files.get(file);
        throw new Error(`asked for the file ${file}`);
      },
    });
    const { url, stop } = await startServe(folder);
    const attempt = async ({ method, target, headers }: FuzzRequest): Promise<string[]> => {
      const fields = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const text = `${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}\r\n`;
      const wire = await exchange(Number(new URL(url).port), text);
      const local = splitTarget(target);
      if (!local.path.startsWith('/')) return wire === undefined ? ['hangs'] : [];
      const plain = new Headers(headers.map(([name, value]) => [name, value]));
      const response = await respond({ method, ...local, headers: plain });
      return [...judge(response), ...compare(wire, response, method === 'HEAD')];
    };
    const property = fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: AT_ONCE, size: 'max' }),
      async (requests) => {
        const problems = (await Promise.all(requests.map(attempt))).flat();
        if (problems.length > 0) throw new Error(problems.join('; '));
      },
    );
    return findFailures(property, { numRuns: Math.ceil(requests / AT_ONCE), seed }).finally(stop);
  });
