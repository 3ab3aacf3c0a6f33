/**
 * Tests nginx, Caddy and Apache with requests that each server could misread in its
 * own way, and with compression, ranges and errors. guarantees.test.ts covers the
 * contract.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  errorHeaders,
  formatNotAllowed,
  getMediaType,
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
 * is relative to the list of moves.
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

/** The expected format of a list for each `Accept` header. */
const acceptHeaders: Readonly<Record<string, string>> = {
  'TEXT/HTML': 'page',
  'image/avif, text/html': 'page',
  'text/*': 'page',
  'text/html;q=0.5': 'page',
  'text/html; q=1.0, */*; q=0.8': 'page',
  // Early Safari.
  'application/xml,application/xhtml+xml,text/html;q=0.9,text/plain;q=0.8,image/png,*/*;q=0.5':
    'page',
  'text/html;q=0.4, */*;q=0.5': 'move',
  'application/json;q=0.9, text/html;q=0.8, */*;q=0.1': 'move',
  // Java's own client, old and new.
  'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2': 'move',
  'text/html, image/gif, image/jpeg, */*; q=0.2': 'move',
  'text/html, application/json': 'move',
  'application/json, text/plain, */*': 'move',
  'application/json; indent=4': 'move',
  'text/htmlx': 'move',
  'image/png': 'move',
};

const questions = [
  ...parseLines(`
    ?& move
    ?&&offset=100& move100
    ?format=&limit=&offset= move
    ?offset move
    ?offset=800 400
    ?offset=1${'0'.repeat(2000)} 400
    ?offset=+100 400
    ?offset=100/../200 400
    ?offset=100%00 400
    ?offset=$1 400
    ?offset={query} 400
    ?offset=%{ENV:PATH} 400
    ?offset=1?0 400
    ?offset=[1]00 400
    ?limit=100: 400
    ?limit=100;offset=200 400
    ?offset=100&offset=0 move
    ?offset=100&offset= move
    ?offset=100&offset=50 400
    ?offset=100&utm=1&offset=200 move200
    ?format=api&format=xml 404
    ?format=xml&format= move
    ?FORMAT=xml move
    ?o%66fset=100 move100
    ?offset=100&o%66fset=200 move200
    ?for%6Dat=xml 404
    ?xoffset=100 move
    ?offset[]=100 move
    ?page=2&offset=100&utm_source=offset%3D200 move100
    ??offset=200 move
    ?=offset=200 move
    ?x;offset=200 move
    ?x=% move
    ?format=:yes: 404
    ?format=json%00 404
    pound/?offset=100&limit=3 pound
    p%6Fund/ pound
    /API/gamedata/move/ 404
    pound/%0A 404
    %C3%A9/ 404
    */ 404
    %7Bpath%7D/ 404
    %2e%2e%2f%2e%2e%2f404.json/ 404 | 404 -
    /api/gamedata/../../../../etc/passwd 404 | 400 -
    index.json?offset=100&format=api move
    offset/100/index.json move100
    index.json/more 404
    / 200 index.html
    /sprites/ 404
    /api 404
    /_hosts/nginx.conf 404
    /_hosts/caddy-moved.map 404
    /%5Fhosts/Caddyfile 404
    //_hosts/nginx.conf 404
    /.htaccess 404
    /.htpasswd 404 | 403 -
    /.well-known/security.txt 200 .well-known/security.txt
    /.well-known/security%2Etxt 200 .well-known/security.txt
    /.well-known/acme-challenge/_tok-en 200 .well-known/acme-challenge/_tok-en
    /.well-known/acme-challenge/_tok-en/ 404
    /.well-known/acme-challenge/nope 404
    /.well-known/acme-challenge/ 404
    /.well-known/ 404
    /.well-known 404
    /.well-known/.hidden 404
    /.well-known/.folder/a.txt 404
    /.well-known/../_hosts/nginx.conf 404
    /.WELL-KNOWN/security.txt 404
    /docs/.well-known/security.txt 404
    /docs/_draft.txt 404
    /.well-knowns/a.txt 404
    /sprites/items/unknown.png 200 sprites/items/unknown.png
    /sprites/items/master-ball.png 302 ${UPSTREAM}/master-ball.png
    /sprites/items/../../../evil/x.png 404 | 400 -
    /sprites/items/%2e%2e/%2e%2e/x.png 404 | 400 -
    /sprites/items/a%0D%0AX-Evil:1.png 404
    pound?x=%20%C3%A9%0D%0A 301 /api/gamedata/move/pound/?x=%20%C3%A9%0D%0A
    %0d%0aX-Evil:1 301 ${LIST}%0d%0aX-Evil:1/ | 301 ${LIST}%0d%0aX-Evil%3a1/
    //api/gamedata/move 404
    //api/gamedata/move/ 404
    /api//gamedata/move/ 404
    /%2Fapi/gamedata/move/ 404
    /api/gamedata//move 404
    /api/gamedata/move//pound/ 404
    pound// 404
    //docs 404
    /docs//index.html 404
    //evil.example/../api/gamedata/move 404
    old-pound/?format=api&x=%20%C3%A9%0D%0A 301 /api/gamedata/move/pound/?format=api&x=%20%C3%A9%0D%0A
    old-pound 301 /api/gamedata/move/old-pound/
    old-pound/?format=xml 404
    taken-again/ 200 api/gamedata/move/taken-again/index.json`),
  ...parseLines(
    `
    ?format=api&format=json move
    ?format=json&format=api&offset=100 page
    ?offset=50 400 browse.html
    ?format=xml&format=json&offset=50 400
    nope/?form%61t=json 404
    /api/gamedata/a/b/c.json 404 browse.html
    /api/gamedatas/ 404 404.html
    /nope 404 404.html
    /nope/?format=json 404
    /_hosts/nginx.conf 404 404.html
    /docs/ 200 docs/index.html
    /docs?a=b 301 /docs/?a=b
    old-pound/ 301 /api/gamedata/move/pound/`,
    { accept: BROWSER },
  ),
  ...parseLines('nope/ 404 -\n / 200 -\n old-pound/ 301 /api/gamedata/move/pound/', {
    method: 'HEAD',
    accept: BROWSER,
  }),
  ...parseLines(
    '?format=xml 404\n nope/ 405\n old-pound/ 405\n / 405\n /nothing 404',
    {
      method: 'POST',
    },
  ),
  ...parseLines('nope/ 405\n /nope 404', { method: 'DELETE', accept: BROWSER }),
];
for (const [accept, expected] of Object.entries(acceptHeaders)) {
  questions.push(...parseLines(`?format=api ${expected}`, { accept }));
}

