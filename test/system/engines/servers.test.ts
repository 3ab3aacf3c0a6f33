/**
 * Tests nginx, Caddy and Apache with requests that each server could misread in its
 * own way, and with compression and ranges. guarantees.test.ts covers the contract.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fsExtra from 'fs-extra';
import { type Dispatcher, Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import {
  apiHeaders,
  commonHeaders,
  createErrorBody,
  describeForbiddenMethod,
  errorHeaders,
  htmlHeaders,
} from '../../../src/contract/responses.ts';
import { listFiles } from '../../../src/files.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import {
  apache,
  caddy,
  nginx,
  type WebServer,
} from '../../support/engines/web-servers.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { sharedFolder } from '../../support/temporary.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const UPSTREAM =
  'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';
const LIST = '/api/gamedata/move/';
const SPECIFICATION = '/openapi.json';
const BULK = '/download/move.ndjson';

/** Abbreviations for responses. `-` matches any text. */
const responses: Readonly<Record<string, string>> = {
  move: '200 api/gamedata/move/index.json',
  move100: '200 api/gamedata/move/offset/100/index.json',
  move200: '200 api/gamedata/move/offset/200/index.json',
  pound: '200 api/gamedata/move/pound/index.json',
  page: '200 browse.html',
  400: '400 400.json',
  404: '404 404.json',
};

interface Question {
  readonly method?: string;
  readonly path: string;
  readonly accept?: string;
}

/** A question and the accepted responses, such as `404 | 400 -`. */
type Row = readonly [Question, expected: string];

/**
 * Parses lines of a path and the accepted responses. A path without a leading slash
 * is relative to the list of moves. `more` adds the same method or `Accept` header to
 * each question.
 */
function parseLines(lines: string, more: Omit<Question, 'path'> = {}): Row[] {
  const rows: Row[] = [];
  for (const line of lines.trim().split(/\s*\n\s*/)) {
    const [start = '', ...expected] = line.split(/ +/);
    const path = start.startsWith('/') ? start : LIST + start;
    rows.push([{ path, ...more }, expected.join(' ')]);
  }
  return rows;
}

/** Questions about `limit` and `offset`, including values that are not numbers. */
const pageRangeRows = parseLines(`
  ?offset move
  ?offset=1${'0'.repeat(2000)} 400
  ?offset=+100 400
  ?offset=100%00 400
  ?offset=$1 400
  ?offset=%{ENV:PATH} 400
  ?offset=1?0 400
  ?limit=100;offset=200 400
  ?offset=100&offset=0 move
  ?offset=100&utm=1&offset=200 move200`);

/** Questions about empty, repeated and unknown query parameters. */
const parameterRows = parseLines(`
  ?&&offset=100& move100
  ?format=&limit=&offset= move
  ?format=xml&format= move
  ?FORMAT=xml move
  ?page=2&offset=100&utm_source=offset%3D200 move100
  ?x;offset=200 move
  ?x=% move`);

/** Questions about records, files and paths that leave the API or the site. */
const pathRows = parseLines(`
  pound/?offset=100&limit=3 pound
  p%6Fund/ pound
  /API/gamedata/move/ 404
  %7Bpath%7D/ 404
  %2e%2e%2f%2e%2e%2f404.json/ 404 | 404 -
  /api/gamedata/../../../../etc/passwd 404 | 400 -
  index.json?offset=100&format=api move
  offset/100/index.json move100
  / 200 index.html
  /_hosts/nginx.conf 404
  /%5Fhosts/Caddyfile 404
  /sprites/items/master-ball.png 302 ${UPSTREAM}/master-ball.png
  /sprites/items/../../../evil/x.png 404 | 400 -
  /sprites/items/a%0D%0AX-Evil:1.png 404`);

/** Questions about files that other programs add to a site. */
const addedFileRows = parseLines(`
  /.htaccess 404
  /.well-known/security.txt 200 .well-known/security.txt
  /.well-known/acme-challenge/_tok-en 200 .well-known/acme-challenge/_tok-en
  /.well-known/acme-challenge/nope 404
  /.well-known/ 404
  /.well-known/.hidden 404
  /.well-known/../_hosts/nginx.conf 404
  /docs/_draft.txt 404`);

