import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kindNames } from '../../../src/contract/kinds.ts';
import { isSitePath } from '../../../src/contract/meta.ts';
import { recordFile, recordPath, recordUrl } from '../../../src/contract/paths.ts';
import { slugSchema } from '../../../src/contract/records.ts';
import { resolveTarget } from '../../../src/serve/handler/request.ts';

const kind = fc.constantFrom(...kindNames);
const slug = fc
  .stringMatching(/^[a-z0-9]+(?:-+[a-z0-9]+){0,4}$/, { maxLength: 200 })
  .filter((text) => slugSchema.safeParse(text).success);

/** Text that tries to be a path, more often than chance would have it. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom(...'.. . / \\ %2e %2f %5c %00 \0 a A - _ api con é %'.split(' ')), {
      maxLength: 12,
    })
    .map((pieces) => pieces.join('')),
);

describe('a slug', () => {
  it('leads to its own file: by its path, by its link, and by no other case of it', () => {
    fc.assert(
      fc.property(kind, slug, (kind, slug) => {
        const file = recordFile(kind, slug);
        expect(resolveTarget(recordPath(kind, slug))).toMatchObject({ type: 'record', file });
        const link = new URL(recordUrl({ baseUrl: 'https://example.test', links: 'query' }, kind, slug));
        expect(link.pathname).toBe(recordPath(kind, slug));
        expect(path.posix.normalize(file)).toBe(file);
        expect(file).toSatisfy(isSitePath);
        expect(file.toLowerCase()).toBe(file);
      }),
    );
  });
});

describe('any path', () => {
  it('leads to a file inside the site, or to none', () => {
    fc.assert(
      fc.property(
        hostile,
        fc.constantFrom('/', '//', '/api/gamedata/', '/api/gamedata/move/'),
        (text, start) => {
          const target = resolveTarget(start + text);
          const file = 'file' in target ? target.file : undefined;
          if (file !== undefined) {
            expect(file).toSatisfy(isSitePath);
            expect(path.posix.join('/site', file)).toBe(`/site/${file}`);
            expect(file).not.toMatch(/(?:^|\/)[._]/);
          }
          if (target.type === 'slashless') expect(target.path).toMatch(/^\/[^/].*\/$/s);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it.each([
    '//',
    '//api/gamedata/move',
    '/api//gamedata/',
    '/api/gamedata//move/',
    '/api/gamedata/%2Fmove/',
    '/docs//',
  ])('leads to nothing with doubled slashes: %s', (path) => {
    expect(resolveTarget(path)).toEqual({ type: 'nothing' });
  });
});
