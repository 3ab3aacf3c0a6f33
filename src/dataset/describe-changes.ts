import {
  type Comparison,
  changeTypes,
  type DataSetSummary,
  type FieldChange,
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

/** `1 move changed: its name; 47 items added, 2 renamed`, or `nothing changed`. */
export function formatHeadline({ changes }: Comparison): string {
  const descriptions: string[] = [];
  for (const kind of kindNames) {
    const counts: string[] = [];
    for (const type of changeTypes) {
      const count = changes[kind][type].length;
      if (count === 0) continue;
      // Only the first count names the kind.
      const subject = counts.length === 0 ? formatCount(count, kind) : groupDigits(count);
      counts.push(`${subject} ${type}`);
    }
    if (counts.length === 0) continue;
    descriptions.push(counts.join(', ') + formatFieldNames(changes[kind]));
  }
  return descriptions.join('; ') || 'nothing changed';
}

const MAX_FIELD_NAMES = 3;

function formatFieldNames({ changed }: KindChanges): string {
  const names = new Set<string>();
  for (const { fields } of changed) {
    for (const { field } of fields) names.add(field);
  }
  if (names.size === 0 || names.size > MAX_FIELD_NAMES) return '';
  // Field names of other deployments could be markup.
  const areSafe = [...names].every((name) => /^\w+$/.test(name));
  if (!areSafe) return '';
  const owner = changed.length === 1 ? 'its' : 'their';
  return `: ${owner} ${[...names].join(', ')}`;
}

/** `2026-01-02 (sha256:0123456789ab…) → 2026-01-09 (sha256:…)` */
const formatSpan = ({ from, to }: Comparison): string =>
  `${formatDataSet(from)} → ${formatDataSet(to)}`;

function formatDataSet({ captured, digest, edition }: DataSetSummary): string {
  const shortDigest = escapeControls(digest.slice(0, 'sha256:'.length + 12));
  const named = edition ? `, ${describeEdition(edition)}` : '';
  return `${captured ?? 'undated'} (${shortDigest}…${named})`;
}

export function formatText(comparison: Comparison): string[] {
  const lines = [formatHeadline(comparison), '', formatSpan(comparison)];
  for (const group of describeGroups(comparison)) {
    lines.push('', `${group.title}:`);
    for (const line of group.lines) lines.push(`  ${line}`);
  }
  return lines;
}

/** Puts text from the data into code spans, where it cannot act as markup. */
export function formatMarkdown(comparison: Comparison): string[] {
  const headline = capitalize(formatHeadline(comparison));
  const lines = [`## ${headline}`, '', formatSpan(comparison)];
  for (const group of describeGroups(comparison, {}, (text) => `\`${text}\``)) {
    lines.push('', `### ${group.title}`, '');
    for (const line of group.lines) lines.push(`- ${line}`);
  }
  return lines;
}

/** The changes of one type to the records of one kind. */
export interface ChangeGroup {
  /** Such as `Moves added`. */
  readonly title: string;
  readonly lines: readonly string[];
  /** The number of changes that are not listed. */
  readonly more: number;
}

/** The numbers of changes in each group that are listed. */
interface Limits {
  readonly max?: number;
  /** By default, `max`. */
  readonly maxRemoved?: number;
}

/** Wraps text from the data, and the slug of a current record together with its path. */
type Mark = (text: string, path?: string) => string;

/** Lists the changes by kind and type. */
export function describeGroups(
  { changes }: Comparison,
  limits: Limits = {},
  mark: Mark = (text) => text,
): ChangeGroup[] {
  const { max = Number.POSITIVE_INFINITY } = limits;
  const groups: ChangeGroup[] = [];
  for (const kind of kindNames) {
    const linesByType = describeKind(kind, changes[kind], mark);
    for (const type of changeTypes) {
      const lines = linesByType[type];
      if (lines.length === 0) continue;
      const limit = type === 'removed' ? (limits.maxRemoved ?? max) : max;
      const listed = lines.slice(0, limit);
      const title = `${formatKindTitle(kind)} ${type}`;
      groups.push({ title, lines: listed, more: lines.length - listed.length });
    }
  }
  return groups;
}

type LinesByType = Record<keyof KindChanges, string[]>;

/** Describes each change to the records of one kind in a line. Only current slugs have a path. */
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
    const otherChanges = fields.length > 0 ? `; ${describeFields(fields, mark)}` : '';
    lines.renamed.push(`${mark(from)} → ${link(to)} (id ${id})${otherChanges}`);
  }
  for (const { id, slug, fields } of changes.changed) {
    lines.changed.push(`${link(slug)} (id ${id}): ${describeFields(fields, mark)}`);
  }
  return lines;
}

/** `generation 1 → 2, name "Pound" → "Slap"` */
function describeFields(fields: readonly FieldChange[], mark: Mark): string {
  const descriptions: string[] = [];
  for (const { field, from, to } of fields) {
    descriptions.push(`${field} ${mark(quote(from))} → ${mark(quote(to))}`);
  }
  return descriptions.join(', ');
}

/**
 * Formats a value as JSON. Forges read `@` as a mention and `closes #1`, `[skip ci]` and the trailer `skip-checks: true` as commands, even
 * in commit messages, and a backtick would end a code span. JSON escapes prevent that.
 */
const quote = (value: FieldChange['from']): string =>
  escapeCharacters(escapeControls(JSON.stringify(value)), /[@#`[\]]|:(?<=skip-checks\s*:)/gi);
