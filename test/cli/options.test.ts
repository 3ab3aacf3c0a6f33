import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type BuildOptions,
  build,
  resolveBuild,
} from '../../src/cli/commands/build.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import { verify } from '../../src/cli/commands/verify.ts';
import type { Meta } from '../../src/contract/meta.ts';
import { GamedataError } from '../../src/errors.ts';
import { resolveSettings } from '../../src/pipeline/settings.ts';
import { callCli } from '../support/run-cli.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

afterEach(() => void vi.unstubAllEnvs());

/** Returns the settings of a build. */
function settingsOf(options: BuildOptions) {
  const { wanted, out } = resolveBuild(options);
  return resolveSettings(wanted, out, undefined);
}
const baseUrl = 'https://example.test';

const ICONS =
  'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';

it('fills in the defaults for all build options', () => {
  vi.stubEnv('SOURCE_DATE_EPOCH', '1388534400');
  expect(resolveBuild({})).toMatchObject({
    source: {
      source: 'auto',
      concurrency: 16,
      cacheFolder: path.join('.cache', 'gamedata'),
      maxShrink: 1,
      allowMissing: [],
      today: '2014-01-01',
    },
    out: 'build',
    wanted: { archive: false },
  });
  expect(settingsOf({})).toMatchObject({
    baseUrl: 'http://127.0.0.1:3000',
    hosts: ['netlify'],
    root: path.resolve('build'),
    links: 'query',
    sprites: { mode: 'link', upstream: ICONS },
  });
});

it.each<[BuildOptions, object]>([
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
  expect(resolveBuild(options).source).toMatchObject(source);
});

it.each<[BuildOptions, object]>([
  [{ sprites: 'none' }, { sprites: { mode: 'none', upstream: null } }],
  [{ hosts: [] }, { hosts: [] }],
  [
    { hosts: ['netlify', 'netlify'] },
    { hosts: ['netlify'], links: 'query', sprites: { mode: 'link' } },
  ],
  [
    { links: 'file' },
    { hosts: [], links: 'file', sprites: { mode: 'mirror', upstream: ICONS } },
  ],
  [{ hosts: ['github-pages'] }, { links: 'file', sprites: { mode: 'mirror' } }],
  [{ hosts: ['github-pages', 'netlify'] }, { links: 'file' }],
  [{ hosts: ['caddy'], out: 'site' }, { root: path.resolve('site') }],
  [{ hosts: ['caddy'], root: '/srv/My ü' }, { root: path.resolve('/srv/My ü') }],
])('resolves the options %j to the site settings %j', (options, settings) => {
  expect(settingsOf({ baseUrl, ...options })).toMatchObject(settings);
});

