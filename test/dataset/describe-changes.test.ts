import { describe, expect, it } from 'vitest';
import { compare } from '../../src/dataset/compare.ts';
import { formatHeadline, formatMarkdown, formatText } from '../../src/dataset/describe-changes.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { namedEdition } from '../support/editions.ts';
import { everyKind } from '../support/kinds.ts';
import { rawItem, rawMove } from '../support/sites.ts';

const before = versionOf([rawMove(1), rawMove(2), rawMove(3)], [rawItem(1)]);
const after = versionOf(
  [rawMove(1, { englishName: 'Other' }), rawMove(2, { slug: 'new', generation: 2 }), rawMove(4)],
  [rawItem(1), rawItem(2), rawItem(3)],
  '2026-02-03',
);
const comparison = compare(before, after);
const span = `2026-01-02 (${before.digest.slice(0, 19)}…) → 2026-02-03 (${after.digest.slice(0, 19)}…)`;

describe('a comparison', () => {
  it('as text starts with what happened, in one line', () => {
    expect(formatText(comparison)).toEqual([
      '1 move added, 1 removed, 1 renamed, 1 changed: its name; 2 items added',
      '',
      span,
      '',
      'Moves added:',
      '  move-4 (id 4): "Move 4"',
      '',
      'Moves removed:',
      '  move-3 (id 3): "Move 3"',
      '',
      'Moves renamed:',
      '  move-2 → new (id 2); generation 1 → 2',
      '',
      'Moves changed:',
      '  move-1 (id 1): name "Move 1" → "Other"',
      '',
      'Items added:',
      '  item-2 (id 2): "Item 2"',
      '  item-3 (id 3): "Item 3"',
    ]);
  });

  it('as Markdown has the same in lists, with the data in code spans', () => {
    const lines = formatMarkdown(comparison);
    expect(lines.slice(0, 8)).toEqual([
      '## 1 move added, 1 removed, 1 renamed, 1 changed: its name; 2 items added',
      '',
      span,
      '',
      '### Moves added',
      '',
      '- `move-4` (id 4): `"Move 4"`',
      '',
    ]);
    expect(lines).toContain('### Items added');
    expect(lines).toContain('- `move-2` → `new` (id 2); generation `1` → `2`');
    expect(lines).toContain('- `move-1` (id 1): name `"Move 1"` → `"Other"`');
  });

  it('names several changed fields, none for a record that was only renamed, and no day where none is known', () => {
    const from = { ...versionOf([rawMove(1), rawMove(2)]), captured: null };
    const to = versionOf([rawMove(1, { englishName: 'Other', generation: 2 }), rawMove(2, { slug: 'new' })]);
    expect(formatText(compare(from, to)).slice(2)).toEqual([
      `undated (${from.digest.slice(0, 19)}…) → 2026-01-02 (${to.digest.slice(0, 19)}…)`,
      '',
      'Moves renamed:',
      '  move-2 → new (id 2)',
      '',
      'Moves changed:',
      '  move-1 (id 1): name "Move 1" → "Other", generation 1 → 2',
    ]);
  });

  it('names the editions that it lies between', () => {
    const [from, to] = [before, after].map((side, at) => ({ ...side, edition: namedEdition(at + 1) }));
    if (!from || !to) throw new Error('two data sets are expected');
    const [, , spanned] = formatText(compare(from, to));
    expect(spanned).toBe(
      `2026-01-02 (${before.digest.slice(0, 19)}…, edition 00000000 of 2026-04-01) → 2026-02-03 (${after.digest.slice(0, 19)}…, edition 00000000 of 2026-04-02)`,
    );
    expect(formatMarkdown(compare(from, to))[2]).toBe(spanned);
  });

  it.each<[string, readonly (readonly string[])[], string]>([
    ['of one record', [['name']], '1 move changed: its name'],
    ['of several', [['name', 'icon'], ['id1']], '2 moves changed: their name, icon, id1'],
    [
      'that are many',
      [
        ['name', 'icon'],
        ['id1', 'id2'],
      ],
      '2 moves changed',
    ],
    ['with other characters than those of words', [['name', '<b>'], ['b>'], ['<b']], '3 moves changed'],
  ])('names the changed fields: %s', (_, fields, said) => {
    const none = { added: [], removed: [], renamed: [], changed: [] };
    const changed = fields.map((names, id) => ({
      ...{ id, slug: `move-${id}` },
      fields: names.map((field) => ({ field, from: 1, to: 2 })),
    }));
    expect(
      formatHeadline({ ...comparison, changes: everyKind({ move: { ...none, changed } }, () => none) }),
    ).toBe(said);
  });

  it('of equal data sets says so', () => {
    const same = compare(before, before);
    expect(formatHeadline(same)).toBe('nothing changed');
    expect(formatMarkdown(same)[0]).toBe('## Nothing changed');
  });

  it.each([
    ['a mention', '@somebody', '"\\u0040somebody"'],
    ['an order to a repository', 'closes #12', '"closes \\u002312"'],
    ['an order to a workflow', '[skip ci]', '"\\u005bskip ci\\u005d"'],
    ['a trailer for one', 'skip-checks: true', '"skip-checks\\u003a true"'],
    ['the end of a code span', 'x`<img src=x>', '"x\\u0060<img src=x>"'],
    ['the end of a string', 'a" → "b', '"a\\" → \\"b"'],
  ])('takes %s in a name for nothing but a name', (_, englishName, shown) => {
    const lines = formatMarkdown(compare(before, versionOf([rawMove(1, { englishName })])));
    expect(lines).toContain(`- \`move-1\` (id 1): name \`"Move 1"\` → \`${shown}\``);
    expect(formatText(compare(before, versionOf([rawMove(1, { englishName })])))).toContain(
      `  move-1 (id 1): name "Move 1" → ${shown}`,
    );
  });
});
