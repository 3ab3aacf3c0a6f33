import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BuildOptions, resolveBuild } from '../../../src/cli/commands/build.ts';
import { BUNDLED_DATA } from '../../../src/cli/commands/package-files.ts';
import {
  type Environment,
  resolveSource,
  type SourceOptions,
} from '../../../src/cli/commands/source-options.ts';
import { UsageError } from '../../../src/errors.ts';

/** Options as somebody without a type checker may give them. */
const untyped = (options: Record<string, unknown>): BuildOptions => options;

describe('the defaults', () => {
  it('are those of the commands', () => {
    expect(resolveBuild({}, { SOURCE_DATE_EPOCH: '0' })).toEqual({
      source: {
        source: 'auto',
        dataFolder: BUNDLED_DATA,
        upstream: undefined,
        concurrency: 16,
        retries: 4,
        cacheFolder: path.join('.cache', 'gamedata'),
        maxShrink: 1,
        maxAge: undefined,
        allowMissing: [],
        today: '1970-01-01',
      },
      baseUrl: 'http://localhost:3000',
      out: 'build',
      hosts: ['netlify'],
      serving: { root: path.resolve('build') },
      links: 'query',
      downloads: true,
      archive: false,
      verify: false,
      keep: 0,
      sprites: {
        mode: 'link',
        upstream: 'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items',
      },
    });
  });

  it.each<{ options: SourceOptions; resolved: object }>([
    { options: { cache: false }, resolved: { cacheFolder: undefined } },
    { options: { cache: 'elsewhere' }, resolved: { cacheFolder: 'elsewhere' } },
    {
      options: { concurrency: 1, retries: 0, maxShrink: 0, maxAge: 7 },
      resolved: { concurrency: 1, retries: 0, maxShrink: 0, maxAge: 7 },
    },
    {
      options: { upstream: 'https://pokeapi.co/api/v2/' },
      resolved: { upstream: 'https://pokeapi.co/api/v2' },
    },
    { options: { source: 'csv', upstream: 'tables' }, resolved: { upstream: 'tables' } },
    {
      options: { source: 'csv', upstream: 'HTTP://X.test/csv//' },
      resolved: { upstream: 'http://x.test/csv' },
    },
    { options: { source: 'snapshot', upstream: 'data' }, resolved: { upstream: 'data' } },
  ])('give way to $options', ({ options, resolved }) => {
    expect(resolveSource(options, {})).toMatchObject(resolved);
  });

  it('name each host once', () => {
    expect(resolveBuild({ hosts: ['netlify', 'netlify'] }, {}).hosts).toEqual(['netlify']);
    expect(resolveBuild({ hosts: [] }, {}).hosts).toEqual([]);
  });
});

