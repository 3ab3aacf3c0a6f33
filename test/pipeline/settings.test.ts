import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Meta } from '../../src/contract/meta.ts';
import { UsageError } from '../../src/errors.ts';
import type { HostName } from '../../src/hosts/index.ts';
import {
  describeDroppedHosts,
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
      new UsageError(
        `got the Windows path ${got}, expected the site's path on the server, such as /srv/gamedata/site`,
        { option: '--root' },
      ),
    );
  });
});

describe('resolveSettings', () => {
  it('uses the links of the copied site if the published meta.json is damaged', () => {
    const { meta } = siteOf({});
    const known = {
      published: {},
      copied: { ...meta, links: 'file' as const },
      isOwnSource: false,
    };
    const wanted = {
      baseUrl: 'https://example.test',
      links: undefined,
      hosts: undefined,
      root: undefined,
      downloads: true,
      archive: false,
      sprites: { mode: undefined, upstream: undefined },
    };
    const settings = resolveSettings(wanted, 'copy', known);
    expect(settings).toMatchObject({ links: 'file', sprites: { mode: 'mirror' } });
  });
});

describe('describeDroppedHosts', () => {
  const settings: { hosts: HostName[] } = { hosts: ['netlify'] };
  const unnamed = { hosts: undefined };

  it('names each dropped host and the option that restores its configuration', () => {
    const published = { hosts: ['nginx', 'netlify', 'caddy'] };
    expect(describeDroppedHosts(unnamed, published, settings)).toEqual([
      'the configuration for nginx and caddy was removed, because no host was named. To restore it, repeat the command with --host nginx caddy.',
    ]);
  });

  it.each<[string, Pick<WantedSettings, 'hosts'>, Partial<Meta> | undefined]>([
    ['nothing is published', unnamed, undefined],
    ['the published meta.json is damaged', unnamed, {}],
    ['the published site has the same hosts', unnamed, settings],
    ['this version does not support the published host', unnamed, { hosts: ['x'] }],
    ['the user named other hosts', settings, { hosts: ['nginx'] }],
  ])('returns nothing if %s', (_, wanted, published) => {
    expect(describeDroppedHosts(wanted, published, settings)).toEqual([]);
  });
});
