import {
  type Comparison,
  changeTypes,
  type FieldChange,
  type KindChanges,
} from '../contract/changes.ts';
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
    return counts.join(', ') + formatFields(changes[kind]);
  });
  return kinds.filter((text) => text !== '').join('; ') || 'nothing changed';
}

function formatFields({ changed }: KindChanges): string {
  const fields = [...new Set(changed.flatMap((change) => change.fields.map(({ field }) => field)))];
  // Field names of other deployments could be markup.
  if (fields.length === 0 || fields.length > 3 || !fields.every((field) => /^\w+$/.test(field)))
    return '';
  return `: ${changed.length === 1 ? 'its' : 'their'} ${fields.join(', ')}`;
}

/** `2026-01-02 (sha256:0123456789ab…) → 2026-01-09 (sha256:…)` */
const formatSpan = ({ from, to }: Comparison): string =>
  [from, to]
    .map(({ captured, digest, edition }) => {
      const named = edition ? `, ${describeEdition(edition)}` : '';
      return `${captured ?? 'undated'} (${escapeControls(digest.slice(0, 19))}…${named})`;
    })
    .join(' → ');

export const formatText = (comparison: Comparison): string[] => [
  ...[formatHeadline(comparison), '', formatSpan(comparison)],
  ...describeGroups(comparison).flatMap(({ title, lines }) => [
    ...['', `${title}:`],
    ...lines.map((line) => `  ${line}`),
  ]),
];

/** Puts text from the data into code spans, where it cannot act as markup. */
export const formatMarkdown = (comparison: Comparison): string[] => [
  ...[`## ${formatHeadline(comparison).replace(/^n/, 'N')}`, '', formatSpan(comparison)],
  ...describeGroups(comparison, {}, (text) => `\`${text}\``).flatMap(({ title, lines }) => [
    ...['', `### ${title}`, ''],
    ...lines.map((line) => `- ${line}`),
  ]),
];

/**
 * Lists the changes by kind and type.
 *
 * @param max the number of records of each group that are listed
 * @param mark wraps text from the data, and the slug of a current record together with its path
 */
export function describeGroups(
  { changes }: Comparison,
  { max = Number.POSITIVE_INFINITY, maxRemoved = max }: { max?: number; maxRemoved?: number } = {},
  mark: (text: string, path?: string) => string = (text) => text,
) {
  const describe = (fields: readonly FieldChange[]): string =>
    fields
      .map(({ field, from, to }) => `${field} ${mark(quote(from))} → ${mark(quote(to))}`)
      .join(', ');
  return kindNames.flatMap((kind) => {
    const current = (slug: string): string => mark(slug, recordPath(kind, slug));
    const { added, removed, renamed, changed } = changes[kind];
    const groups: Record<keyof KindChanges, string[]> = {
      added: added.map(({ id, slug, name }) => `${current(slug)} (id ${id}): ${mark(quote(name))}`),
      removed: removed.map(
        ({ id, slug, name }) => `${mark(slug)} (id ${id}): ${mark(quote(name))}`,
      ),
      renamed: renamed.map(({ id, from, to, fields }) => {
        const more = fields.length > 0 ? `; ${describe(fields)}` : '';
        return `${mark(from)} → ${current(to)} (id ${id})${more}`;
      }),
      changed: changed.map(
        ({ id, slug, fields }) => `${current(slug)} (id ${id}): ${describe(fields)}`,
      ),
    };
    return changeTypes.flatMap((type) => {
      const lines = groups[type].slice(0, type === 'removed' ? maxRemoved : max);
      if (lines.length === 0) return [];
      return [
        {
          title: `${formatKindTitle(kind)} ${type}`,
          lines,
          more: groups[type].length - lines.length,
        },
      ];
    });
  });
}

/**
 * Formats a value as JSON. Forges read `@` as a mention and `closes #1`, `[skip ci]` and the trailer `skip-checks: true` as commands, even
 * in commit messages, and a backtick would end a code span. JSON escapes prevent that.
 */
const quote = (value: FieldChange['from']): string =>
  escapeCharacters(escapeControls(JSON.stringify(value)), /[@#`[\]]|:(?<=skip-checks\s*:)/gi);
