import { beforeAll, describe, expect, it } from 'vitest';
import type { HostFile } from '../../src/hosts/host.ts';
import { hostFiles } from '../../src/hosts/index.ts';
import { netlify } from '../../src/hosts/netlify.ts';
import { netlifyEdge } from '../../src/hosts/netlify-edge.ts';
import { bodyText } from '../support/body.ts';
import {
  type Declaration,
  type EdgeModule,
  isDeclared,
  withEdgeFunction,
} from '../support/engines/netlify-edge.ts';
import { hostContext, rawRecords, siteOf } from '../support/sites.ts';

/** A handler that says that it was asked. */
const handlerModule = () => `
const createFetchStore = (fetchFile) => ({ get: fetchFile });
const createHandler = (store) => async (request) =>
  new Response('handler:' + await (await store.get('a/index.json')).text(), { status: 201 });
export { createFetchStore, createHandler };
`;
const context = { ...hostContext(siteOf(rawRecords(1, 1)).routes), handlerModule };
const text = String(netlifyEdge.files(context).find(({ path }) => path === '_edge/gamedata.js')?.body);

let edge: EdgeModule;
beforeAll(async () => {
  edge = await import(`data:text/javascript,${encodeURIComponent(text)}`);
});

/** What a client gets, over rules that answer with the path. */
async function ask(path: string, { known = false } = {}): Promise<Response> {
  const site = async (request: Request) => {
    const status = request.headers.has('if-none-match') ? 304 : 200;
    const body = status === 304 ? null : `rules:${new URL(request.url).pathname}`;
    return new Response(body, { status, headers: { ETag: '"1"' } });
  };
  const headers = known ? { 'If-None-Match': '"1"' } : {};
  return withEdgeFunction(site, edge)(new Request(`https://site.test${path}`, { headers }));
}

describe('Netlify’s edge function', () => {
  it('reads files past itself, whatever the client has', async () => {
    const response = await ask('/api/gamedata/move/?limit=5', { known: true });
    expect(await response.text()).toBe('handler:rules:/a/index.json');
  });
});

describe('Netlify’s edge functions', () => {
  const declared = netlify.files(context).flatMap(({ path, body }) => {
    const [, config] = /export const config = (\{.*\});\n$/s.exec(bodyText(body)) ?? [];
    return path.startsWith('_edge/') && config !== undefined ? [JSON.parse(config) as Declaration] : [];
  });
  const called = (path: string, { method = 'GET', accept = '*/*' } = {}): boolean => {
    const request = new Request(`https://site.test${path}`, { method, headers: { accept } });
    return declared.some((declaration) => isDeclared(declaration, request));
  };

  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  it.each<[called: boolean, path: string, init?: { method?: string; accept?: string }]>([
    [true, '/api/gamedata/move/'],
    [true, '/api/gamedata/item/?limit=20'],
    [true, '/api/gamedata/move'],
    [true, '/api/gamedata/move/pound'],
    [true, '/api/gamedata'],
    [true, '/api/gamedata/move/pound/', { method: 'POST' }],
    [true, '/api/gamedata/', { method: 'OPTIONS' }],
    [true, '/api/gamedata/move/pound/', browser],
    [true, '/api/gamedata/', browser],
    [true, '/api/gamedata/no-such-kind', browser],
    [true, '/api/gamedata/move/a/b/', browser],
    [false, '/api/gamedata/move/pound/'],
    [false, '/api/gamedata/move/pound/?format=api'],
    [false, '/api/gamedata/move/pound/', { accept: 'application/json' }],
    [false, '/api/gamedata/'],
    [false, '/api/gamedata/index.json'],
    [false, '/api/gamedata/move/offset/100/index.json'],
    [false, '/api/gamedata/move/offset/100/index.json', browser],
    [false, '/sprites/items/master-ball.png'],
    [false, '/meta.json'],
    [false, '/', browser],
  ])('cost a call: %s, for %s %j', (isCalled, path, init = {}) => {
    expect(called(path, init)).toBe(isCalled);
  });

  it('leave everything to the rules if they fail', async () => {
    const broken: EdgeModule = {
      default: async () => {
        throw new Error('out of memory');
      },
      config: { pattern: '^/.*$', onError: declared[0]?.onError ?? '' },
    };
    const answer = withEdgeFunction(async () => new Response('rules'), broken);
    expect(await (await answer(new Request('https://site.test/api/gamedata/move/'))).text()).toBe('rules');
  });
});

describe('Netlify’s files', () => {
  it('are the rules’, and one function, with its conditions or those of four', () => {
    const functions = ['', '-methods', '-browsers', '-slashes'].map((name) => `_edge/gamedata${name}.js`);
    const rules = ['_redirects', '_headers'];
    expect(netlify.files(context).map(({ path }) => path)).toEqual([...rules, ...functions]);
    expect(netlifyEdge.files(context).map(({ path }) => path)).toEqual([...rules, '_edge/gamedata.js']);
  });

  it('come once, also if both hosts are requested', () => {
    const made = (files: readonly HostFile[]) => files.map(({ path, body }) => [path, body]);
    expect(made(hostFiles(['netlify-edge', 'netlify-rules'], context))).toEqual(
      made(netlifyEdge.files(context)),
    );
    expect(made(hostFiles(['netlify-edge', 'netlify'], context))).toEqual(made(netlify.files(context)));
  });
});
