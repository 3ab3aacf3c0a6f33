import { describe, expect, it } from 'vitest';
import { createHostFiles } from '../../src/hosts/index.ts';
import { netlify } from '../../src/hosts/netlify.ts';
import { type Declaration, isDeclared } from '../support/engines/netlify.ts';
import { hostContext, rawRecords, siteOf } from '../support/sites.ts';

const context = {
  ...hostContext(siteOf(rawRecords(1, 1))),
  handlerModule: () => '',
};
const declared = netlify.createFiles(context).flatMap(({ path, body }) => {
  const [, config] =
    /^_edge\/.*export const config = (\{.*\});\n$/s.exec(`${path}\n${body}`) ?? [];
  return config === undefined ? [] : [JSON.parse(config) as Declaration];
});

describe("Netlify's edge functions", () => {
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const api = '/api/gamedata';
  it.each<
    [isCalled: boolean, paths: string[], init?: { method?: string; accept?: string }]
  >([
    [
      true,
      [
        `${api}/move/`,
        `${api}/item/?limit=20`,
        `${api}/move`,
        `${api}/move/pound`,
        api,
      ],
    ],
    [true, [`${api}/move/pound/`], { method: 'POST' }],
    [true, [`${api}/`], { method: 'OPTIONS' }],
    [
      true,
      [`${api}/move/pound/`, `${api}/`, `${api}/no-such-kind`, `${api}/move/a/b/`],
      { accept: browser },
    ],
    [
      false,
      [
        `${api}/move/pound/`,
        `${api}/move/pound/?format=api`,
        `${api}/`,
        `${api}/index.json`,
      ],
    ],
    [false, [`${api}/move/pound/`], { accept: 'application/json' }],
    [
      false,
      [
        `${api}/move/offset/100/index.json`,
        '/sprites/items/master-ball.png',
        '/meta.json',
      ],
    ],
    [false, [`${api}/move/offset/100/index.json`, '/'], { accept: browser }],
  ])(
    'decides whether an edge function is called (%s) for the paths %j with %j',
    (isCalled, paths, { method = 'GET', accept = '*/*' } = {}) => {
      const isRequestDeclared = (path: string): boolean => {
        const request = new Request(`https://site.test${path}`, {
          method,
          headers: { accept },
        });
        return declared.some((declaration) => isDeclared(declaration, request));
      };
      expect(paths.filter((path) => isRequestDeclared(path) !== isCalled)).toEqual(
        [],
      );
    },
  );

  it('lets the redirect rules respond if an edge function fails', () => {
    expect(declared.map(({ onError }) => onError)).toEqual(Array(4).fill('bypass'));
  });
});

it('creates each file only once if both Netlify hosts are selected', () => {
  const functions = ['', '-methods', '-browsers', '-slashes'].map(
    (name) => `_edge/gamedata${name}.js`,
  );
  expect(netlify.createFiles(context).map(({ path }) => path)).toEqual([
    '_redirects',
    '_headers',
    ...functions,
  ]);
  expect(createHostFiles(['netlify-rules', 'netlify'], context)).toEqual(
    netlify.createFiles(context),
  );
});
