import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  type BuildOptions,
  build,
  resolveBuild,
} from '../../src/cli/commands/build.ts';
import { diff } from '../../src/cli/commands/diff.ts';
import { mirror } from '../../src/cli/commands/mirror.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import { snapshot } from '../../src/cli/commands/snapshot.ts';
import { verify } from '../../src/cli/commands/verify.ts';
import type { Environment } from '../../src/cli/site-options.ts';
import { UsageError } from '../../src/errors.ts';
import { resolveSettings } from '../../src/pipeline/settings.ts';
import { siteOf } from '../support/sites.ts';

/** Returns the settings of a first build. */
function settingsOf(options: BuildOptions, environment: Environment) {
  const { wanted, out } = resolveBuild(options, environment);
  return resolveSettings(wanted, out, {
    published: undefined,
    copied: undefined,
  });
}
const NAMED = { BASE_URL: 'https://example.test' };

const ICONS =
  'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';

it('fills in the defaults for all build options', () => {
  expect(resolveBuild({}, { SOURCE_DATE_EPOCH: '1388534400' })).toMatchObject({
    source: {
      source: 'auto',
      concurrency: 16,
      cacheFolder: path.join('.cache', 'gamedata'),
      maxShrink: 1,
      allowMissing: [],
      today: '2014-01-01',
    },
    out: 'build',
    verify: false,
    wanted: { archive: false },
  });
  expect(settingsOf({}, {})).toMatchObject({
    baseUrl: 'http://127.0.0.1:3000',
    hosts: ['netlify'],
    root: path.resolve('build'),
    links: 'query',
    sprites: { mode: 'link', upstream: ICONS },
  });
});

it.each<[BuildOptions, object]>([
  [{ cache: false }, { cacheFolder: undefined }],
  [{ cache: 'elsewhere' }, { cacheFolder: 'elsewhere' }],
  [{ concurrency: 1 }, { concurrency: 1 }],
  [
    { upstream: 'https://pokeapi.co/api/v2/' },
    { upstream: 'https://pokeapi.co/api/v2' },
  ],
  [{ source: 'csv', upstream: 'tables' }, { upstream: 'tables' }],
  [
    { source: 'csv', upstream: 'HTTP://X.test/csv//' },
    { upstream: 'http://x.test/csv' },
  ],
  [{ source: 'snapshot', upstream: 'data' }, { upstream: 'data' }],
])('resolves the options %j to the source settings %j', (options, source) => {
  expect(resolveBuild(options, {}).source).toMatchObject(source);
});

it.each<[BuildOptions, object]>([
  [
    { sprites: 'none', spritesUpstream: 'junk' },
    { sprites: { mode: 'none', upstream: null } },
  ],
  [{ hosts: [] }, { hosts: [] }],
  [
    { hosts: ['netlify', 'netlify'] },
    { hosts: ['netlify'], links: 'query', sprites: { mode: 'link' } },
  ],
  [
    { links: 'file' },
    { links: 'file', sprites: { mode: 'mirror', upstream: ICONS } },
  ],
  [{ hosts: ['github-pages'] }, { links: 'file', sprites: { mode: 'mirror' } }],
  [{ hosts: ['github-pages', 'netlify'] }, { links: 'file' }],
  [{ hosts: ['caddy'], out: 'site' }, { root: path.resolve('site') }],
  [{ hosts: ['caddy'], root: '/srv/My ü' }, { root: path.resolve('/srv/My ü') }],
])('resolves the options %j to the site settings %j', (options, settings) => {
  expect(settingsOf(options, NAMED)).toMatchObject(settings);
});