/** Questions about a missing slash and old slugs. */
const redirectRows = parseLines(`
  pound?x=%20%C3%A9%0D%0A 301 /api/gamedata/move/pound/?x=%20%C3%A9%0D%0A
  %0d%0aX-Evil:1 301 ${LIST}%0d%0aX-Evil:1/ | 301 ${LIST}%0d%0aX-Evil%3a1/
  old-pound/?format=api&x=%20%C3%A9%0D%0A 301 /api/gamedata/move/pound/?format=api&x=%20%C3%A9%0D%0A
  old-pound/?format=xml 404
  taken-again/ 200 api/gamedata/move/taken-again/index.json`);

const browserLines = `
  ?format=api&format=json move
  ?format=json&format=api&offset=100 page
  ?offset=50 400 browse.html
  /api/gamedata/a/b/c.json 404 browse.html
  /nope 404 404.html
  /docs?a=b 301 /docs/?a=b
  old-pound/ 301 /api/gamedata/move/pound/`;

const headLines = `
  nope/ 404 -
  old-pound/ 301 /api/gamedata/move/pound/`;

const postLines = `
  ?format=xml 404
  nope/ 405
  old-pound/ 405
  /nothing 404`;

const deleteLines = `
  nope/ 405
  /nope 404`;

/** The expected format of a list for each `Accept` header. */
const acceptHeaders: Readonly<Record<string, string>> = {
  'TEXT/HTML': 'page',
  'text/*': 'page',
  'text/html; q=1.0, */*; q=0.8': 'page',
  'text/html;q=0.4, */*;q=0.5': 'move',
  'application/json;q=0.9, text/html;q=0.8, */*;q=0.1': 'move',
  // Java's own client sends this header.
  'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2': 'move',
  'application/json, text/plain, */*': 'move',
  'text/htmlx': 'move',
  'image/png': 'move',
};

const questions = [
  ...pageRangeRows,
  ...parameterRows,
  ...pathRows,
  ...addedFileRows,
  ...redirectRows,
  ...parseLines(browserLines, { accept: BROWSER }),
  ...parseLines(headLines, { method: 'HEAD', accept: BROWSER }),
  ...parseLines(postLines, { method: 'POST' }),
  ...parseLines(deleteLines, { method: 'DELETE', accept: BROWSER }),
];
for (const [accept, expected] of Object.entries(acceptHeaders)) {
  questions.push(...parseLines(`?format=api ${expected}`, { accept }));
}

const folder = sharedFolder();
const site = path.join(folder, 'site');
/** The path of each file by its content. */
const filesByContent = new Map<string, string>();

beforeAll(async () => {
  await buildSites();
  addRecordAtOldPath();
  addFilesOfOtherPrograms();
  mapContentsToFiles();
});

async function buildSites(): Promise<void> {
  const options = {
    source: 'snapshot',
    upstream: await renamedSnapshot(path.join(folder, 'data'), 250),
    baseUrl: 'https://example.test',
    // Each server must hide the other servers' configuration, too.
    hosts: ['nginx', 'caddy', 'apache'],
    maxShrink: 100,
  } as const;
  await build({ ...options, out: site });
}

/**
 * Adds a record at an old path, as a later build would. The server's configuration
 * still lists the path as old, because the operator has not reloaded the server.
 */
function addRecordAtOldPath(): void {
  const recordFolder = path.join(site, 'api/gamedata/move/taken-again');
  mkdirSync(recordFolder);
  writeFileSync(path.join(recordFolder, 'index.json'), '{"slug":"taken-again"}');
}

/** Adds files, of which the servers may serve only those below `.well-known/`. */
function addFilesOfOtherPrograms(): void {
  const addedFiles = [
    '.well-known/security.txt',
    '.well-known/acme-challenge/_tok-en',
    '.well-known/.hidden',
    'docs/_draft.txt',
  ];
  for (const file of addedFiles) {
    fsExtra.outputFileSync(path.join(site, file), `${file}\n`);
  }
}

