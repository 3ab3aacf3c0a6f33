import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindNames } from '../../../src/contract/kinds.ts';
import { isSitePath } from '../../../src/contract/meta.ts';
import { recordFile, recordPath } from '../../../src/contract/paths.ts';
import { slugSchema } from '../../../src/contract/records.ts';
import { resolveTarget } from '../../../src/serve/handler/request.ts';

const kind = fc.constantFrom(...kindNames);
const slug = fc
  .stringMatching(/^[a-z0-9]+(?:-+[a-z0-9]+){0,4}$/, { maxLength: 200 })
  .filter((text) => slugSchema.safeParse(text).success);
const pieces = fc.constantFrom(
  ...'.. . / \\ %2e %2f %5c %00 \0 a A - _ api con é %'.split(' '),
);
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
);
const prefix = fc.constantFrom('/', '//', '/api/gamedata/', '/api/gamedata/move/');

describe('resolveTarget', () => {
  it("resolves a record's path to its file", () => {
    const property = fc.property(kind, slug, (kind, slug) => {
      const file = recordFile(kind, slug);
      expect(resolveTarget(recordPath(kind, slug))).toMatchObject({
        type: 'record',
        file,
      });
      expect([path.posix.normalize(file), file.toLowerCase()]).toEqual([file, file]);
      expect(file).toSatisfy(isSitePath);
    });
    fc.assert(property);
  });

  it('resolves any path either to a file inside the site or to nothing', () => {
    const property = fc.property(hostile, prefix, (text, start) => {
      const target = resolveTarget(start + text);
      const file = 'file' in target ? target.file : undefined;
      if (file !== undefined) {
        expect(file).toSatisfy(isSitePath);
        expect(path.posix.join('/site', file)).toBe(`/site/${file}`);
        expect(file.replace(/^\.well-known\/_*/, '')).not.toMatch(/(?:^|\/)[._]/);
      }
      if (target.type === 'redirect') expect(target.path).toMatch(/^\/[^/].*\/$/s);
    });
    fc.assert(property, { numRuns: 5000 });
  });

  it.each(['//api/gamedata/move', '/api/gamedata//move/', '/docs//'])(
    'resolves a path with double slashes to nothing: %s',
    (path) => {
      expect(resolveTarget(path)).toEqual({ type: 'nothing' });
    },
  );

  it.each([
    '/.well-known/security.txt',
    '/.well-known/acme-challenge/_tok-en',
    '/%2Ewell-known/a~b',
  ])('resolves %s to a file, even without an extension', (path) => {
    const file = decodeURIComponent(path).slice(1);
    expect(resolveTarget(path)).toEqual({ type: 'file', file });
    expect(resolveTarget(`/games${path}`, '/games')).toEqual({ type: 'nothing' });
  });

  it.each([
    '/.well-known',
    '/.well-known/a/',
    '/.well-known/.hidden',
    '/.well-known/%2e%2e/a',
    '/.well-known/a%20b',
    '/.htaccess',
    '/_hosts/nginx.conf',
    '/docs/_draft.txt',
  ])('resolves %s to nothing', (path) => {
    expect(resolveTarget(path)).toEqual({ type: 'nothing' });
  });

  it.each([
    ['/games', { type: 'redirect', path: '/' }],
    ['/games/meta.json', { type: 'file', file: 'meta.json' }],
    ['/gamesx/meta.json', { type: 'nothing' }],
    ['/meta.json', { type: 'nothing' }],
  ])('resolves %s relative to the path of the base URL', (path, target) => {
    expect(resolveTarget(path, '/games')).toEqual(target);
  });
});