describe('the base address', () => {
  const all = {
    BASE_URL: 'https://base.test',
    DEPLOY_PRIME_URL: 'https://preview.test',
    URL: 'https://site.test',
    NETLIFY: 'true',
  };
  it.each<{ first: string; given?: string; environment: Environment; address: string }>([
    { first: 'the option', given: 'https://flag.test', environment: all, address: 'https://flag.test' },
    { first: 'BASE_URL', environment: { ...all, CONTEXT: 'deploy-preview' }, address: 'https://base.test' },
    {
      first: 'DEPLOY_PRIME_URL in a preview',
      environment: { ...all, BASE_URL: '', CONTEXT: 'deploy-preview' },
      address: 'https://preview.test',
    },
    {
      first: 'DEPLOY_PRIME_URL in a branch deploy',
      environment: { ...all, BASE_URL: undefined, CONTEXT: 'branch-deploy' },
      address: 'https://preview.test',
    },
    {
      first: 'URL in production',
      environment: { ...all, BASE_URL: undefined, CONTEXT: 'production' },
      address: 'https://site.test',
    },
    {
      first: 'URL where Netlify says no more',
      environment: { ...all, BASE_URL: undefined },
      address: 'https://site.test',
    },
    {
      first: 'no variable of Netlify’s elsewhere',
      environment: { URL: 'foo', DEPLOY_PRIME_URL: 'foo', CONTEXT: 'foo' },
      address: 'http://localhost:3000',
    },
    {
      first: 'URL in a preview that has no address of its own',
      environment: { URL: all.URL, NETLIFY: 'true', CONTEXT: 'deploy-preview' },
      address: 'https://site.test',
    },
    { first: 'this machine', environment: { BASE_URL: '', URL: '' }, address: 'http://localhost:3000' },
    {
      first: 'a path without its final slash',
      given: 'https://Example.test/games//',
      environment: {},
      address: 'https://example.test/games',
    },
  ])('is $first', ({ given, environment, address }) => {
    expect(resolveBuild({ baseUrl: given }, environment).baseUrl).toBe(address);
  });

  const unfit = 'got a URL with credentials, a query or a fragment, expected one without';
  it.each<{ given?: string; environment?: Environment; problem: string }>([
    { given: '', problem: '--base-url: got "", expected an http or https URL' },
    { given: '/', problem: '--base-url: got "/", expected an http or https URL' },
    { given: 'example.test', problem: '--base-url: got "example.test", expected an http or https URL' },
    { given: 'ftp://x.test', problem: '--base-url: got "ftp://x.test", expected an http or https URL' },
    {
      given: 'ftp://me:secret@x.test',
      problem: '--base-url: got "ftp://…@x.test", expected an http or https URL',
    },
    { given: 'https://x.test/?a=b', problem: `--base-url: ${unfit}` },
    { given: 'https://x.test/?', problem: `--base-url: ${unfit}` },
    { given: 'https://x.test/#a', problem: `--base-url: ${unfit}` },
    { given: 'https://x.test/#', problem: `--base-url: ${unfit}` },
    { given: 'https://me:secret@x.test', problem: `--base-url: ${unfit}` },
    {
      given: 'https://x.test/a b',
      problem: '--base-url: got the path "/a%20b", expected letters, digits, dots and hyphens',
    },
    {
      given: 'https://x.test/a;b',
      problem: '--base-url: got the path "/a;b", expected letters, digits, dots and hyphens',
    },
    {
      given: 'https://x.test/a//b',
      problem: '--base-url: got the path "/a//b", expected letters, digits, dots and hyphens',
    },
    { environment: { BASE_URL: 'x' }, problem: 'BASE_URL: got "x", expected an http or https URL' },
    { environment: { URL: 'x', NETLIFY: 'true' }, problem: 'URL: got "x", expected an http or https URL' },
    {
      environment: { NETLIFY: 'true', CONTEXT: 'deploy-preview', DEPLOY_PRIME_URL: 'x' },
      problem: 'DEPLOY_PRIME_URL: got "x", expected an http or https URL',
    },
  ])('cannot be $given $environment', ({ given, environment = {}, problem }) => {
    expect(() => resolveBuild({ baseUrl: given }, environment)).toThrow(new UsageError(problem));
  });
});

describe('what web servers serve', () => {
  it('is the output folder, or another one, with a fallback or without', () => {
    const options = { hosts: ['caddy'], out: 'site' } as const;
    expect(resolveBuild(options, {}).serving).toEqual({ root: path.resolve('site') });
    expect(resolveBuild({ ...options, root: '/srv/My ü' }, {}).serving.root).toBe(path.resolve('/srv/My ü'));
    const fallback = 'http://127.0.0.1:3000';
    expect(resolveBuild({ ...options, fallback: `${fallback}/` }, {}).serving).toMatchObject({ fallback });
  });
});

describe('links', () => {
  it.each<[hosts: BuildOptions['hosts'], links: BuildOptions['links'], resolved: string]>([
    [['netlify'], undefined, 'query'],
    [['netlify'], 'file', 'file'],
    [['github-pages'], undefined, 'file'],
    [['github-pages', 'netlify'], undefined, 'file'],
  ])('of %j, if %j are requested, point to: %s', (hosts, links, resolved) => {
    expect(resolveBuild({ hosts, links }, {}).links).toBe(resolved);
  });
});

