import { describe, expect, it } from 'vitest';
import { createHostFiles } from '../../src/hosts/index.ts';
import { netlify } from '../../src/hosts/netlify.ts';
import {
  type Declaration,
  type EdgeFunction,
  isDeclared,
  withEdgeFunction,
} from '../support/engines/netlify.ts';
import { hostContext, rawRecords, siteOf } from '../support/sites.ts';

const context = { ...hostContext(siteOf(rawRecords(1, 1))), handlerModule: () => '' };
const declared = netlify.files(context).flatMap(({ path, body }) => {
  const [, config] = /^_edge\/.*export const config = (\{.*\});\n$/s.exec(`${path}\n${body}`) ?? [];
  return config === undefined ? [] : [JSON.parse(config) as Declaration];
});

describe('Netlify’s edge functions', () => {
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
  ])('cost a call: %s, for %s %j', (isCalled, path, { method = 'GET', accept = '*/*' } = {}) => {
    const request = new Request(`https://site.test${path}`, { method, headers: { accept } });
    expect(declared.some((declaration) => isDeclared(declaration, request))).toBe(isCalled);
  });

  it('leave everything to the rules if they fail', async () => {
    const broken: EdgeFunction = {
      default: () => Promise.reject(new Error('out of memory')),
      config: { pattern: '^/.*$', onError: declared[0]?.onError ?? '' },
    };
    const answer = withEdgeFunction(async () => new Response('rules'), broken);
    expect(await (await answer(new Request('https://site.test/api/gamedata/move/'))).text()).toBe('rules');
  });
});

it('Netlify’s files are the rules’ and four functions, once if both hosts are requested', () => {
  const functions = ['', '-methods', '-browsers', '-slashes'].map((name) => `_edge/gamedata${name}.js`);
  expect(netlify.files(context).map(({ path }) => path)).toEqual(['_redirects', '_headers', ...functions]);
  expect(createHostFiles(['netlify-rules', 'netlify'], context)).toEqual(netlify.files(context));
});