/**
 * Maps contents to paths. If several files have the same content, the map contains
 * the path that is first in alphabetical order.
 */
function mapContentsToFiles(): void {
  for (const file of listFiles(site).sort()) {
    const content = readFileSync(path.join(site, file), 'latin1');
    if (!filesByContent.has(content)) filesByContent.set(content, file);
  }
}

type SentHeaders = Readonly<Record<string, string>>;

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Returns a header's values, joined by commas, or '' if the header is missing. */
  header(name: string): string;
  readonly bytes: Buffer;
}

type Ask = (path: string, headers?: SentHeaders, method?: string) => Promise<Reply>;

/**
 * Starts a server for a group of tests. Returns a function that sends a path
 * unchanged. `fetch` would normalize it.
 */
function useServer(start: () => Promise<RunningEngine>): Ask {
  let running: RunningEngine;
  let pool: Pool;
  beforeAll(async () => {
    running = await start();
    pool = new Pool(running.url, { connections: 4 });
  });
  afterAll(async () => {
    await pool.destroy();
    await running.stop();
  });

  return async (path, sentHeaders = {}, method = 'GET') => {
    const response = await pool.request({
      path,
      headers: sentHeaders,
      method: method as Dispatcher.HttpMethod,
    });
    const { statusCode, headers, body } = response;
    const bytes = Buffer.from(await body.arrayBuffer());

    function header(name: string): string {
      const value = headers[name] ?? '';
      return Array.isArray(value) ? value.join(', ') : value;
    }
    return { status: statusCode, headers, header, bytes };
  };
}

/**
 * Describes a response by its status, followed by its redirect, the file that it
 * contains, or its body.
 */
function describeReply({ status, header, bytes }: Reply): string {
  const location = header('location').replace(/^https:\/\/example\.test(?=\/)/, '');
  if (location !== '') return `${status} ${location}`;

  const file = filesByContent.get(bytes.toString('latin1'));
  return `${status} ${file ?? bytes}`.trim();
}

/** Compares a description with an expected one, in which `-` matches any text. */
function isDescribedBy(got: string, expected: string): boolean {
  if (!expected.endsWith(' -')) return got === expected;
  const status = expected.slice(0, -2);
  return got.startsWith(status);
}

/** Replaces the abbreviations in a row's accepted responses. */
function listAcceptedResponses(
  expected: string,
  server: WebServer,
  method: string,
): string[] {
  const notAllowed = createErrorBody(describeForbiddenMethod(method));
  const abbreviations: Readonly<Record<string, string>> = {
    ...responses,
    // Apache cannot include the method in the message.
    405: server === apache ? '405 405.json' : `405 ${notAllowed}`,
  };
  const accepted: string[] = [];
  for (const choice of expected.split(' | ')) {
    accepted.push(abbreviations[choice] ?? choice);
  }
  return accepted;
}

/** Headers that are easily lost, because each server sets them in several places. */
function createHeaders(description: string): Record<string, unknown> {
  const isError = description.startsWith('4');
  const isPage = description.endsWith('.html');
  const headers: Record<string, unknown> = { ...commonHeaders };
  if (isError) {
    Object.assign(headers, errorHeaders, { Allow: apiHeaders.Allow });
    headers['Content-Type'] = 'application/json';
  }
  if (isPage) {
    const anyCase = /^text\/html; charset=utf-8$/i;
    Object.assign(headers, htmlHeaders);
    headers['Content-Type'] = expect.stringMatching(anyCase);
  }

  const lowerCaseHeaders: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(headers)) {
    lowerCaseHeaders[name.toLowerCase()] = value;
  }
  return lowerCaseHeaders;
}

const gzip = { 'accept-encoding': 'gzip' };
const brotli = { 'accept-encoding': 'gzip, deflate, br' };

const servers: WebServer[] = [];
for (const server of [nginx, caddy, apache]) {
  if (server.missing() === undefined) servers.push(server);
}

