import { describe, expect, it } from 'vitest';
import { kindNames } from '../../src/contract/kinds.ts';
import { languageSchema, namesReader } from '../../src/contract/names.ts';
import { parse } from '../../src/contract/parse.ts';

describe('namesReader', () => {
  it('returns no names for a kind that the file does not contain', () => {
    const moveNames = { pound: 'Écras’Face' };
    const file = { language: 'fr', move: moveNames };
    const otherNames: Record<string, object> = {};
    for (const kind of kindNames) {
      if (kind !== 'move') otherNames[kind] = {};
    }
    const names = parse(namesReader, file, {});
    expect(names).toEqual({ language: 'fr', move: moveNames, ...otherNames });
  });

  it.each([
    [{ pound: 'a', other: 1 }, 'move.other: got 1, expected'],
    [{ pound: '\n' }, 'move.pound: got "\\n", expected'],
    [[], 'move: got [], expected an object'],
  ])('rejects the names %j', (move, problem) => {
    expect(() => parse(namesReader, { language: 'fr', move }, {})).toThrow(problem);
  });
});

it.each(['fr', 'zh-hans', 'indexes', 'reindex'])(
  'languageSchema accepts the tag %s',
  (tag) => {
    expect(languageSchema.safeParse(tag).success).toBe(true);
  },
);

it.each(['FR', 'f'])('languageSchema rejects %s as a language tag', (tag) => {
  expect(languageSchema.safeParse(tag).success).toBe(false);
});

it.each(['con', 'index'])(
  'languageSchema rejects %s, which is reserved as a file name',
  (tag) => {
    expect(languageSchema.safeParse(tag).success).toBe(false);
  },
);