const folder = sharedFolder();
const site = path.join(folder, 'site');
const incomplete = path.join(folder, 'incomplete');
/** The file with each body. */
const files = new Map<string, string>();
beforeAll(async () => {
  const upstream = renamedSnapshot(path.join(folder, 'data'), 250);
  // Each server must hide the other servers' configuration, too.
  const hosts = ['nginx', 'caddy', 'apache'] as const;
  const options = {
    source: 'snapshot',
    upstream,
    baseUrl: 'https://example.test',
    hosts,
  } as const;
  await build({ ...options, out: site, maxShrink: 100 });
  await build({ ...options, out: incomplete, maxShrink: 100, sprites: 'none' });
  rmSync(path.join(incomplete, 'api'), { recursive: true });
  // A later site has a record at an old path, and the operator has not reloaded the
  // server.
  mkdirSync(path.join(site, 'api/gamedata/move/taken-again'));
  writeFileSync(
    path.join(site, 'api/gamedata/move/taken-again/index.json'),
    '{"slug":"taken-again"}',
  );
  // Other programs add these, and only those below `.well-known/` are served.
  const added = [
    '.well-known/security.txt',
    '.well-known/acme-challenge/_tok-en',
    '.well-known/.hidden',
    '.well-known/.folder/a.txt',
    '.well-knowns/a.txt',
    'docs/.well-known/security.txt',
    'docs/_draft.txt',
  ];
  for (const file of added) {
    fsExtra.outputFileSync(path.join(site, file), `${file}\n`);
  }
  for (const file of listFiles(site).sort().reverse()) {
    files.set(readFileSync(path.join(site, file), 'latin1'), file);
  }
});

type SentHeaders = Readonly<Record<string, string>>;

/**
 * Starts a server for a group of tests. Returns a function that sends a path
 * unchanged. `fetch` would normalize it.
 */
function useServer(start: () => Promise<RunningEngine>) {
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
  return async (path: string, headers: SentHeaders = {}, method = 'GET') => {
    const options = { path, headers, method: method as Dispatcher.HttpMethod };
    const {
      statusCode: status,
      headers: fields,
      body,
    } = await pool.request(options);
    const header = (name: string): string => [fields[name] ?? ''].flat().join(', ');
    return {
      status,
      headers: fields,
      header,
      bytes: Buffer.from(await body.arrayBuffer()),
    };
  };
}
type Reply = Awaited<ReturnType<ReturnType<typeof useServer>>>;

