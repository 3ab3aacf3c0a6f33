/** A comparison for people: as text for a terminal or a commit message, and as Markdown for release notes. */

import { type Comparison, changeTypes, type FieldChange, type KindChanges } from '../contract/changes.ts';
import { kindNames } from '../contract/kinds.ts';
import { describeEdition } from '../contract/meta.ts';
import { recordPath } from '../contract/paths.ts';
import {
  escapeCharacters,
  escapeControls,
  formatCount,
  formatKindTitle,
  groupDigits,
} from '../contract/words.ts';

/** `1 move changed: its name; 47 items added, 2 renamed`, or `nothing changed`. */
export function formatHeadline({ changes }: Comparison): string {
  const kinds = kindNames.map((kind) => {
    const types = changeTypes.filter((type) => changes[kind][type].length > 0);
    const counts = types.map((type, at) => {
      const count = changes[kind][type].length;
      return `${at === 0 ? formatCount(count, kind) : groupDigits(count)} ${type}`;
    });
    return counts.join(', ') + changedFields(changes[kind]);
  });
  return kinds.filter((text) => text !== '').join('; ') || 'nothing changed';
}

/** Which fields are different, if there are few: `: its name`, `: their name, icon`. */
function changedFields({ changed }: KindChanges): string {
  const fields = [...new Set(changed.flatMap((change) => change.fields.map(({ field }) => field)))];
  // What other deployments call their fields might be markup.
  if (fields.length === 0 || fields.length > 3 || !fields.every((field) => /^\w+$/.test(field))) return '';
  return `: ${changed.length === 1 ? 'its' : 'their'} ${fields.join(', ')}`;
}

/** The two data sets, as `2026-01-02 (sha256:0123456789ab…) → 2026-01-09 (sha256:…)`. */
const span = ({ from, to }: Comparison): string =>
  [from, to]
    .map(({ captured, digest, edition }) => {
      const named = edition ? `, ${describeEdition(edition)}` : '';
      return `${captured ?? 'undated'} (${escapeControls(digest.slice(0, 19))}…${named})`;
    })
    .join(' → ');

/** Lines of plain text; the first is the headline. */
export const formatText = (comparison: Comparison): string[] => [
  ...[formatHeadline(comparison), '', span(comparison)],
  ...describeGroups(comparison).flatMap(({ title, lines }) => [
    ...['', `${title}:`],
    ...lines.map((line) => `  ${line}`),
  ]),
];

/** The same as Markdown. Text from the data is always inside a code span, where it cannot act as markup. */
export const formatMarkdown = (comparison: Comparison): string[] => [
  ...[`## ${formatHeadline(comparison).replace(/^n/, 'N')}`, '', span(comparison)],
  ...describeGroups(comparison, {}, (text) => `\`${text}\``).flatMap(({ title, lines }) => [
    ...['', `### ${title}`, ''],
    ...lines.map((line) => `- ${line}`),
  ]),
];

/**
 * The groups that are not empty.
 *
 * @param max the number of records of a group that are listed; the rest are only counted. Default: all
 * @param mark wraps text from the data: for the slug of a present record, its path is told
 */
export function describeGroups(
  { changes }: Comparison,
  { max = Number.POSITIVE_INFINITY, maxRemoved = max }: { max?: number; maxRemoved?: number } = {},
  mark: (text: string, path?: string) => string = (text) => text,
) {
  const describe = (fields: readonly FieldChange[]): string =>
    fields
      .map(({ field, from, to }) => `${harmless(field)} ${mark(quote(from))} → ${mark(quote(to))}`)
      .join(', ');
  return kindNames.flatMap((kind) => {
    const present = (slug: string): string => mark(slug, recordPath(kind, slug));
    const { added, removed, renamed, changed } = changes[kind];
    const groups: Record<keyof KindChanges, string[]> = {
      added: added.map(({ id, slug, name }) => `${present(slug)} (id ${id}): ${mark(quote(name))}`),
      removed: removed.map(({ id, slug, name }) => `${mark(slug)} (id ${id}): ${mark(quote(name))}`),
      renamed: renamed.map(({ id, from, to, fields }) => {
        const besides = fields.length > 0 ? `; ${describe(fields)}` : '';
        return `${mark(from)} → ${present(to)} (id ${id})${besides}`;
      }),
      changed: changed.map(({ id, slug, fields }) => `${present(slug)} (id ${id}): ${describe(fields)}`),
    };
    return changeTypes.flatMap((type) => {
      const lines = groups[type].slice(0, type === 'removed' ? maxRemoved : max);
      if (lines.length === 0) return [];
      return [{ title: `${formatKindTitle(kind)} ${type}`, lines, more: groups[type].length - lines.length }];
    });
  });
}

/**
 * A value as JSON. Forges read @ as a mention, `closes #1`, `[skip ci]` and the trailer `skip-checks: true` as commands, in commit
 * messages too, and a backtick would end a code span: what makes them so is written as JSON escapes.
 */
const quote = (value: FieldChange['from']): string => harmless(JSON.stringify(value));

const harmless = (text: string): string =>
  escapeCharacters(escapeControls(text), /[@#`[\]]|(?<=skip-checks\s*):/gi);
