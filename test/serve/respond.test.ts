import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fsExtra from 'fs-extra';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { respondCompressed, selectEncoding, splitTarget } from '../../src/serve/respond.ts';
import { PAGE, publishSite, sendTarget, serveSite } from '../support/serving.ts';

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
const LIST = '/api/gamedata/move/';
const style = { path: 'style.css', body: '.a { color: red }\n'.repeat(200) };

async function get(url: string, encoding?: string, headers = {}, method: 'GET' | 'HEAD' = 'GET') {
  const sent = { ...(encoding !== undefined && { 'accept-encoding': encoding }), ...headers };
  const {
    statusCode: status,
    headers: fields,
    body,
  } = await request(url, { method, headers: sent });
  return { status, fields, bytes: Buffer.from(await body.arrayBuffer()) };
}

describe('splitTarget', () => {
  it.each([
    ['/a/../b/./%2e%2e?c#d', '/a/../b/./%2e%2e', '?c%23d'],
    ['/a?b?c', '/a', '?b?c'],
    ['/a\\b#', '/a%5Cb%23', ''],
    ['//host/a', '//host/a', ''],
    ['http://user@example.test:99/a?b', '/a', '?b'],
    ['HTTP://example.test', '/', ''],
    ['http://example.test?b', '/', '?b'],
    ['*', '*', ''],
  ])('splits %s', (target, path, search) => {
    expect(splitTarget(target)).toEqual({ path, search });
  });
});

