import { describe, expect, it } from 'vitest';
import { kindNames } from '../../src/contract/kinds.ts';
import { languageSchema, namesReader } from '../../src/contract/names.ts';
import { parse } from '../../src/contract/parse.ts';

describe('namesReader', () => {
  it('reads the names of each kind, and reads no names for a missing kind', () => {
    const names = parse(
      namesReader,
      { language: 'fr', move: { pound: 'Écras’Face' } },
      {},
    );
    const expected = kindNames.map((kind) => [
      kind,
      kind === 'move' ? { pound: 'Écras’Face' } : {},
    ]);
    expect(names).toEqual({ language: 'fr', ...Object.fromEntries(expected) });
  });

  it.each([
    [{ pound: 'a', other: 1 }, 'move.other: got 1, expected'],
    [{ pound: '\n' }, 'move.pound: got "\\n", expected'],
    [[], 'move: got [], expected an object'],
  ])('rejects the names %j', (move, problem) => {
    expect(() => parse(namesReader, { language: 'fr', move }, {})).toThrow(problem);
  });
});

it('languageSchema accepts only language tags that are safe file names', () => {
  const tags = ['fr', 'zh-hans', 'indexes', 'reindex'];
  const others = ['con', 'index', 'FR', 'f'];
  expect(
    [...tags, ...others].filter((tag) => languageSchema.safeParse(tag).success),
  ).toEqual(tags);
});