describe('the base URL', () => {
  const netlify = {
    NETLIFY: 'true',
    URL: 'https://site.test',
    DEPLOY_PRIME_URL: 'https://preview.test',
  };
  const all = { ...netlify, BASE_URL: 'https://base.test' };
  it.each<[variable: string, environment: Record<string, string>, value: string]>([
    ['BASE_URL', { ...all, CONTEXT: 'deploy-preview' }, 'https://base.test'],
    [
      "a preview's URL",
      { ...netlify, CONTEXT: 'branch-deploy' },
      'https://preview.test',
    ],
    ['URL on Netlify', netlify, 'https://site.test'],
    [
      'the default outside Netlify',
      { URL: 'https://site.test', BASE_URL: '' },
      'http://127.0.0.1:3000',
    ],
  ])('takes the base URL from %s', async (_, env, value) => {
    const cwd = temporaryFolder();
    const { upstream } = await smallSource(rawRecords(3, 2));
    const args = ['--source', 'snapshot', '--upstream', upstream, '--json'];
    const { stdout } = await callCli(['build', ...args], { cwd, env });
    expect(JSON.parse(stdout).site.baseUrl).toBe(value);
  });

  it('removes trailing slashes from the base URL', () => {
    const settings = settingsOf({ baseUrl: 'https://Example.test/games//' });
    expect(settings.baseUrl).toBe('https://example.test/games');
  });

  const http = 'expected an http or https URL';
  const unfit =
    'got a URL with credentials, a query or a fragment, expected one without';
  const letters = 'expected a URL of letters, digits, dots and hyphens';
  it.each<[string, string]>([
    ['', `got "", ${http}`],
    ['ftp://me:secret@x.test', `got "…@x.test", ${http}`],
    ['https://x.test/?a=b', unfit],
    ['https://x.test/a b', `got "https://x.test/a%20b", ${letters}`],
    ['https://x.test/a//b', `got "https://x.test/a//b", ${letters}`],
  ])('rejects the base URL %j', (baseUrl, problem) => {
    expect(() => resolveBuild({ baseUrl })).toThrow(
      new GamedataError('usage', `--base-url: ${problem}`),
    );
  });

  it.each<[BuildOptions['hosts'], names: string, hint: string]>([
    [
      ['nginx', 'nginx', 'github-pages'],
      'nginx, github-pages',
      'Use --base-url, BASE_URL, or "base-url" in gamedata.config.json.',
    ],
    [
      ['cloudflare'],
      'cloudflare',
      expect.stringMatching(/^Set BASE_URL in the Worker: Settings → Build → /),
    ],
  ])('requires a base URL for the hosts %j', (hosts, names, hint) => {
    const message = `--base-url: got none, expected the base URL of the site on ${names}`;
    const error = expect.objectContaining({ code: 'usage', message, hint });
    expect(() => settingsOf({ hosts })).toThrow(error);
    expect(() => settingsOf({ hosts, baseUrl })).not.toThrow();
  });
});

describe('the settings of a copy', () => {
  const copied: Meta = {
    ...siteOf({}).meta,
    base_url: 'https://b.test',
    links: 'file',
    hosts: ['nginx'],
  };
  const resolve = (meta: object) =>
    resolveSettings(resolveBuild({}).wanted, 'out', { ...copied, ...meta });

  it("uses the copied site's base URL and links by default", () => {
    const baseUrl = 'https://b.test';
    expect(resolve({})).toMatchObject({ baseUrl, links: 'file' });
  });

  it('rejects a copied site with the base URL javascript:alert(1)', () => {
    expect(() => resolve({ base_url: 'javascript:alert(1)' })).toThrow(
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
    '--source: got "xml", expected one of "auto"|"rest"|"csv"|"snapshot"',
  ],
  [{ concurrency: 0 }, '--concurrency: got 0, expected number to be >=1'],
  [{ maxShrink: 101 }, '--max-shrink: got 101, expected number to be <=100'],
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
  expect(() => settingsOf({ baseUrl, ...options } as BuildOptions)).toThrow(problem);
});

it.each(['today', '1.5', '-1', '999999999999'])(
  'rejects SOURCE_DATE_EPOCH=%s',
  (epoch) => {
    vi.stubEnv('SOURCE_DATE_EPOCH', epoch);
    expect(() => resolveBuild({})).toThrow(
      `SOURCE_DATE_EPOCH: got "${epoch}", expected seconds since 1970`,
    );
  },
);

it('ignores an empty SOURCE_DATE_EPOCH', () => {
  vi.stubEnv('SOURCE_DATE_EPOCH', '');
  const today = new Date().toISOString().slice(0, 10);
  expect(resolveBuild({}).source.today).toBe(today);
});

it.each<[option: string, call: () => unknown]>([
  ['--out', () => resolveBuild({ out: '' })],
  ['--upstream', () => resolveBuild({ source: 'csv', upstream: '' })],
  ['--cache', () => resolveBuild({ cache: '' })],
  ['--like', () => verify({ target: 'http://127.0.0.1:9', like: '' })],
])('rejects an empty value for %s', async (option, call) => {
  await expect(async () => call()).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(new RegExp(`^${option}: got "", expected `)),
  });
});

it.each<[string, (options: object) => Promise<unknown>]>([
  ['build', build],
  ['verify', (options) => verify({ target: 'nowhere', ...options })],
  ['serve', serve],
])('%s() rejects an unknown option', async (_, call) => {
  await expect(call({ levle: 1 })).rejects.toThrow(
    /^options: got \{.*"levle":1\}: Unrecognized key: "levle"$/,
  );
});
