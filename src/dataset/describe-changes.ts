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

function describeKind(
  kind: Kind,
  { added, removed, renamed, changed }: KindChanges,
  mark: Mark,
): Record<keyof KindChanges, string[]> {
  const link = (slug: string): string => mark(slug, recordPath(kind, slug));
  const describeFields = (fields: readonly FieldChange[]): string => {
    const texts = fields.map(({ field, from, to }) => {
      return `${field} ${mark(quote(from))} → ${mark(quote(to))}`;
    });
    return texts.join(', ');
  };
  return {
    added: added.map(({ id, slug, name }) => `${link(slug)} (id ${id}): ${mark(quote(name))}`),
    removed: removed.map(({ id, slug, name }) => `${mark(slug)} (id ${id}): ${mark(quote(name))}`),
    renamed: renamed.map(({ id, from, to, fields }) => {
      const more = fields.length > 0 ? `; ${describeFields(fields)}` : '';
      return `${mark(from)} → ${link(to)} (id ${id})${more}`;
    }),
    changed: changed.map(({ id, slug, fields }) => {
      return `${link(slug)} (id ${id}): ${describeFields(fields)}`;
    }),
  };
}

/**
 * Formats a value as JSON. Forges read `@` as a mention and `closes #1`, `[skip ci]` and the trailer `skip-checks: true` as commands, even
 * in commit messages, and a backtick would end a code span. JSON escapes prevent that.
 */
const quote = (value: FieldChange['from']): string =>
  escapeCharacters(escapeControls(JSON.stringify(value)), /[@#`[\]]|:(?<=skip-checks\s*:)/gi);
