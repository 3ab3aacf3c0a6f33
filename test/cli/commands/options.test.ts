import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BuildOptions, build, resolveBuild } from '../../../src/cli/commands/build.ts';
import { diff } from '../../../src/cli/commands/diff.ts';
import { mirror } from '../../../src/cli/commands/mirror.ts';
import { serve } from '../../../src/cli/commands/serve.ts';
import { snapshot } from '../../../src/cli/commands/snapshot.ts';
import { verify } from '../../../src/cli/commands/verify.ts';
import { type Environment, resolveSettings } from '../../../src/cli/site-options.ts';
import { UsageError } from '../../../src/errors.ts';

/** Options as somebody without a type checker may give them. */
const untyped = (options: Record<string, unknown>): BuildOptions => options;
/** The settings of a first build. */
function settingsOf(options: BuildOptions, environment: Environment) {
  const { wanted, out } = resolveBuild(options, environment);
  return resolveSettings(wanted, out, { published: undefined, copied: undefined, isOwnSource: false });
}
const NAMED = { BASE_URL: 'https://example.test' };

describe('the defaults', () => {
  it('are those of the commands', () => {
    expect(resolveBuild({}, { SOURCE_DATE_EPOCH: '1388534400' })).toMatchObject({
      source: {
        source: 'auto',
        concurrency: 16,
        retries: 4,
        cacheFolder: path.join('.cache', 'gamedata'),
        maxShrink: 1,
        allowMissing: [],
        today: '2014-01-01',
      },
      ...{ out: 'build', verify: false, keep: 0 },
      wanted: {
        ...{ downloads: true, archive: false },
      },
    });
    expect(settingsOf({}, {})).toMatchObject({
      baseUrl: 'http://127.0.0.1:3000',
      ...{ hosts: ['netlify'], serving: { root: path.resolve('build') }, links: 'query' },
      sprites: {
        mode: 'link',
        upstream: 'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items',
      },
    });
  });

  it.each<[BuildOptions, object]>([
    [{ cache: false }, { cacheFolder: undefined }],
    [{ cache: 'elsewhere' }, { cacheFolder: 'elsewhere' }],
    [
      { concurrency: 1, retries: 0, maxShrink: 0 },
      { concurrency: 1, retries: 0, maxShrink: 0 },
    ],
    [{ maxAge: 7 }, { maxAge: 7 }],
    [{ upstream: 'https://pokeapi.co/api/v2/' }, { upstream: 'https://pokeapi.co/api/v2' }],
    [{ source: 'csv', upstream: 'tables' }, { upstream: 'tables' }],
    [{ source: 'csv', upstream: 'HTTP://X.test/csv//' }, { upstream: 'http://x.test/csv' }],
    [{ source: 'snapshot', upstream: 'data' }, { upstream: 'data' }],
  ])('give way to %j', (options, resolved) => {
    expect(resolveBuild(options, {}).source).toMatchObject(resolved);
  });

  it('need no address of icons where there are none', () => {
    const options = { sprites: 'none', spritesUpstream: 'junk' } as const;
    expect(settingsOf(options, {}).sprites).toEqual({ mode: 'none', upstream: null });
  });

  it('name each host once', () => {
    expect(settingsOf({ hosts: ['netlify', 'netlify'] }, NAMED).hosts).toEqual(['netlify']);
    expect(settingsOf({ hosts: [] }, {}).hosts).toEqual([]);
  });
});