describe.each(servers)('$name', (server) => {
  const ask = useServer(() => server.start(site));

  it.each(questions)('responds to %j with %s', async (question, expected) => {
    const { path, accept, method = 'GET' } = question;
    const sentHeaders: SentHeaders = accept ? { accept } : {};
    const reply = await ask(path, sentHeaders, method);

    const got = describeReply(reply);
    const accepted = listAcceptedResponses(expected, server, method);
    const matching = accepted.find((choice) => isDescribedBy(got, choice));
    if (matching === undefined) expect.fail(`got ${got}, expected ${expected}`);
    // The server's own error pages, and bodies of HEAD, match any text.
    if (!matching.endsWith(' -')) {
      expect(reply.headers).toMatchObject(createHeaders(matching));
    }
  });

  it.runIf(server === apache)(
    'prefers Brotli to gzip, and responds with an empty 304 if the ETag matches',
    async () => {
      const plain = await ask(SPECIFICATION);
      const compressed = await ask(SPECIFICATION, brotli);
      expect(compressed.header('content-encoding')).toBe('br');
      expect(brotliDecompressSync(compressed.bytes)).toEqual(plain.bytes);
      const etag = { 'if-none-match': compressed.header('etag') };
      const confirmed = await ask(SPECIFICATION, { ...brotli, ...etag });
      expect(confirmed.status).toBe(304);
      expect(confirmed.bytes).toHaveLength(0);
    },
  );

  it('compresses bulk files if the client accepts gzip', async () => {
    const plain = await ask(BULK);
    const compressed = await ask(BULK, gzip);
    expect(gunzipSync(compressed.bytes)).toEqual(plain.bytes);
    expect(compressed.header('content-encoding')).toBe('gzip');
    expect(compressed.header('content-type')).toBe('application/x-ndjson');
    expect(compressed.header('content-disposition')).toBe('attachment');
    expect(compressed.header('etag')).not.toBe('');
  });

  it('does not compress a partial response', async () => {
    const plain = await ask(BULK);
    const part = await ask(BULK, { ...gzip, range: 'bytes=100-199' });
    // nginx responds with all bytes, compressed, because it cannot compress a range.
    if (part.status === 200) {
      expect(gunzipSync(part.bytes)).toEqual(plain.bytes);
      return;
    }
    expect(part.status).toBe(206);
    expect(part.header('content-encoding')).toBe('');
    expect(part.bytes).toEqual(plain.bytes.subarray(100, 200));
  });

  it('responds to a request for an absolute URL, as sent by proxies', async () => {
    const reply = await ask(`http://127.0.0.1${LIST}`);
    expect(describeReply(reply)).toBe('200 api/gamedata/move/index.json');
  });
});

describe.skipIf(apache.missing())('apache with global headers', () => {
  const globalLines: string[] = [];
  for (const field of [
    'Access-Control-Allow-Origin "*"',
    'Cache-Control "max-age=3600"',
    'X-Content-Type-Options none',
  ]) {
    globalLines.push(`Header set ${field}`);
    globalLines.push(`Header always set ${field}`);
  }
  globalLines.push(
    'LoadModule expires_module /usr/lib/apache2/modules/mod_expires.so',
    'ExpiresActive On',
    'ExpiresDefault A3600',
  );
  const ask = useServer(() => {
    const file = path.join(site, '_hosts/apache.conf');
    const configuration = readFileSync(file, 'utf8');
    return apache.startWith([...globalLines, configuration].join('\n'), site);
  });

  it.each([
    LIST,
    `${LIST}nope/`,
    '/sprites/items/master-ball.png',
    '/style.css',
    '/docs/',
  ])(
    "overrides the headers of Apache's global configuration for %s",
    async (file) => {
      const { header } = await ask(file);
      expect(header('access-control-allow-origin')).toBe('*');
      expect(header('expires')).toBe('');
      expect(header('cache-control')).not.toContain('3600');
      expect(header('x-content-type-options')).toBe('nosniff');
    },
  );
});
