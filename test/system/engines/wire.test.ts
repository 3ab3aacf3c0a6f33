/** Compressed bodies, ranges and errors of real web servers. */

import { cpSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { getMediaType } from '../../../src/contract/responses.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import { apache, caddy, nginx, type WebServer } from '../../support/engines/web-servers.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { sharedFolder } from '../../support/temporary.ts';

const LIST = '/api/gamedata/move/';
const SPECIFICATION = '/openapi.json';
const BULK = '/download/move.ndjson';

const folder = sharedFolder();
const out = path.join(folder, 'site');
beforeAll(async () => {
  const upstream = renamedSnapshot(path.join(folder, 'data'), 250);
  const hosts = ['nginx', 'caddy', 'apache'] as const;
  await build({ source: 'snapshot', upstream, baseUrl: 'https://example.test', out, hosts });
});

type Headers = Record<string, string>;

async function get(url: string, headers: Headers = {}, method: 'GET' | 'HEAD' = 'GET') {
  const { statusCode, headers: fields, body } = await request(url, { method, headers });
  const bytes = Buffer.from(await body.arrayBuffer());
  const header = (name: string): string => [fields[name.toLowerCase()] ?? ''].flat().join(', ');
  return { status: statusCode, header, bytes };
}

function expectError({ header, bytes }: Awaited<ReturnType<typeof get>>, detail: string): void {
  expect(JSON.parse(`${bytes}`)).toEqual({ detail });
  expect(header('content-type')).toBe('application/json');
  // nginx has already set the file's Cache-Control; the error's follows and is stricter.
  expect(header('cache-control')).toMatch(/^(?:public, .*, )?no-cache$/);
  expect(header('access-control-allow-origin')).toBe('*');
}

const gzip = { 'accept-encoding': 'gzip' };

describe.each([nginx, caddy, apache])('$name', (engine) => {
  let running: RunningEngine;
  beforeAll(async () => {
    running = await engine.start(out);
  });
  afterAll(() => running.stop());
  const ask = (file: string, headers?: Headers, method?: 'HEAD') => get(running.url + file, headers, method);

  it.each(['/browse.html', '/style.css', '/front.js', '/changes.atom', LIST])(
    'compresses %s',
    async (file) => {
      const [plain, packed] = [await ask(file), await ask(file, gzip)];
      // Apache has no minimum size.
      const isSmall = plain.bytes.length < 1024;
      if (!isSmall || engine !== apache)
        expect(packed.header('content-encoding')).toBe(isSmall ? '' : 'gzip');
      if (isSmall) return;
      expect(gunzipSync(packed.bytes)).toEqual(plain.bytes);
      const head = await ask(file, gzip, 'HEAD');
      expect(['', String(packed.bytes.length)]).toContain(head.header('content-length'));
    },
  );

  it('does not compress a record', async () => {
    expect((await ask(`${LIST}pound/`, gzip)).header('content-encoding')).toBe('');
  });

  it.runIf(engine === apache)('prefers Brotli, and revalidates the Brotli ETag', async () => {
    const headers = { 'accept-encoding': 'gzip, deflate, br' };
    const packed = await ask(SPECIFICATION, headers);
    expect(packed.header('content-encoding')).toBe('br');
    expect(brotliDecompressSync(packed.bytes)).toEqual((await ask(SPECIFICATION)).bytes);
    const known = await ask(SPECIFICATION, { ...headers, 'if-none-match': packed.header('etag') });
    expect([known.status, known.bytes.length]).toEqual([304, 0]);
  });

  it('sends compressed bulk files on request', async () => {
    const { header, bytes } = await ask(BULK, gzip);
    expect(gunzipSync(bytes)).toEqual((await ask(BULK)).bytes);
    const fields = ['content-encoding', 'content-type', 'content-disposition'].map(header);
    expect(fields).toEqual(['gzip', 'application/x-ndjson', 'attachment']);
    expect(header('etag')).not.toBe('');
  });

  it.each([SPECIFICATION, BULK])('does not compress a range of %s', async (file) => {
    const { bytes } = await ask(file);
    const part = await ask(file, { ...gzip, range: 'bytes=100-199' });
    const got = [part.status, part.header('content-encoding'), part.bytes];
    // nginx responds with all bytes, compressed, because it cannot compress a range.
    if (part.status === 200) expect(gunzipSync(part.bytes)).toEqual(bytes);
    else expect(got).toEqual([206, '', bytes.subarray(100, 200)]);
  });

  it('sends the whole file for a suffix range that exceeds it, and 416 for a range past the end', async () => {
    const { bytes } = await ask(SPECIFICATION);
    expect((await ask(SPECIFICATION, { range: 'bytes=-99999999' })).bytes).toEqual(bytes);
    const beyond = await ask(SPECIFICATION, { range: 'bytes=99999999-' });
    expect([beyond.status, beyond.header('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
    // Caddy uses its own text.
    if (engine !== caddy) expectError(beyond, 'Range Not Satisfiable.');
  });

  it('ignores ranges with a weak validator and ranges of error responses', async () => {
    const weak = (await ask(SPECIFICATION)).header('etag').replace(/^(?:W\/)?/, 'W/');
    expect((await ask(SPECIFICATION, { range: 'bytes=0-9', 'if-range': weak })).status).toBe(200);
    const missing = await ask('/nowhere', { range: 'bytes=0-5' });
    expect([missing.status, missing.header('content-range')]).toEqual([404, '']);
    expect(JSON.parse(`${missing.bytes}`)).toHaveProperty('detail');
  });

  it.runIf(engine === nginx)('responds to a failed precondition with a JSON 412', async () => {
    const changed = await ask(SPECIFICATION, { 'if-match': '"another"' });
    expect(changed.status).toBe(412);
    expectError(changed, 'Precondition Failed.');
  });
});

const readConfiguration = (file: string): string => readFileSync(path.join(out, '_hosts', file), 'utf8');

async function start(engine: WebServer, configuration: string, site = out): Promise<string> {
  const { url, stop } = await engine.startWith(configuration, site);
  onTestFinished(stop);
  return url;
}

it.each([
  {
    engine: nginx,
    file: 'nginx.conf',
    before: 'location = /_page',
    fault: 'location = /fault { return 500; }',
  },
  // Apache reads no `.htaccess` for it.
  { engine: apache, file: 'apache.conf', before: '</VirtualHost>', fault: 'Redirect 500 /fault\n' },
])('$engine.name reports its own errors in JSON', async ({ engine, file, fault, before }) => {
  const url = await start(engine, readConfiguration(file).replace(before, fault + before));
  const failed = await get(`${url}/fault`);
  expect(failed.status).toBe(500);
  expectError(failed, 'Internal Server Error.');
});

it.skipIf(apache.missing())('apache overrides headers that the operator sets globally', async () => {
  const own = [
    'Access-Control-Allow-Origin "*"',
    'Cache-Control "max-age=3600"',
    'X-Content-Type-Options none',
  ];
  const headers = own.flatMap((field) => [`Header set ${field}`, `Header always set ${field}`]);
  const expires = 'LoadModule expires_module /usr/lib/apache2/modules/mod_expires.so\nExpiresActive On';
  const lines = [...headers, expires, 'ExpiresDefault A3600', readConfiguration('apache.conf')];
  const url = await start(apache, lines.join('\n'));
  for (const file of [LIST, `${LIST}nope/`, '/sprites/items/master-ball.png', '/style.css', '/docs/']) {
    const { header } = await get(url + file);
    expect([file, header('access-control-allow-origin'), header('expires')]).toEqual([file, '*', '']);
    expect(header('cache-control')).not.toContain('3600');
    expect(header('x-content-type-options')).toBe('nosniff');
  }
});

it.each([
  { engine: nginx, file: 'nginx.conf', gone: ['api', '404.json'] },
  { engine: caddy, file: 'Caddyfile', gone: ['api', '404.json'] },
  { engine: apache, file: 'apache.conf', gone: ['api'] },
])('$engine.name responds with 404 to any page of a missing list', async ({ engine, file, gone }) => {
  const copy = path.join(folder, `without-${engine.name}`);
  cpSync(out, copy, { recursive: true });
  for (const name of gone) rmSync(path.join(copy, name), { recursive: true });
  const url = await start(engine, readConfiguration(file).replaceAll(out, copy), copy);
  for (const query of ['', '?offset=100', '?limit=7']) {
    const missing = await get(url + LIST + query);
    expect(missing.status).toBe(404);
    expectError(missing, 'Not found.');
    const browsed = await get(url + LIST + query, { accept: 'text/html' });
    expect([browsed.status, browsed.header('content-type')]).toEqual([404, getMediaType('browse.html')]);
  }
});
