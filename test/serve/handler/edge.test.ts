import { expect, it } from 'vitest';
import { createEdgeFunction, createWorker } from '../../../src/serve/handler/edge.ts';

const RECORD = '/games/api/gamedata/move/pound/';
const FILE = '/api/gamedata/move/pound/index.json';

/** Serves one file, and keeps what was asked for. */
function assets() {
  const asked: string[] = [];
  return {
    asked,
    serve(url: string): Promise<Response> {
      asked.push(url);
      return Promise.resolve(
        url.endsWith(FILE)
          ? new Response('{}', { headers: { ETag: '"1"' } })
          : new Response('', { status: 404 }),
      );
    },
  };
}

it("a Worker reads Cloudflare's assets", async () => {
  const { asked, serve } = assets();
  const worker = createWorker('/games');
  const ask = (path: string) =>
    worker.fetch(new Request(`https://site.test${path}`), { ASSETS: { fetch: serve } });
  expect(await (await ask(RECORD)).text()).toBe('{}');
  expect(asked).toEqual([`https://assets.local${FILE}`]);
  expect((await ask('/api/gamedata/move/pound/')).status).toBe(404);
});

it('an edge function reads files past itself, whatever the client has', async () => {
  const { asked, serve } = assets();
  const request = new Request(`https://site.test${RECORD}`, { headers: { 'If-None-Match': '"1"' } });
  const next = (file: Request): Promise<Response> => {
    expect([...file.headers]).toEqual([]);
    return serve(file.url);
  };
  const { status } = await createEdgeFunction('/games')(request, { next });
  expect([status, asked]).toEqual([304, [`https://site.test${FILE}`]]);
});
