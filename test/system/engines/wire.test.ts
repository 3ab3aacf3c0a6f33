/** What goes over the wire between real web servers and clients: compressed bodies, and parts of files. */

import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { mediaTypeOf } from '../../../src/contract/headers.ts';
import { apache } from '../../support/engines/apache.ts';
import { caddy } from '../../support/engines/caddy.ts';
import type { Engine, RunningEngine } from '../../support/engines/engine.ts';
import { nginx } from '../../support/engines/nginx.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { sharedFolder } from '../../support/temporary.ts';

const servers: readonly Engine[] = [nginx, caddy, apache];
const BASE_URL = 'https://example.test';
const LIST = '/api/gamedata/move/';

const folder = sharedFolder();
const out = path.join(folder, 'site');
beforeAll(async () => {
  // Two and a half pages of each kind.
  const upstream = renamedSnapshot(path.join(folder, 'data'), 250);
  await build({ source: 'snapshot', upstream, baseUrl: BASE_URL, out, hosts: ['nginx', 'caddy', 'apache'] });
});

async function get(url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  const { statusCode, headers: fields, body } = await request(url, { method, headers });
  const bytes = Buffer.from(await body.arrayBuffer());
  const header = (name: string): string => [fields[name.toLowerCase()] ?? ''].flat().join(', ');
  return { status: statusCode, header, bytes };
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe.each(servers)('$name', (engine) => {
  let site: RunningEngine;
  beforeAll(async () => {
    site = await engine.start(out);
  });
  afterAll(() => site.stop());

  const compressed = ['/openapi.json', '/search.json', '/browse.html', '/style.css', '/front.js', LIST];

  it.each(['front.js', 'style.css', 'robots.txt', 'sprites/items/unknown.png'])(
    'sends %s by the one table of media types',
    async (file) => {
      const { status, header } = await get(`${site.url}/${file}`);
      expect([status, header('content-type')]).toEqual([200, mediaTypeOf(file)]);
    },
  );

  it.each(compressed)('sends %s compressed to who asks, and the same without', async (file) => {
    const plain = await get(site.url + file);
    const packed = await get(site.url + file, { 'accept-encoding': 'gzip' });
    expect(plain.header('content-encoding')).toBe('');
    const isSmall = plain.bytes.length < 1024;
    // Apache's modules know no minimum.
    if (!isSmall || engine !== apache) expect(packed.header('content-encoding')).toBe(isSmall ? '' : 'gzip');
    if (isSmall) return;
    expect(sha256(gunzipSync(packed.bytes))).toBe(sha256(plain.bytes));
    const head = await get(site.url + file, { 'accept-encoding': 'gzip' }, 'HEAD');
    expect(['', String(packed.bytes.length)]).toContain(head.header('content-length'));
  });

  it.runIf(engine === apache)('prefers Brotli, with an ETag that it knows again', async () => {
    const headers = { 'accept-encoding': 'gzip, deflate, br' };
    const packed = await get(`${site.url}/openapi.json`, headers);
    expect(packed.header('content-encoding')).toBe('br');
    const plain = await get(`${site.url}/openapi.json`);
    expect(sha256(brotliDecompressSync(packed.bytes))).toBe(sha256(plain.bytes));
    const etag = packed.header('etag');
    const known = await get(`${site.url}/openapi.json`, { ...headers, 'if-none-match': etag });
    expect([known.status, known.bytes.length]).toEqual([304, 0]);
  });

  it('sends records as they are: they are too small', async () => {
    const record = await get(`${site.url}${LIST}pound/`, { 'accept-encoding': 'gzip' });
    expect([record.status, record.header('content-encoding')]).toEqual([200, '']);
  });

  it('sends parts of a file as they are, or all of it, and never a part of something else', async () => {
    const whole = await get(`${site.url}/openapi.json`);
    for (const encoding of ['identity', 'gzip']) {
      const part = await get(`${site.url}/openapi.json`, {
        range: 'bytes=100-199',
        'accept-encoding': encoding,
      });
      if (part.status === 206 && part.header('content-encoding') === '') {
        expect(part.bytes.equals(whole.bytes.subarray(100, 200))).toBe(true);
        continue;
      }
      const all = part.status === 206 ? undefined : gunzipIf(part);
      const packed = await get(`${site.url}/openapi.json`, { 'accept-encoding': encoding });
      expect(all ?? part.bytes).toEqual(all ? whole.bytes : packed.bytes.subarray(100, 200));
    }
  });

  it('sends all of a file for a suffix that is longer, and says what is no part of it', async () => {
    const whole = await get(`${site.url}/openapi.json`);
    const suffix = await get(`${site.url}/openapi.json`, { range: 'bytes=-99999999' });
    expect(suffix.bytes.equals(whole.bytes)).toBe(true);
    const beyond = await get(`${site.url}/openapi.json`, { range: 'bytes=99999999-' });
    expect([beyond.status, beyond.header('content-range')]).toEqual([416, `bytes */${whole.bytes.length}`]);
    // Caddy refuses it in its own words.
    if (engine !== caddy) expectRefusal(beyond, 'Range Not Satisfiable.');
  });

  it.runIf(engine === nginx)('refuses a failed precondition in JSON', async () => {
    const changed = await get(`${site.url}/openapi.json`, { 'if-match': '"another"' });
    expect(changed.status).toBe(412);
    expectRefusal(changed, 'Precondition Failed.');
  });

  it('sends all of an error, whatever part was requested', async () => {
    const missing = await get(`${site.url}/nowhere`, { range: 'bytes=0-5' });
    expect([missing.status, missing.header('content-range')]).toEqual([404, '']);
    expect(JSON.parse(`${missing.bytes}`)).toHaveProperty('detail');
  });

  it('sends no part to who has a weak validator', async () => {
    const { header } = await get(`${site.url}/openapi.json`);
    const etag = header('etag').replace(/^(?:W\/)?/, 'W/');
    const part = await get(`${site.url}/openapi.json`, { range: 'bytes=0-9', 'if-range': etag });
    expect(part.status).toBe(200);
  });

  it('sends the packed bulk files to who asks for them packed', async () => {
    const plain = await get(`${site.url}/download/move.ndjson`);
    const packed = await get(`${site.url}/download/move.ndjson`, { 'accept-encoding': 'gzip' });
    expect(packed.header('content-encoding')).toBe('gzip');
    expect(sha256(gunzipSync(packed.bytes))).toBe(sha256(plain.bytes));
    expect(packed.header('content-type')).toBe('application/x-ndjson');
    expect(packed.header('content-disposition')).toBe('attachment');
    expect(packed.header('etag')).not.toBe('');
  });
});

it.each([
  {
    engine: nginx,
    file: 'nginx.conf',
    fault: 'location = /fault { return 500; }',
    before: 'location = /_page',
  },
  // Apache reads no `.htaccess` then.
  { engine: apache, file: 'apache.conf', fault: 'Redirect 500 /fault\n', before: '</VirtualHost>' },
])('$engine.name says in JSON that it fails', async ({ engine, file, fault, before }) => {
  const configuration = readFileSync(path.join(out, '_hosts', file), 'utf8');
  const site = await engine.startWith(configuration.replace(before, fault + before), out);
  try {
    const failed = await get(`${site.url}/fault`);
    expect(failed.status).toBe(500);
    expectRefusal(failed, 'Internal Server Error.');
  } finally {
    await site.stop();
  }
});

it.each([
  { engine: nginx, file: 'nginx.conf', gone: ['api', '404.json'] },
  { engine: caddy, file: 'Caddyfile', gone: ['api', '404.json'] },
  { engine: apache, file: 'apache.conf', gone: ['api'] },
])(
  '$engine.name says 404 where the lists are gone, and blames no parameter',
  async ({ engine, file, gone }) => {
    const copy = path.join(folder, `without-${engine.name}`);
    cpSync(out, copy, { recursive: true });
    for (const name of gone) rmSync(path.join(copy, name), { recursive: true });
    const configuration = readFileSync(path.join(out, '_hosts', file), 'utf8').replaceAll(out, copy);
    const site = await engine.startWith(configuration, copy);
    try {
      for (const query of ['', '?offset=100', '?limit=7']) {
        const refused = await get(site.url + LIST + query);
        expect(refused.status).toBe(404);
        expectRefusal(refused, 'Not found.');
        const browsed = await get(site.url + LIST + query, { accept: 'text/html' });
        expect([browsed.status, browsed.header('content-type')]).toEqual([404, mediaTypeOf('browse.html')]);
      }
    } finally {
      await site.stop();
    }
  },
);

/** JSON that any script may read, and that is asked for again. */
function expectRefusal({ header, bytes }: Awaited<ReturnType<typeof get>>, detail: string): void {
  expect(JSON.parse(`${bytes}`)).toEqual({ detail });
  expect(header('content-type')).toBe('application/json');
  // nginx has set the file's Cache-Control by then: that of the error follows, and is the stricter.
  expect(header('cache-control')).toMatch(/^(?:public, .*, )?no-cache$/);
  expect(header('access-control-allow-origin')).toBe('*');
}

const gunzipIf = ({ header, bytes }: { header: (name: string) => string; bytes: Buffer }): Buffer =>
  header('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes;
