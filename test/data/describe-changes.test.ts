import { describe, expect, it } from 'vitest';
import { compare } from '../../src/data/compare.ts';
import {
  describeGroups,
  formatMarkdown,
  formatText,
} from '../../src/data/describe-changes.ts';
import { namedEdition } from '../support/editions.ts';
import { everyKind } from '../support/kinds.ts';
import { rawItem, rawMove } from '../support/sites.ts';
import { versionOf } from '../support/stored-data.ts';

const named = versionOf(
  [rawMove(1), rawMove(2), rawMove(3), rawMove(5)],
  [rawItem(1)],
);
const before = { ...named, captured: null, edition: namedEdition(1) };
const after = versionOf(
  [
    rawMove(1, { englishName: 'Other', generation: 2 }),
    rawMove(2, { slug: 'new', generation: 2 }),
    ...[rawMove(4), rawMove(5, { slug: 'five' })],
  ],
  [rawItem(1), rawItem(2), rawItem(3)],
  '2026-02-03',
);
const comparison = compare(before, after);
const headline =
  '1 move added, 1 removed, 2 renamed, 1 changed: its name, generation; 2 items added';
const span = `undated (${before.digest.slice(0, 19)}…, edition 00000000 from 2026-04-01) → 2026-02-03 (${after.digest.slice(0, 19)}…)`;

describe('formatText', () => {
  it('formats the headline first, then both data sets, and then the changes', () => {
    expect(formatText(comparison)).toEqual([
      headline,
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
      '  move-5 → five (id 5)',
      '',
      'Moves changed:',
      '  move-1 (id 1): name "Move 1" → "Other", generation 1 → 2',
      '',
      'Items added:',
      '  item-2 (id 2): "Item 2"',
      '  item-3 (id 3): "Item 3"',
    ]);
  });

  it('formats the same changes as Markdown, with data in code spans', () => {
    const lines = formatMarkdown(comparison);
    const group = ['### Moves added', '', '- `move-4` (id 4): `"Move 4"`', ''];
    expect(lines.slice(0, 8)).toEqual([`## ${headline}`, '', span, '', ...group]);
    expect(lines).toContain('- `move-2` → `new` (id 2); generation `1` → `2`');
    expect(lines).toContain(
      '- `move-1` (id 1): name `"Move 1"` → `"Other"`, generation `1` → `2`',
    );
  });

  it.each<[readonly (readonly string[])[], string]>([
    [[['name']], '1 move changed: its name'],
    [[['name', 'icon'], ['id1']], '2 moves changed: their name, icon, id1'],
    [[['name', 'icon', 'id1', 'id2']], '1 move changed'],
    [[], 'nothing changed'],
  ])('summarizes the changed fields %j in the headline', (fields, headline) => {
    const none = { added: [], removed: [], renamed: [], changed: [] };
    const changed = fields.map((names, id) => ({
      ...{ id, slug: `move-${id}` },
      fields: names.map((field) => ({ field, from: 1, to: 2 })),
    }));
    const changes = everyKind({ move: { ...none, changed } }, () => none);
    expect(formatText({ ...comparison, changes })[0]).toBe(headline);
    const [heading] = formatMarkdown({ ...comparison, changes });
    expect(heading).toBe(`## ${headline.replace('nothing', 'Nothing')}`);
  });

  it.each([
    ['a mention', '@somebody', '"\\u0040somebody"'],
    ['a command for a repository', 'closes #12', '"closes \\u002312"'],
    ['a command for a workflow', '[skip ci]', '"\\u005bskip ci\\u005d"'],
    ['the end of a code span', 'x`<img src=x>', '"x\\u0060<img src=x>"'],
  ])('escapes %s in a name', (_, englishName, shown) => {
    const renamed = compare(before, versionOf([rawMove(1, { englishName })]));
    expect(formatMarkdown(renamed)).toContain(
      `- \`move-1\` (id 1): name \`"Move 1"\` → \`${shown}\``,
    );
    expect(formatText(renamed)).toContain(
      `  move-1 (id 1): name "Move 1" → ${shown}`,
    );
  });
});

describe('describeGroups', () => {
  const threeMoves = versionOf([rawMove(1), rawMove(2), rawMove(3)]);
  const otherMoves = versionOf([11, 12, 13, 14].map((id) => rawMove(id)));

  it('lists no more changes per type than the limit allows', () => {
    const groups = describeGroups(compare(threeMoves, otherMoves), 2);
    const counts = groups.map(({ title, lines, more }) => [
      title,
      lines.length,
      more,
    ]);
    expect(counts).toEqual([
      ['Moves added', 2, 2],
      ['Moves removed', 2, 1],
    ]);
  });
});
