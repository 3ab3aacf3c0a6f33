import { describe, expect, it } from 'vitest';
import type { Meta } from '../../src/contract/meta.ts';
import {
  assertSettingsNamed,
  DEFAULT_BASE_URL,
  describeChangedSettings,
  resolveSettings,
  type WantedSettings,
} from '../../src/pipeline/settings.ts';
import { siteOf } from '../support/sites.ts';

const { meta } = siteOf({});
const defaults: WantedSettings = {
  baseUrl: undefined,
  links: undefined,
  hosts: undefined,
  root: undefined,
  archive: false,
  sprites: undefined,
  spritesUpstream: undefined,
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

  it('names the missing options, and asks the user to repeat them', () => {
    expect(() => check({})).toThrow(
      expect.objectContaining({
        code: 'usage',
        message:
          'the published site was built with --base-url https://example.test --host nginx caddy',
        hint: expect.stringMatching(/^Repeat these options, /),
      }),
    );
  });

  it('asks for --links file if the published site was built for plain file servers', () => {
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
    'hosts caddy nginx → netlify',
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