describe('respond', () => {
  it('serves only the site, regardless of the request target', async () => {
    const extras = ['_headers', '.hidden.txt'].map((file) => ({ path: file, body: 'secret' }));
    const { port, problems } = await serveSite({ extras: [PAGE, ...extras] });
    const hidden = [
      '/../index.html',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/_headers',
      '/.hidden.txt',
      '*',
    ];
    for (const target of [...hidden, '//api/gamedata/move', '//'])
      expect(await sendTarget(port, target)).toMatchObject({
        status: 404,
        body: '{"detail":"Not found."}',
      });
    expect(await sendTarget(port, `${LIST}\xff/`)).toMatchObject({ status: 400 });
    expect(await sendTarget(port, `http://example.test${LIST}?limit=2`)).toMatchObject({
      status: 200,
    });
    const location = `${LIST}?limit=5%23x`;
    expect(await sendTarget(port, '/api/gamedata/move?limit=5#x')).toMatchObject({
      status: 301,
      location,
    });
    expect(problems).toEqual([]);
  });

  it('serves files below .well-known/ if the manifest lists them', async () => {
    const listed = { path: '.well-known/security.txt', body: 'Contact: x' };
    const { port, folder } = await serveSite({ extras: [PAGE, listed] });
    fsExtra.outputFileSync(`${folder}/.well-known/added.txt`, 'x');
    expect(await sendTarget(port, '/.well-known/security.txt')).toMatchObject({
      status: 200,
      body: listed.body,
    });
    expect(await sendTarget(port, '/.well-known/added.txt')).toMatchObject({ status: 404 });
  });

  it('serves a site only below the path of its base URL', async () => {
    const { url, port, folder } = await serveSite({ baseUrl: 'https://example.test/games/v2.1' });
    expect(new URL(url).pathname).toBe('/games/v2.1');
    for (const [target, status, location] of [
      ['/', 302, '/games/v2.1/'],
      ['/games/v2.1?x=1', 301, '/games/v2.1/?x=1'],
      ['/games/v2.1/', 200],
      ['/games/v2.1/api/gamedata/move', 301, '/games/v2.1/api/gamedata/move/'],
      ['/games/v2.1/api/gamedata/move/?limit=7', 200],
      ['/meta.json', 404],
    ] as const) {
      const response = await sendTarget(port, target);
      expect({ target, ...response }).toMatchObject({ target, status, location });
      expect(response.text).toContain('Access-Control-Allow-Origin: *');
    }
    await publishSite(folder, { baseUrl: 'https://example.test/else' });
    const readStatus = async (target: string) => (await sendTarget(port, target)).status;
    await expect.poll(() => readStatus('/else/meta.json'), { timeout: 60_000 }).toBe(200);
    expect(await readStatus('/games/v2.1/meta.json')).toBe(404);
  });

  it.each([
    ['a file', '/style.css', false, 'br', 'Accept-Encoding'],
    ['no image', '/sprites/items/unknown.png', true, undefined, undefined],
    ['no API response by default', LIST, false, undefined, 'Accept'],
    ['no small response', `${LIST}move-1/`, true, undefined, 'Accept, Accept-Encoding'],
    ['no error', `${LIST}nope/`, true, undefined, 'Accept, Accept-Encoding'],
  ])('compresses %s: %s', async (_, path, compress, encoding, vary) => {
    const { url } = await serveSite({ moves: 20, extras: [style], compress });
    const { fields, bytes } = await get(url + path, 'gzip, br');
    expect([fields['content-encoding'], fields.vary]).toEqual([encoding, vary]);
    if (encoding) expect(String(brotliDecompressSync(bytes))).toBe(style.body);
  });

  it.each([
    ['br', LIST],
    ['gzip', LIST],
    ['br', `${LIST}?limit=110&offset=1`],
  ] as const)('sends the same content compressed with %s: %s', async (encoding, target) => {
    const { url } = await serveSite({ moves: 120, compress: true });
    const plain = await get(url + target);
    const packed = await get(url + target, encoding);
    const vary = 'Accept, Accept-Encoding';
    const etag = String(plain.fields.etag).replace(/"$/, `-${encoding}"`);
    const length = { 'content-length': `${packed.bytes.length}` };
    const fields = { 'content-encoding': encoding, vary, etag, ...length };
    expect(packed.fields).toMatchObject(fields);
    expect(plain.fields).toMatchObject({ vary });
    expect(decoders[encoding](packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(await get(url + target, encoding, {}, 'HEAD')).toMatchObject({
      fields,
      bytes: { length: 0 },
    });
    const known = await get(url + target, encoding, { 'if-none-match': etag });
    expect(known).toMatchObject({ status: 304, bytes: { length: 0 }, fields: { etag, vary } });
    const other = encoding === 'br' ? 'gzip' : 'br';
    for (const [tags, accepted, status] of [
      [etag, other, 200],
      [plain.fields.etag, encoding, 200],
      [etag, 'identity', 200],
      [plain.fields.etag, 'identity', 304],
      ['*', encoding, 304],
      [`"x", W/${etag}`, encoding, 304],
    ])
      expect(await get(url + target, `${accepted}`, { 'if-none-match': tags })).toMatchObject({
        status,
      });
  });
});

it.each([
  [[1_200_000], 'br'],
  [[400_000, 600_000], 'br'],
  [[400_000, 600_001], undefined],
])(
  'respondCompressed does not compress long page ranges: chunks of %j bytes',
  async (lengths, encoding) => {
    const body = lengths.map((length) => new Uint8Array(length));
    const headers = { ETag: '"a"', 'Content-Length': `${Buffer.concat(body).length}` };
    const accepted = new Headers({ 'Accept-Encoding': 'br' });
    const plain = { method: 'GET', path: LIST, search: '', headers: accepted };
    const response = await respondCompressed(plain, async () => ({ status: 200, headers, body }));
    expect(response.headers['Content-Encoding']).toBe(encoding);
  },
);

it.each([
  [null, undefined],
  ['gzip;q=0.5, identity', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1, br;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=0.1', 'gzip'],
  ['*', 'br'],
  ['*;q=0.5, br;q=0', 'gzip'],
])('selectEncoding(%j) returns %j', (header, chosen) => {
  expect(selectEncoding(header)).toBe(chosen);
});