describe('the base address', () => {
  const site = { URL: 'https://site.test', NETLIFY: 'true' };
  const netlify = { ...site, DEPLOY_PRIME_URL: 'https://preview.test' };
  const all = { ...netlify, BASE_URL: 'https://base.test' };
  const here = 'http://127.0.0.1:3000';
  it.each<[first: string, given: string | undefined, environment: Environment, address: string]>([
    ['the option', 'https://flag.test', all, 'https://flag.test'],
    ['BASE_URL', undefined, { ...all, CONTEXT: 'deploy-preview' }, 'https://base.test'],
    ['the preview’s', undefined, { ...all, BASE_URL: '', CONTEXT: 'deploy-preview' }, 'https://preview.test'],
    ['the branch’s', undefined, { ...netlify, CONTEXT: 'branch-deploy' }, 'https://preview.test'],
    ['URL in production', undefined, { ...netlify, CONTEXT: 'production' }, 'https://site.test'],
    ['URL where Netlify says no more', undefined, netlify, 'https://site.test'],
    ['URL in a preview without one', undefined, { ...site, CONTEXT: 'deploy-preview' }, 'https://site.test'],
    ['none of Netlify’s elsewhere', undefined, { ...netlify, NETLIFY: undefined }, here],
    ['this machine', undefined, { BASE_URL: '', URL: '' }, here],
    ['without a final slash', 'https://Example.test/games//', {}, 'https://example.test/games'],
  ])('is %s', (_, baseUrl, environment, address) => {
    expect(settingsOf({ baseUrl }, environment).baseUrl).toBe(address);
  });

  const http = 'expected an http or https URL';
  const unfit = 'got a URL with credentials, a query or a fragment, expected one without';
  const letters = 'expected a URL of letters, digits, dots and hyphens';
  it.each<[string, string]>([
    ['', `got "", ${http}`],
    ['/', `got "/", ${http}`],
    ['example.test', `got "example.test", ${http}`],
    ['ftp://x.test', `got "ftp://x.test", ${http}`],
    ['ftp://me:secret@x.test', `got "ftp://…@x.test", ${http}`],
    ['https://x.test/?a=b', unfit],
    ['https://x.test/?', unfit],
    ['https://x.test/#', unfit],
    ['https://me:secret@x.test', unfit],
    ['https://x.test/a b', `got "https://x.test/a%20b", ${letters}`],
    ['https://x.test/a;b', `got "https://x.test/a;b", ${letters}`],
    ['https://a;b.test', `got "https://a;b.test", ${letters}`],
    ['https://x.test/a//b', `got "https://x.test/a//b", ${letters}`],
    ['http://a:0', 'got "http://a:0", expected a URL with a port from 1 to 65535'],
  ])('cannot be %j', (baseUrl, problem) => {
    expect(() => resolveBuild({ baseUrl }, {})).toThrow(new UsageError(`--base-url: ${problem}`));
  });

  it.each<[string, Environment]>([
    ['BASE_URL', {}],
    ['URL', { NETLIFY: 'true' }],
    ['DEPLOY_PRIME_URL', { NETLIFY: 'true', CONTEXT: 'deploy-preview' }],
  ])('is told by the name of its variable if it is wrong: %s', (name, environment) => {
    const problem = `${name}: got "x", ${http}`;
    expect(() => resolveBuild({}, { ...environment, [name]: 'x' })).toThrow(new UsageError(problem));
  });
});

describe('hosts that somebody has named', () => {
  const netlify = { NETLIFY: 'true', URL: 'https://site.test' };
  it.each<[BuildOptions, Environment]>([
    [{ hosts: ['nginx'], baseUrl: 'http://localhost:3000' }, {}],
    [{ hosts: ['cloudflare'] }, NAMED],
    [{ hosts: ['netlify'] }, netlify],
    [{ hosts: [] }, {}],
    [{}, {}],
  ])('have a base URL: %j in %j', (options, environment) => {
    expect(() => settingsOf(options, environment)).not.toThrow();
  });

  const where = 'Set BASE_URL in the Worker: Settings → Build → Build variables and secrets.';
  it.each<[BuildOptions, string, string | undefined]>([
    [{ hosts: ['nginx', 'nginx'] }, 'nginx', undefined],
    [{ hosts: ['netlify', 'github-pages'] }, 'netlify, github-pages', undefined],
    [{ hosts: ['cloudflare'] }, 'cloudflare', where],
  ])('are refused without one: %j', (options, hosts, hint) => {
    const message = `--base-url: got none, and no BASE_URL: expected the address of the site on ${hosts}`;
    const refused = expect.objectContaining({ code: 'usage', message, hint });
    expect(() => settingsOf(options, { ...netlify, NETLIFY: undefined })).toThrow(refused);
  });
});

it('web servers serve the output folder, or another one', () => {
  const options = { hosts: ['caddy'], out: 'site', baseUrl: 'https://example.test' } as const;
  expect(settingsOf(options, {}).serving).toEqual({ root: path.resolve('site') });
  expect(settingsOf({ ...options, root: '/srv/My ü' }, {}).serving.root).toBe(path.resolve('/srv/My ü'));
});

