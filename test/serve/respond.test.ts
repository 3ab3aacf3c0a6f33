import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fsExtra from 'fs-extra';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import {
  respondCompressed,
  selectEncoding,
  splitTarget,
} from '../../src/serve/respond.ts';
import {
  PAGE,
  publishSite,
  sendTarget,
  serveSite,
  waitUntil,
} from '../support/serving.ts';

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
const LIST = '/api/gamedata/move/';
const style = { path: 'style.css', body: '.a { color: red }\n'.repeat(200) };

interface GetOptions {
  readonly method?: 'GET' | 'HEAD';
  /** The value of the `Accept-Encoding` header. */
  readonly encoding?: string;
  /** The value of the `If-None-Match` header. */
  readonly etags?: string;
}

/** Sends a request and returns the body exactly as it was received. */
async function get(
  url: string,
  { method = 'GET', encoding, etags }: GetOptions = {},
) {
  const headers: Record<string, string> = {};
  if (encoding !== undefined) headers['accept-encoding'] = encoding;
  if (etags !== undefined) headers['if-none-match'] = etags;
  const response = await request(url, { method, headers });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, fields: response.headers, bytes };
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
  ])('splits the request target %s', (target, path, search) => {
    expect(splitTarget(target)).toEqual({ path, search });
  });
});

describe('respond', () => {
  it.each<[target: string, status: number, location?: string]>([
    ['/../index.html', 404],
    ['/%2e%2e/%2e%2e/etc/passwd', 404],
    ['/_headers', 404],
    ['/.hidden.txt', 404],
    ['*', 404],
    ['//api/gamedata/move', 404],
    ['//', 404],
    [`${LIST}\xff/`, 400],
    [`http://example.test${LIST}?limit=2`, 200],
    ['/api/gamedata/move?limit=5#x', 301, `${LIST}?limit=5%23x`],
  ])(
    'serves only files of the site: %j gets a %i',
    async (target, status, location) => {
      const secrets = [
        { path: '_headers', body: 'secret' },
        { path: '.hidden.txt', body: 'secret' },
      ];
      const { port, problems } = await serveSite({ extras: [PAGE, ...secrets] });
      const response = await sendTarget(port, target);
      expect(response.status).toBe(status);
      expect(response.location).toBe(location);
      expect(response.text).not.toContain('secret');
      expect(problems).toEqual([]);
    },
  );

  it('serves files in .well-known/ if the manifest lists them', async () => {
    const listed = { path: '.well-known/security.txt', body: 'Contact: x' };
    const { port, folder } = await serveSite({ extras: [PAGE, listed] });
    fsExtra.outputFileSync(`${folder}/.well-known/added.txt`, 'x');
    const listedResponse = await sendTarget(port, '/.well-known/security.txt');
    expect(listedResponse).toMatchObject({ status: 200, body: listed.body });
    const addedResponse = await sendTarget(port, '/.well-known/added.txt');
    expect(addedResponse.status).toBe(404);
  });

  it("serves a site only below its base URL's path", async () => {
    const { url, port, folder } = await serveSite({
      baseUrl: 'https://example.test/games/v2.1',
    });
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
    async function readStatus(target: string) {
      const { status } = await sendTarget(port, target);
      return status;
    }
    await publishSite(folder, { baseUrl: 'https://example.test/else' });
    await expect
      .poll(() => readStatus('/else/meta.json'), waitUntil('the new site is served'))
      .toBe(200);
    expect(await readStatus('/games/v2.1/meta.json')).toBe(404);
  });

  it.each([
    ['a file', '/style.css', false, 'br', 'Accept-Encoding'],
    ['no image', '/sprites/items/unknown.png', true, undefined, undefined],
    ['no API response by default', LIST, false, undefined, 'Accept'],
    [
      'no small response',
      `${LIST}move-1/`,
      true,
      undefined,
      'Accept, Accept-Encoding',
    ],
    ['no error', `${LIST}nope/`, true, undefined, 'Accept, Accept-Encoding'],
  ])('compresses %s: %s', async (_, path, compress, encoding, vary) => {
    const { url } = await serveSite({ moves: 20, extras: [style], compress });
    const { fields, bytes } = await get(url + path, { encoding: 'gzip, br' });
    expect([fields['content-encoding'], fields.vary]).toEqual([encoding, vary]);
    if (encoding) expect(String(brotliDecompressSync(bytes))).toBe(style.body);
  });

  describe.each([
    ['br', LIST],
    ['gzip', LIST],
    ['br', `${LIST}?limit=110&offset=1`],
  ] as const)('compression with %s: %s', (encoding, target) => {
    const vary = 'Accept, Accept-Encoding';

    /**
     * Starts a server, and requests the target once without and once with
     * compression.
     */
    async function prepare() {
      const { url } = await serveSite({ moves: 120, compress: true });
      const plain = await get(url + target);
      const compressed = await get(url + target, { encoding });
      const plainEtag = String(plain.fields.etag);
      const etag = plainEtag.replace(/"$/, `-${encoding}"`);
      return { url: url + target, plain, compressed, plainEtag, etag };
    }

    it('sends the same content in fewer bytes', async () => {
      const { plain, compressed } = await prepare();
      const decoded = decoders[encoding](compressed.bytes);
      expect(decoded.equals(plain.bytes)).toBe(true);
      expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 4);
    });

    it("sends the compressed body's headers, even for HEAD", async () => {
      const { url, plain, compressed, etag } = await prepare();
      const head = await get(url, { encoding, method: 'HEAD' });
      expect(plain.fields.vary).toBe(vary);
      expect(head.bytes).toHaveLength(0);
      for (const { fields } of [compressed, head]) {
        expect(fields).toMatchObject({
          'content-encoding': encoding,
          'content-length': String(compressed.bytes.length),
          vary,
          etag,
        });
      }
    });

    it('confirms only ETags for the same encoding', async () => {
      const { url, plainEtag, etag } = await prepare();
      const otherEncoding = encoding === 'br' ? 'gzip' : 'br';
      const rows: readonly [etags: string, encoding: string, status: number][] = [
        [etag, encoding, 304],
        [`"x", W/${etag}`, encoding, 304],
        ['*', encoding, 304],
        [plainEtag, encoding, 200],
        [etag, otherEncoding, 200],
        [etag, 'identity', 200],
        [plainEtag, 'identity', 304],
      ];
      for (const [etags, accepted, expected] of rows) {
        const { status } = await get(url, { encoding: accepted, etags });
        expect([etags, accepted, status]).toEqual([etags, accepted, expected]);
      }
      const confirmed = await get(url, { encoding, etags: etag });
      expect(confirmed.bytes).toHaveLength(0);
      expect(confirmed.fields).toMatchObject({ etag, vary });
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
    const headers = {
      ETag: '"a"',
      'Content-Length': `${Buffer.concat(body).length}`,
    };
    const plainResponse = { status: 200, headers, body };
    const response = await respondCompressed(
      {
        method: 'GET',
        path: LIST,
        search: '',
        headers: new Headers({ 'Accept-Encoding': 'br' }),
      },
      async () => plainResponse,
    );
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