describe('an option that cannot be used', () => {
  it.each<{ options: Record<string, unknown>; problem: string }>([
    {
      options: { hosts: ['github-pages'], links: 'query' },
      problem: '--links: got query, expected file for github-pages, which ignores queries',
    },
    {
      options: { root: '/srv' },
      problem: '--root: got no host that uses it, expected --host nginx, caddy or apache',
    },
    {
      options: { fallback: 'http://127.0.0.1:3000', hosts: ['cloudflare'] },
      problem: '--fallback: got no host that uses it, expected --host nginx, caddy or apache',
    },
    {
      options: { fallback: 'http://127.0.0.1:3000/api', hosts: ['nginx'] },
      problem:
        '--fallback: got "http://127.0.0.1:3000/api", expected a URL without a path: requests keep their own',
    },
    {
      options: { fallback: '127.0.0.1:3000', hosts: ['nginx'] },
      problem: '--fallback: got "127.0.0.1:3000", expected an http or https URL',
    },
    {
      options: { root: '/srv/$site', hosts: ['apache'] },
      problem:
        '--root: got "/srv/$site", expected a folder whose name has no quotes, brackets or other characters that mean something to apache',
    },
    {
      options: { source: 'xml' },
      problem: '--source: got "xml", expected one of auto, rest, csv, snapshot',
    },
    { options: { links: 'short' }, problem: '--links: got "short", expected one of query, file' },
    { options: { concurrency: 0 }, problem: '--concurrency: got 0, expected an integer from 1 to 256' },
    {
      options: { concurrency: 1.5 },
      problem: '--concurrency: got 1.5, expected an integer from 1 to 256',
    },
    {
      options: { concurrency: 257 },
      problem: '--concurrency: got 257, expected an integer from 1 to 256',
    },
    { options: { retries: -1 }, problem: '--retries: got -1, expected an integer from 0 to 20' },
    { options: { retries: Number.NaN }, problem: '--retries: got NaN, expected an integer from 0 to 20' },
    { options: { maxShrink: 101 }, problem: '--max-shrink: got 101, expected a percentage from 0 to 100' },
    {
      options: { maxShrink: Number.NaN },
      problem: '--max-shrink: got NaN, expected a percentage from 0 to 100',
    },
    {
      options: { upstream: './tables' },
      problem: '--upstream: got ./tables, expected an http or https URL for --source auto',
    },
    {
      options: { source: 'rest', upstream: 'ftp://x.test' },
      problem: '--upstream: got ftp://x.test, expected an http or https URL for --source rest',
    },
    {
      options: { source: 'snapshot', upstream: 'https://x.test' },
      problem: '--upstream: got https://x.test, expected a folder for --source snapshot',
    },
    {
      options: { source: 'rest', upstream: 'https://me:secret@x.test' },
      problem: '--upstream: got a URL with credentials, a query or a fragment, expected one without',
    },
  ])('is rejected: $options', ({ options, problem }) => {
    expect(() => resolveBuild(untyped(options), {})).toThrow(new UsageError(problem));
  });

  it('is rejected: an unknown host', () => {
    expect(() => resolveBuild(untyped({ hosts: ['geocities'] }), {})).toThrow(
      /^--host: got "geocities", expected one of netlify/,
    );
  });
});

describe('today', () => {
  it.each([
    { epoch: '1700000000', today: '2023-11-14' },
    { epoch: '0', today: '1970-01-01' },
  ])('is what SOURCE_DATE_EPOCH=$epoch says', ({ epoch, today }) => {
    expect(resolveSource({}, { SOURCE_DATE_EPOCH: epoch }).today).toBe(today);
  });

  it.each(['', 'today', '-1', '1.5', '999999999999'])('cannot be SOURCE_DATE_EPOCH=%s', (epoch) => {
    expect(() => resolveSource({}, { SOURCE_DATE_EPOCH: epoch })).toThrow(
      new UsageError(`SOURCE_DATE_EPOCH: got "${epoch}", expected seconds since 1970`),
    );
  });
});
