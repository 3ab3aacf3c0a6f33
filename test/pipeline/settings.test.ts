import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Meta } from '../../src/contract/meta.ts';
import { UsageError } from '../../src/errors.ts';
import {
  describeForgottenOptions,
  resolveDocumentRoot,
  type SettingsChange,
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
      new UsageError(
        `got the Windows path ${got}, expected the site's path on the server, such as /srv/gamedata/site`,
        { option: '--root' },
      ),
    );
  });
});

describe('describeForgottenOptions', () => {
  const settings: SettingsChange['settings'] = {
    links: 'query',
    hosts: ['netlify'],
    archive: false,
    sprites: { mode: 'link', upstream: null },
  };
  const wanted: SettingsChange['wanted'] = {
    links: undefined,
    hosts: undefined,
    archive: false,
    sprites: { mode: undefined, upstream: undefined },
  };
  const describeChange = (change: Partial<SettingsChange>): string[] =>
    describeForgottenOptions({
      wanted,
      published: undefined,
      settings,
      isCopy: false,
      ...change,
    });
  const { meta } = siteOf({});
  const published: Meta = {
    ...meta,
    links: 'file',
    archive: true,
    sprites: { mode: 'none', upstream: null },
  };

  it('names each dropped host and the option that restores its configuration', () => {
    const hosts = ['nginx', 'netlify', 'caddy'];
    expect(describeChange({ published: { ...meta, hosts } })).toEqual([
      'the configuration for nginx and caddy was removed, because no host was named. To restore it, repeat the command with --host nginx caddy.',
    ]);
  });

  it('lists all changes and the options that restore them in one warning', () => {
    const hosts = ['nginx'];
    expect(describeChange({ published: { ...published, hosts } })).toEqual([
      'the configuration for nginx was removed, because no host was named; links were file and are now query, because --links was not given; icons were none and are now link, because --sprites was not given; the archive was removed, because --archive was not given. To restore them, repeat the command with --host nginx --links file --sprites none --archive.',
    ]);
  });

  it.each<[string, Partial<SettingsChange>]>([
    ['nothing is published', {}],
    [
      'the published site has the same settings',
      { published: { ...meta, ...settings, hosts: ['netlify'] } },
    ],
    [
      'this version does not support the published host',
      { published: { ...meta, hosts: ['x'] } },
    ],
    [
      'the user named other hosts',
      {
        published: { ...meta, hosts: ['nginx'] },
        wanted: { ...wanted, hosts: ['netlify'] },
      },
    ],
    [
      'the user chose other links and icons',
      {
        published: {
          ...meta,
          links: 'file',
          sprites: { mode: 'mirror', upstream: null },
        },
        wanted: {
          ...wanted,
          links: 'query',
          sprites: { mode: 'link', upstream: undefined },
        },
      },
    ],
    ['a copy changes links and icons', { published, isCopy: true }],
  ])('returns nothing if %s', (_, change) => {
    expect(describeChange(change)).toEqual([]);
  });
});
