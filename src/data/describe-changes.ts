import {
  type Comparison,
  changeTypes,
  type DataSetSummary,
  type FieldChange,
  type FieldValue,
  type KindChanges,
} from '../contract/changes.ts';
import { type Kind, kindNames } from '../contract/kinds.ts';
import { describeEdition } from '../contract/meta.ts';
import { recordPath } from '../contract/paths.ts';
import {
  capitalize,
  escapeCharacters,
  escapeControls,
  formatCount,
  formatKindTitle,
  groupDigits,
} from '../contract/words.ts';

/**
 * Summarizes the changes, for example as `1 move changed: its name; 47 items added,
 * 2 renamed`. Returns `nothing changed` if there are none.
 */
export function formatHeadline({ changes }: Comparison): string {
  const descriptions: string[] = [];
  for (const kind of kindNames) {
    const counts: string[] = [];
    for (const type of changeTypes) {
      const count = changes[kind][type].length;
      if (count === 0) continue;
      // Only the first count of each kind includes the kind's name.
      const subject =
        counts.length === 0 ? formatCount(count, kind) : groupDigits(count);
      counts.push(`${subject} ${type}`);
    }
    if (counts.length === 0) continue;
    descriptions.push(counts.join(', ') + formatFieldNames(changes[kind]));
  }
  return descriptions.join('; ') || 'nothing changed';
}

const MAX_FIELD_NAMES = 3;

/** Names the fields that changed, as in `: its name`, unless there are many. */
function formatFieldNames({ changed }: KindChanges): string {
  const names = new Set<string>();
  for (const { fields } of changed) {
    for (const { field } of fields) names.add(field);
  }
  if (names.size === 0 || names.size > MAX_FIELD_NAMES) return '';
  const owner = changed.length === 1 ? 'its' : 'their';
  return `: ${owner} ${[...names].join(', ')}`;
}

/**
 * Describes both data sets, as in `2026-01-02 (sha256:0123456789ab…) → 2026-01-09
 * (sha256:…)`.
 */
const formatSpan = ({ from, to }: Comparison): string =>
  `${formatDataSet(from)} → ${formatDataSet(to)}`;

function formatDataSet({ captured, digest, edition }: DataSetSummary): string {
  const shortDigest = escapeControls(digest.slice(0, 'sha256:'.length + 12));
  const named = edition ? `, ${describeEdition(edition)}` : '';
  return `${captured ?? 'undated'} (${shortDigest}…${named})`;
}

export function formatText(comparison: Comparison): string[] {
  const lines = [formatHeadline(comparison), '', formatSpan(comparison)];
  for (const group of describeGroups(comparison, Infinity)) {
    lines.push('', `${group.title}:`);
    for (const line of group.lines) lines.push(`  ${line}`);
  }
  return lines;
}

/**
 * Formats the changes as Markdown. Text from the data is enclosed in code spans, so
 * that it cannot act as markup.
 */
export function formatMarkdown(comparison: Comparison): string[] {
  const headline = capitalize(formatHeadline(comparison));
  const lines = [`## ${headline}`, '', formatSpan(comparison)];
  const mark: Mark = (text) => `\`${text}\``;
  for (const group of describeGroups(comparison, Infinity, mark)) {
    lines.push('', `### ${group.title}`, '');
    for (const line of group.lines) lines.push(`- ${line}`);
  }
  return lines;
}

/** The changes of one type to the records of one kind. */
export interface ChangeGroup {
  /** A title such as `Moves added`. */
  readonly title: string;
  readonly lines: readonly string[];
  /** The number of changes beyond the limit, which are not listed. */
  readonly more: number;
}

/**
 * Marks up text from the data. If the text is the slug of a record after the
 * change, `path` is that record's path.
 */
type Mark = (text: string, path?: string) => string;

/**
 * Describes the changes as one group of lines per kind and type. Types without changes
 * have no group.
 *
 * @param max the maximum number of changes that each group lists
 * @param mark marks up text from the data; by default, the text is not changed
 */
export function describeGroups(
  { changes }: Comparison,
  max: number,
  mark: Mark = (text) => text,
): ChangeGroup[] {
  const groups: ChangeGroup[] = [];
  for (const kind of kindNames) {
    const linesByType = describeKind(kind, changes[kind], mark);
    for (const type of changeTypes) {
      const lines = linesByType[type];
      if (lines.length === 0) continue;
      const listed = lines.slice(0, max);
      const title = `${formatKindTitle(kind)} ${type}`;
      groups.push({ title, lines: listed, more: lines.length - listed.length });
    }
  }
  return groups;
}

type LinesByType = Record<keyof KindChanges, string[]>;

/**
 * Describes each change to the records of one kind in one line. A slug is linked only
 * if the record still has it after the change.
 *
 * @param mark marks up text from the data, for example as code
 */
function describeKind(kind: Kind, changes: KindChanges, mark: Mark): LinesByType {
  const lines: LinesByType = { added: [], removed: [], renamed: [], changed: [] };
  function link(slug: string): string {
    return mark(slug, recordPath(kind, slug));
  }
  for (const { id, slug, name } of changes.added) {
    lines.added.push(`${link(slug)} (id ${id}): ${mark(quote(name))}`);
  }
  for (const { id, slug, name } of changes.removed) {
    lines.removed.push(`${mark(slug)} (id ${id}): ${mark(quote(name))}`);
  }
  for (const { id, from, to, fields } of changes.renamed) {
    const otherChanges =
      fields.length > 0 ? `; ${describeFields(fields, mark)}` : '';
    lines.renamed.push(`${mark(from)} → ${link(to)} (id ${id})${otherChanges}`);
  }
  for (const { id, slug, fields } of changes.changed) {
    lines.changed.push(`${link(slug)} (id ${id}): ${describeFields(fields, mark)}`);
  }
  return lines;
}

/** Describes changed fields, such as `generation 1 → 2, name "Pound" → "Slap"`. */
function describeFields(fields: readonly FieldChange[], mark: Mark): string {
  const descriptions: string[] = [];
  for (const { field, from, to } of fields) {
    descriptions.push(`${field} ${mark(quote(from))} → ${mark(quote(to))}`);
  }
  return descriptions.join(', ');
}

/**
 * Matches characters with a special meaning in Markdown or in commit messages. Forges
 * treat `@` as a mention, and `closes #1`, `[skip ci]` and the trailer `skip-checks:
 * true` as commands. A backtick would end a code span.
 */
const ACTIVE_CHARACTER = /[@#`[\]]|:(?<=skip-checks\s*:)/gi;

/** Formats a value as JSON that is safe in Markdown, in commit messages and on terminals. */
function quote(value: FieldValue): string {
  const json = escapeControls(JSON.stringify(value));
  return escapeCharacters(json, ACTIVE_CHARACTER);
}