describe('the base URL', () => {
  const site = { URL: 'https://site.test', NETLIFY: 'true' };
  const netlify = { ...site, DEPLOY_PRIME_URL: 'https://preview.test' };
  const all = { ...netlify, BASE_URL: 'https://base.test' };
  const here = 'http://127.0.0.1:3000';
  it.each<
    [
      first: string,
      given: string | undefined,
      environment: Environment,
      address: string,
    ]
  >([
    ['the option', 'https://flag.test', all, 'https://flag.test'],
    [
      'BASE_URL',
      undefined,
      { ...all, CONTEXT: 'deploy-preview' },
      'https://base.test',
    ],
    [
      'a preview’s URL',
      undefined,
      { ...netlify, CONTEXT: 'deploy-preview' },
      'https://preview.test',
    ],
    [
      'a branch’s URL',
      undefined,
      { ...netlify, CONTEXT: 'branch-deploy' },
      'https://preview.test',
    ],
    ['URL without a context', undefined, netlify, 'https://site.test'],
    [
      'URL in a preview without one',
      undefined,
      { ...site, CONTEXT: 'deploy-preview' },
      'https://site.test',
    ],
    [
      'the default outside Netlify',
      undefined,
      { ...netlify, NETLIFY: undefined },
      here,
    ],
    ['the default', undefined, { BASE_URL: '', URL: '' }, here],
    [
      'an option with a trailing slash',
      'https://Example.test/games//',
      {},
      'https://example.test/games',
    ],
  ])('uses %s', (_, baseUrl, environment, address) => {
    expect(settingsOf({ baseUrl }, environment).baseUrl).toBe(address);
  });

  const http = 'expected an http or https URL';
  const unfit =
    'got a URL with credentials, a query or a fragment, expected one without';
  const letters = 'expected a URL of letters, digits, dots and hyphens';
  it.each<[string, string]>([
    ['', `got "", ${http}`],
    ['ftp://me:secret@x.test', `got "ftp://…@x.test", ${http}`],
    ['https://x.test/?a=b', unfit],
    ['https://x.test/#', unfit],
    ['https://x.test/a b', `got "https://x.test/a%20b", ${letters}`],
    ['https://x.test/a//b', `got "https://x.test/a//b", ${letters}`],
    ['http://a:0', 'got "http://a:0", expected a URL with a port from 1 to 65535'],
  ])('rejects the base URL %j', (baseUrl, problem) => {
    expect(() => resolveBuild({ baseUrl }, {})).toThrow(
      new UsageError(problem, { option: '--base-url' }),
    );
  });

  it.each<[string, Environment]>([
    ['BASE_URL', {}],
    ['DEPLOY_PRIME_URL', { NETLIFY: 'true', CONTEXT: 'deploy-preview' }],
  ])(
    'names the variable %s if it contains an invalid base URL',
    (name, environment) => {
      const problem = `got "x", ${http}`;
      expect(() => resolveBuild({}, { ...environment, [name]: 'x' })).toThrow(
        new UsageError(problem, { option: name }),
      );
    },
  );

  it.each<[BuildOptions['hosts'], names: string, hint: string]>([
    [
      ['nginx', 'nginx', 'github-pages'],
      'nginx, github-pages',
      'Use --base-url or BASE_URL.',
    ],
    [
      ['cloudflare'],
      'cloudflare',
      expect.stringMatching(/^Set BASE_URL in the Worker: Settings → Build → /),
    ],
  ])('must be set for the hosts %j', (hosts, names, hint) => {
    const message = `--base-url: got none, expected the base URL of the site on ${names}`;
    const error = expect.objectContaining({ code: 'usage', message, hint });
    expect(() => settingsOf({ hosts }, { URL: 'https://site.test' })).toThrow(error);
    expect(() => settingsOf({ hosts }, NAMED)).not.toThrow();
  });
});

describe('settings that no option sets', () => {
  const known = { published: undefined, copied: undefined, isOwnSource: false };
  const resolve = (own: object) =>
    resolveSettings(resolveBuild({}, {}).wanted, 'out', { ...known, ...own });
  const published = {
    base_url: 'https://a.test',
    links: 'file',
    hosts: ['caddy', 'unknown'],
  };
  const copied = { base_url: 'https://b.test', links: 'query', hosts: ['nginx'] };

  it.each<[string, object, ...settings: string[]]>([
    ['of a build', { published }, 'https://a.test', 'published', 'query', 'netlify'],
    [
      'of a copy',
      { published, copied },
      'https://b.test',
      'source',
      'query',
      'netlify',
    ],
  ])(
    'come from the published and the copied site: %s',
    (_, own, baseUrl, baseUrlFrom, links, ...hosts) => {
      expect(resolve(own)).toMatchObject({ baseUrl, baseUrlFrom, links, hosts });
    },
  );

  describe('with the default base URL', () => {
    const base_url = 'http://127.0.0.1:3000';
    const resolveFor = (hosts: BuildOptions['hosts'], publishedHosts: string[]) =>
      resolveSettings(resolveBuild({ hosts }, {}).wanted, 'out', {
        ...known,
        published: { ...siteOf({}).meta, base_url, hosts: publishedHosts },
      });

    it('are rejected for a host that the published site was not built for', () => {
      const message = `--base-url: got only the default ${base_url}, expected the base URL of the site on nginx`;
      const hint = 'Use --base-url or BASE_URL.';
      const error = expect.objectContaining({ code: 'usage', message, hint });
      expect(() => resolveFor(['nginx'], ['netlify'])).toThrow(error);
    });

    it.each<[string, BuildOptions['hosts']]>([
      ['was built for the same host', ['nginx']],
      ['is built again without a host', undefined],
    ])('are kept if the published site %s', (_, hosts) => {
      expect(resolveFor(hosts, ['nginx'])).toMatchObject({
        baseUrl: base_url,
        baseUrlFrom: 'published',
      });
    });
  });

  it('rejects a base URL of the copied site that is not plain', () => {
    const forged = { ...copied, base_url: 'javascript:alert(1)' };
    expect(() => resolve({ copied: forged })).toThrow(
      '--base-url: got "javascript:alert(1)", expected a URL of letters',
    );
  });
});

