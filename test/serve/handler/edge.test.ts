import { describe, expect, it } from 'vitest';
import {
  createEdgeFunction,
  createFetchStore,
  createWorker,
} from '../../../src/serve/handler/edge.ts';

const RECORD = '/games/api/gamedata/move/pound/';
const FILE = '/api/gamedata/move/pound/index.json';

function serveOneFile() {
  const requested: string[] = [];
  const serve = async (url: string): Promise<Response> => {
    requested.push(url);
    return url.endsWith(FILE)
      ? new Response('{}', { headers: { ETag: '"1"' } })
      : new Response('', { status: 404 });
  };
  return { requested, serve };
}

it("createWorker reads files from Cloudflare's assets", async () => {
  const { requested, serve } = serveOneFile();
  const send = (path: string) =>
    createWorker('/games').fetch(new Request(`https://site.test${path}`), {
      ASSETS: { fetch: serve },
    });
  expect(await (await send(RECORD)).text()).toBe('{}');
  expect(requested).toEqual([`https://assets.local${FILE}`]);
  expect((await send('/api/gamedata/move/pound/')).status).toBe(404);
});

it("createEdgeFunction reads files from the host without the client's headers", async () => {
  const { requested, serve } = serveOneFile();
  const request = new Request(`https://site.test${RECORD}`, {
    headers: { 'If-None-Match': '"1"' },
  });
  const next = (file: Request): Promise<Response> => {
    expect([...file.headers]).toEqual([]);
    return serve(file.url);
  };
  const { status } = await createEdgeFunction('/games')(request, { next });
  expect([status, requested]).toEqual([304, [`https://site.test${FILE}`]]);
});

describe('createFetchStore', () => {
  const get = (body: string | null, init?: ResponseInit) =>
    createFetchStore(async () => new Response(body, init)).get('a.json');

  it("uses the host's ETag for a file", async () => {
    const asset = await get('{}', { headers: { ETag: 'W/"1"' } });
    expect(asset).toEqual({ body: new Uint8Array([0x7b, 0x7d]), etag: 'W/"1"' });
  });

  it('derives an ETag from the content if the host does not send one', async () => {
    const [first, same, other] = await Promise.all(
      ['{}', '{}', '[]'].map((body) => get(body)),
    );
    expect(other?.etag).toBe('"4f53cda18c2baa0c0354bb5f9a3ecbe5"');
    expect(same?.etag).toBe(first?.etag);
    expect(other?.etag).not.toBe(first?.etag);
  });

  it.each([301, 404])(
    'returns undefined if the host responds with status %i',
    async (status) => {
      expect(await get('x', { status })).toBeUndefined();
    },
  );

  it.each([429, 500])(
    'throws if the host responds with the temporary status %i',
    async (status) => {
      await expect(get('x', { status })).rejects.toThrow(
        `a.json: got status ${status}, expected 200`,
      );
    },
  );
});
