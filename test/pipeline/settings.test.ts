import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import {
  resolveDocumentRoot,
  resolveSettings,
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
