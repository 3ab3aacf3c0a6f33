import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Meta } from '../../src/contract/meta.ts';
import { GamedataError } from '../../src/errors.ts';
import {
  assertSettingsNamed,
  DEFAULT_BASE_URL,
  describeChangedSettings,
  resolveDocumentRoot,
  resolveSettings,
  type WantedSettings,
} from '../../src/pipeline/settings.ts';
import { siteOf } from '../support/sites.ts';

describe('resolveDocumentRoot', () => {
  it.each([
    ['Windows', path.win32],
    ['other systems', path.posix],
  ])('accepts the path of a folder on the web server on %s', (_, system) => {
    const resolve = (root: string) =>
      resolveDocumentRoot(root, ['nginx'], 'site', system);
    expect(resolve('/srv/site')).toBe('/srv/site');
    expect(resolve('//srv/./gamedata/')).toBe('/srv/gamedata');
  });

  it.each([
    [undefined, 'C:\\Sites\\build', 'C:\\Sites\\build from --out'],
    ['D:/srv', 'build', 'D:\\srv'],
    ['\\\\server\\share\\site', 'build', '\\\\server\\share\\site'],
  ])('rejects the Windows path %s for a site in %s', (root, out, got) => {
    expect(() => resolveDocumentRoot(root, ['caddy'], out, path.win32)).toThrow(
      new GamedataError(
        'usage',
        `--root: got the Windows path ${got}, expected the site's path on the server, such as /srv/gamedata/site`,
      ),
    );
  });
});

const { meta } = siteOf({});
const defaults: WantedSettings = {
  baseUrl: undefined,
  links: undefined,
  hosts: undefined,
  root: undefined,
  archive: false,
  sprites: { mode: undefined, upstream: undefined },
};
const published: Meta = {
  ...meta,
  base_url: 'https://example.test',
  hosts: ['nginx', 'caddy'],
  links: 'query',
};
const resolve = (wanted: WantedSettings) =>
  resolveSettings(wanted, 'site', undefined);

describe('assertSettingsNamed', () => {
  function check(wanted: Partial<WantedSettings>, site: Partial<Meta> = {}): void {
    const named = { ...defaults, ...wanted };
    assertSettingsNamed(named, resolve(named), { ...published, ...site });
  }

  it('names the missing options and the lines of the configuration file', () => {
    expect(() => check({})).toThrow(
      expect.objectContaining({
        code: 'usage',
        message:
          'the published site was built with --base-url https://example.test --host nginx caddy',
        hint: expect.stringContaining(
          'add "base-url": "https://example.test", "host": ["nginx", "caddy"] to the section "build"',
        ),
      }),
    );
  });

  it('asks for --links file if the published site is for plain files', () => {
    const site: Partial<Meta> = {
      base_url: DEFAULT_BASE_URL,
      hosts: [],
      links: 'file',
    };
    expect(() => check({}, site)).toThrow('built with --links file');
  });

  it.each<[string, Partial<WantedSettings>, Partial<Meta>]>([
    [
      'the user named them',
      { baseUrl: 'https://other.test', hosts: ['apache'] },
      {},
    ],
    [
      'they are the defaults',
      {},
      { base_url: DEFAULT_BASE_URL, hosts: ['netlify'] },
    ],
    [
      'only the order of the hosts differs',
      { baseUrl: 'https://example.test', hosts: ['caddy', 'nginx'] },
      {},
    ],
  ])('accepts the base URL and the hosts if %s', (_, wanted, site) => {
    expect(() => check(wanted, site)).not.toThrow();
  });
});

it('describeChangedSettings lists the settings that differ', () => {
  const settings = resolve({
    ...defaults,
    baseUrl: 'https://new.test',
    links: 'file',
    hosts: ['netlify'],
    archive: true,
  });
  expect(describeChangedSettings(settings, published)).toEqual([
    'base URL https://example.test → https://new.test',
    'links query → file',
    'hosts nginx caddy → netlify',
    'icons link → mirror',
    'archive no → yes',
  ]);
  const sameSettings = resolve({
    ...defaults,
    baseUrl: published.base_url,
    hosts: ['caddy', 'nginx'],
  });
  expect(describeChangedSettings(sameSettings, published)).toEqual([]);
});