it.each<[hosts: BuildOptions['hosts'], links: BuildOptions['links'], resolved: string]>([
  [['netlify'], undefined, 'query'],
  [['netlify'], 'file', 'file'],
  [['github-pages'], undefined, 'file'],
  [['github-pages', 'netlify'], undefined, 'file'],
])('links of %j, if %j are requested, point to: %s', (hosts, links, resolved) => {
  expect(settingsOf({ hosts, links }, NAMED)).toMatchObject({
    links: resolved,
    sprites: { mode: resolved === 'file' ? 'mirror' : 'link' },
  });
});

describe('an option that cannot be used', () => {
  const noServer = 'got no host that uses it, expected --host nginx, caddy or apache';
  it.each<[Record<string, unknown>, string]>([
    [
      { hosts: ['github-pages'], links: 'query' },
      '--links: got query, expected file for github-pages, which ignores queries',
    ],
    [{ root: '/srv' }, `--root: ${noServer}`],
    [
      { root: '/srv/$site', hosts: ['apache'] },
      '--root: got "/srv/$site", expected a path without quotes, brackets and other characters that are special in apache',
    ],
    [{ source: 'xml' }, '--source: got "xml", expected one of auto, rest, csv, snapshot, site'],
    [{ links: 'short' }, '--links: got "short", expected one of query, file'],
    [{ concurrency: 0 }, '--concurrency: got 0, expected an integer from 1 to 256'],
    [{ concurrency: 1.5 }, '--concurrency: got 1.5, expected an integer from 1 to 256'],
    [{ concurrency: 257 }, '--concurrency: got 257, expected an integer from 1 to 256'],
    [{ retries: -1 }, '--retries: got -1, expected an integer from 0 to 20'],
    [{ retries: Number.NaN }, '--retries: got NaN, expected an integer from 0 to 20'],
    [{ maxShrink: 101 }, '--max-shrink: got 101, expected a percentage from 0 to 100'],
    [{ maxShrink: Number.NaN }, '--max-shrink: got NaN, expected a percentage from 0 to 100'],
    [{ upstream: './tables' }, '--upstream: got ./tables, expected an http or https URL for --source auto'],
    [
      { source: 'rest', upstream: 'ftp://x.test' },
      '--upstream: got ftp://x.test, expected an http or https URL for --source rest',
    ],
    [
      { source: 'snapshot', upstream: 'https://x.test' },
      '--upstream: got https://x.test, expected a folder for --source snapshot',
    ],
    [
      { source: 'rest', upstream: 'https://me:secret@x.test' },
      '--upstream: got a URL with credentials, a query or a fragment, expected one without',
    ],
  ])('is rejected: %j', (options, problem) => {
    expect(() => settingsOf(untyped(options), NAMED)).toThrow(new UsageError(problem));
  });

  it('is rejected: an unknown host', () => {
    expect(() => resolveBuild(untyped({ hosts: ['geocities'] }), {})).toThrow(
      /^--host: got "geocities", expected one of netlify/,
    );
  });

  it.each(['netlify', 'netlify-rules'])('is rejected: Cloudflare together with %s', (host) => {
    expect(() => resolveBuild(untyped({ hosts: ['nginx', host, 'cloudflare'] }), {})).toThrow(
      /^--host: got "netlify(?:-rules)? cloudflare", expected one of them/,
    );
  });
});

describe('today', () => {
  it('is what SOURCE_DATE_EPOCH says', () => {
    expect(resolveBuild({}, { SOURCE_DATE_EPOCH: '1700000000' }).source.today).toBe('2023-11-14');
  });

  it.each(['', 'today', '-1', '1.5', '999999999999', '0', '1388534399'])(
    'cannot be SOURCE_DATE_EPOCH=%s',
    (epoch) => {
      expect(() => resolveBuild({}, { SOURCE_DATE_EPOCH: epoch })).toThrow(
        new UsageError(`SOURCE_DATE_EPOCH: got "${epoch}", expected seconds since 1970, at least 1388534400`),
      );
    },
  );
});

it.each<[string, (options: object) => Promise<unknown>]>([
  ['build', build],
  ['snapshot', snapshot],
  ['verify', (options) => verify({ target: 'nowhere', ...options })],
  ['mirror', (options) => mirror({ from: 'nowhere', ...options })],
  ['serve', serve],
  ['diff', (options) => diff({ from: 'nowhere', to: 'nowhere', ...options })],
])('%s refuses an option that it does not have', async (_, call) => {
  await expect(call({ levle: 1 })).rejects.toThrow(/^got the option "levle", expected one of /);
});
