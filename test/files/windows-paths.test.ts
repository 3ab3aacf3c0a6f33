import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { journalName } from '../../src/http/cache.ts';
import { resolveDocumentRoot } from '../../src/pipeline/settings.ts';
import { resolveWorkPaths } from '../../src/publish/work-paths.ts';

/** https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file */
const isLegal = (name: string): boolean =>
  !/[<>:"/\\|?*]|[. ]$/.test(name) && ![...name].some((char) => char < ' ');

describe('Windows', () => {
  it("allows the names of a build's working files and of caches", () => {
    const { name, out, staged, replacedFile, ...others } = resolveWorkPaths('My Projects ü/build');
    for (const file of Object.values(others)) {
      expect(path.dirname(file)).toBe(path.dirname(out));
      expect(isLegal(path.basename(file)), file).toBe(true);
    }
    for (const upstream of ['http://127.0.0.1:4000/api/v2', 'http://[::1]:80/ü?*<>|"'])
      expect(isLegal(journalName(upstream)), journalName(upstream)).toBe(true);
  });

  it.each([path.win32, path.posix])('accepts the document root of a server', (system) => {
    const resolve = (root: string) => resolveDocumentRoot(root, ['nginx'], 'site', system);
    expect(['/srv/site', '//srv/./gamedata/'].map(resolve)).toEqual(['/srv/site', '/srv/gamedata']);
  });

  it.each([
    [undefined, 'C:\\Sites\\build', 'C:\\Sites\\build from --out'],
    ['D:/srv', 'build', 'D:\\srv'],
    ['\\\\server\\share\\site', 'build', '\\\\server\\share\\site'],
  ])('rejects the document root %s of a site in %s', (root, out, got) => {
    expect(() => resolveDocumentRoot(root, ['caddy'], out, path.win32)).toThrow(
      new UsageError(
        `got the Windows path ${got}, expected the site's path on the server, such as /srv/gamedata/site`,
        { option: '--root' },
      ),
    );
  });
});