function expectError(
  { status, header, bytes }: Reply,
  expected: number,
  detail: string,
): void {
  expect(status).toBe(expected);
  expect(JSON.parse(`${bytes}`)).toEqual({ detail });
  expect(header('content-type')).toBe('application/json');
  // nginx has already set the file's Cache-Control. The error's value follows it and
  // is stricter.
  expect(header('cache-control')).toMatch(/^(?:public, .*, )?no-cache$/);
  expect(header('access-control-allow-origin')).toBe('*');
}

/**
 * Describes a response by its status, followed by its redirect, the file that it
 * contains, or its body.
 */
function describeReply({ status, header, bytes }: Reply): string {
  const location = header('location').replace(/^https:\/\/example\.test(?=\/)/, '');
  const file = files.get(bytes.toString('latin1'));
  const content = location || (file ?? bytes);
  return `${status} ${content}`.trim();
}

/** Compares a description with an expected one, in which `-` matches any text. */
function isDescribedBy(got: string, expected: string): boolean {
  if (!expected.endsWith(' -')) return got === expected;
  const status = expected.slice(0, -2);
  return got.startsWith(status);
}

const gzip = { 'accept-encoding': 'gzip' };

describe.each([nginx, caddy, apache].filter((engine) => !engine.missing()))(
  '$name',
  (engine) => {
    const ask = useServer(() => engine.start(site));

    it.each(questions)(
      'responds to %j with %s',
      async ({ path, accept, method = 'GET' }, expected) => {
        const sentHeaders: SentHeaders = accept ? { accept } : {};
        const reply = await ask(path, sentHeaders, method);
        const { headers } = reply;
        const got = describeReply(reply);
        const notAllowed = createErrorBody(formatNotAllowed(method));
        const abbreviations: Readonly<Record<string, string>> = {
          ...responses,
          // Apache cannot include the method in the message.
          405: engine === apache ? '405 405.json' : `405 ${notAllowed}`,
        };
        const choices: string[] = [];
        for (const choice of expected.split(' | ')) {
          choices.push(abbreviations[choice] ?? choice);
        }
        const choice = choices.find((candidate) => isDescribedBy(got, candidate));
        expect([choice ?? got]).toEqual([expect.toBeOneOf(choices)]);
        if (!choice?.endsWith(' -')) {
          expect(headers).toMatchObject(createHeaders(choice ?? ''));
        }
      },
    );

    it.each(['/browse.html', '/style.css', '/front.js', '/changes.atom', LIST])(
      'compresses %s',
      async (file) => {
        const [plain, packed] = [await ask(file), await ask(file, gzip)];
        // Apache has no minimum size.
        const isSmall = plain.bytes.length < 1024;
        if (!isSmall || engine !== apache) {
          expect(packed.header('content-encoding')).toBe(isSmall ? '' : 'gzip');
        }
        if (isSmall) return;
        expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
        const head = await ask(file, gzip, 'HEAD');
        expect(['', String(packed.bytes.length)]).toContain(
          head.header('content-length'),
        );
      },
    );

    it('does not compress a record', async () => {
      expect((await ask(`${LIST}pound/`, gzip)).header('content-encoding')).toBe('');
    });

    it.runIf(engine === apache)(
      'prefers Brotli, and revalidates the Brotli ETag',
      async () => {
        const headers = { 'accept-encoding': 'gzip, deflate, br' };
        const packed = await ask(SPECIFICATION, headers);
        expect(packed.header('content-encoding')).toBe('br');
        expect(brotliDecompressSync(packed.bytes)).toEqual(
          (await ask(SPECIFICATION)).bytes,
        );
        const known = await ask(SPECIFICATION, {
          ...headers,
          'if-none-match': packed.header('etag'),
        });
        expect([known.status, known.bytes.length]).toEqual([304, 0]);
      },
    );

    it('sends compressed bulk files on request', async () => {
      const { header, bytes } = await ask(BULK, gzip);
      expect(gunzipSync(bytes)).toEqual((await ask(BULK)).bytes);
      const fields = ['content-encoding', 'content-type', 'content-disposition'].map(
        header,
      );
      expect(fields).toEqual(['gzip', 'application/x-ndjson', 'attachment']);
      expect(header('etag')).not.toBe('');
    });

    it.each([SPECIFICATION, BULK])(
      'does not compress a range of %s',
      async (file) => {
        const { bytes } = await ask(file);
        const part = await ask(file, { ...gzip, range: 'bytes=100-199' });
        const got = [part.status, part.header('content-encoding'), part.bytes];
        // nginx responds with all bytes, compressed, because it cannot compress a
        // range.
        if (part.status === 200) expect(gunzipSync(part.bytes)).toEqual(bytes);
        else expect(got).toEqual([206, '', bytes.subarray(100, 200)]);
      },
    );

    it('rejects a range past the end, and ignores ranges of error responses', async () => {
      const beyond = await ask(SPECIFICATION, { range: 'bytes=99999999-' });
      // Caddy uses its own text.
      if (engine !== caddy) expectError(beyond, 416, 'Range Not Satisfiable.');
      else expect(beyond.status).toBe(416);
      expectError(await ask('/nowhere', { range: 'bytes=0-5' }), 404, 'Not found.');
    });

    it.runIf(engine === nginx)(
      'responds to a failed precondition with a JSON 412',
      async () => {
        expectError(
          await ask(SPECIFICATION, { 'if-match': '"another"' }),
          412,
          'Precondition Failed.',
        );
      },
    );
  },
);