it.each<[BuildOptions | { source: 'xml' }, string]>([
  [
    { hosts: ['github-pages'], links: 'query' },
    '--links: got query, expected file for github-pages, which ignores',
  ],
  [
    { root: '/srv' },
    '--root: got no host that uses it, expected --host nginx, caddy or apache',
  ],
  [
    { root: '/srv/$site', hosts: ['apache'] },
    '--root: got "/srv/$site", expected a path without quotes, brackets',
  ],
  [
    { source: 'xml' },
    '--source: got "xml", expected one of auto, rest, csv, snapshot',
  ],
  [{ concurrency: 0 }, '--concurrency: got 0, expected an integer from 1 to 256'],
  [
    { concurrency: Number.NaN },
    '--concurrency: got NaN, expected an integer from 1 to 256',
  ],
  [{ maxShrink: 101 }, '--max-shrink: got 101, expected a percentage from 0 to 100'],
  [
    { upstream: './tables' },
    '--upstream: got ./tables, expected an http or https URL for --source auto',
  ],
  [
    { source: 'rest', upstream: 'ftp://x.test' },
    '--upstream: got ftp://x.test, expected an http or https URL',
  ],
  [
    { hosts: ['nginx', 'netlify', 'cloudflare'] },
    '--host: got "netlify cloudflare", expected one of them, because they read _redirects differently',
  ],
])('rejects the options %j', (options, problem) => {
  expect(() => settingsOf(options as BuildOptions, NAMED)).toThrow(problem);
});

it.each(['today', '1.5', '-1', '999999999999'])(
  'rejects SOURCE_DATE_EPOCH=%s',
  (epoch) => {
    expect(() => resolveBuild({}, { SOURCE_DATE_EPOCH: epoch })).toThrow(
      `SOURCE_DATE_EPOCH: got "${epoch}", expected seconds since 1970`,
    );
  },
);

it('ignores an empty SOURCE_DATE_EPOCH', () => {
  const { source } = resolveBuild({}, { SOURCE_DATE_EPOCH: '' });
  expect(source.today).toBe(resolveBuild({}, {}).source.today);
});

it.each([
  ['0', '1970-01-01'],
  ['315532800', '1980-01-01'],
  ['1388534399', '2013-12-31'],
])(
  'replaces SOURCE_DATE_EPOCH=%s with the earliest possible date, and reports it',
  (epoch, day) => {
    const onNotice = vi.fn();
    const { source } = resolveBuild({ onNotice }, { SOURCE_DATE_EPOCH: epoch });
    expect(source.today).toBe('2014-01-01');
    const notice = `SOURCE_DATE_EPOCH is at ${day}, before the upstream existed; using 2014-01-01`;
    expect(onNotice.mock.calls).toEqual([[notice]]);
  },
);

it.each<[option: string, call: () => unknown]>([
  ['--out', () => resolveBuild({ out: '' }, {})],
  ['--upstream', () => resolveBuild({ source: 'csv', upstream: '' }, {})],
  ['--cache', () => resolveBuild({ cache: '' }, {})],
  ['--root', () => resolveBuild({ hosts: ['nginx'], root: '' }, {})],
  ['--data', () => snapshot({ data: '' })],
  ['--like', () => verify({ target: 'http://127.0.0.1:9', like: '' })],
  ['target', () => verify({ target: '' })],
  ['from', () => mirror({ from: '', out: 'copy' })],
  ['out', () => mirror({ from: 'x', out: '' })],
  ['to', () => diff({ from: 'x', to: '' })],
  ['dir', () => serve({ dir: '' })],
])('rejects an empty value of %s', async (option, call) => {
  await expect(async () => call()).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(new RegExp(`^${option}: got "", expected `)),
  });
});

it.each<[string, (options: object) => Promise<unknown>]>([
  ['build', build],
  ['snapshot', snapshot],
  ['verify', (options) => verify({ target: 'nowhere', ...options })],
  ['mirror', (options) => mirror({ from: 'nowhere', out: 'copy', ...options })],
  ['serve', serve],
  ['diff', (options) => diff({ from: 'nowhere', to: 'nowhere', ...options })],
])('%s() rejects an unknown option', async (_, call) => {
  await expect(call({ levle: 1 })).rejects.toThrow(
    /^got the option "levle", expected one of /,
  );
});