/** Headers that are easily lost, because each server sets them in several places. */
function createHeaders(response: string): object {
  const isError = response.startsWith('4');
  const isPage = response.endsWith('.html');
  const expected = {
    ...commonHeaders,
    ...(isError ? { ...errorHeaders, Allow: apiHeaders.Allow } : {}),
    ...(isPage ? htmlHeaders : {}),
  };
  const type = isPage ? /^text\/html; charset=utf-8$/i : /^application\/json$/;
  return {
    ...Object.fromEntries(
      Object.entries(expected).map(([name, value]) => [name.toLowerCase(), value]),
    ),
    ...(isPage || isError ? { 'content-type': expect.stringMatching(type) } : {}),
  };
}

describe.each([nginx, caddy, apache].filter((engine) => !engine.missing()))(
  '$name with an incomplete site without icons',
  (engine) => {
    const ask = useServer(() => engine.start(incomplete));

    it('responds with 404 to an unknown icon and to any page of a missing list', async () => {
      expect((await ask('/sprites/items/no-such.png')).status).toBe(404);
      for (const query of ['', '?offset=100', '?limit=7']) {
        expectError(await ask(LIST + query), 404, 'Not found.');
        const browsed = await ask(LIST + query, { accept: 'text/html' });
        expect([browsed.status, browsed.header('content-type')]).toEqual([
          404,
          getMediaType('browse.html'),
        ]);
      }
    });
  },
);

const startWith =
  (engine: WebServer, edit: (configuration: string) => string) => () =>
    engine.startWith(
      edit(readFileSync(path.join(site, `_hosts/${engine.name}.conf`), 'utf8')),
      site,
    );

describe.each([
  {
    engine: nginx,
    before: 'location = /_page',
    fault: 'location = /fault { return 500; }',
  },
  // Apache reads no `.htaccess` for it.
  { engine: apache, before: '</VirtualHost>', fault: 'Redirect 500 /fault\n' },
])('$engine.name with a fault', ({ engine, fault, before }) => {
  const ask = useServer(
    startWith(engine, (text) => text.replace(before, fault + before)),
  );

  it('reports the fault in JSON', async () => {
    expectError(await ask('/fault'), 500, 'Internal Server Error.');
  });
});

describe.skipIf(apache.missing())('apache with global headers', () => {
  const own = [
    'Access-Control-Allow-Origin "*"',
    'Cache-Control "max-age=3600"',
    'X-Content-Type-Options none',
  ];
  const headers = own.flatMap((field) => [
    `Header set ${field}`,
    `Header always set ${field}`,
  ]);
  const expires =
    'LoadModule expires_module /usr/lib/apache2/modules/mod_expires.so\nExpiresActive On';
  const ask = useServer(
    startWith(apache, (text) =>
      [...headers, expires, 'ExpiresDefault A3600', text].join('\n'),
    ),
  );

  it.each([
    LIST,
    `${LIST}nope/`,
    '/sprites/items/master-ball.png',
    '/style.css',
    '/docs/',
  ])('overrides them for %s', async (file) => {
    const { header } = await ask(file);
    expect([header('access-control-allow-origin'), header('expires')]).toEqual([
      '*',
      '',
    ]);
    expect(header('cache-control')).not.toContain('3600');
    expect(header('x-content-type-options')).toBe('nosniff');
  });
});
