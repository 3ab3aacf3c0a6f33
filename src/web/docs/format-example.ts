/** Formats the examples in the docs, and shortens those that are long. */

import type { Meta } from '../../contract/meta.ts';
import { formatJson } from '../exchange/format-json.ts';

/** Stands for the omitted rest of an object or array. */
const MORE = '…';

/**
 * The maximum line length in characters. In a narrow column, such a line wraps once.
 */
const MAX_LINE_LENGTH = 96;

/** Formats a response. List pages and files of names are shortened. */
export function formatResponse(response: object): string {
  if ('results' in response) return formatCompact(shortenPage(response));
  if ('language' in response) return formatCompact(shortenNames(response));
  return formatJson(response);
}

/**
 * Formats the most important fields of a site's `meta.json`. A last field `"…": "…"`
 * shows that there are more.
 */
export function formatMeta(meta: Meta): string {
  const { format, generator, source, captured, counts, digest } = meta;
  const { base_url, links, hosts } = meta;
  return formatCompact({
    format,
    generator,
    source,
    captured,
    counts,
    digest,
    names: shortenNamesSummary(meta),
    base_url,
    links,
    hosts,
    [MORE]: MORE,
  });
}

/** Shortens the summary of all names to the first language. */
function shortenNamesSummary({ names }: Meta): object | undefined {
  if (!names) return undefined;
  const firstLanguage = Object.entries(names.languages).slice(0, 1);
  const languages = { ...Object.fromEntries(firstLanguage), [MORE]: MORE };
  return { ...names, languages };
}

/** Formats a history of changes, with `…` in place of empty lists. */
export const formatChanges = (changes: object): string =>
  formatCompact(omitEmptyLists(changes));

function omitEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitEmptyLists);
  if (!isStructure(value)) return value;
  const shortened: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (hasOnlyEmptyLists(member)) shortened[MORE] = MORE;
    else shortened[key] = omitEmptyLists(member);
  }
  return shortened;
}

function hasOnlyEmptyLists(value: unknown): boolean {
  if (!isStructure(value)) return false;
  return Object.values(value).every(hasOnlyEmptyLists);
}

/** Shortens a list page to the beginning of its first record. */
function shortenPage({ results, ...page }: { results: unknown }): object {
  const [record] = results as readonly { readonly url: string }[];
  const start = { url: record?.url, [MORE]: MORE };
  return { ...page, results: [start, MORE] };
}

/** Marks the names of each kind as incomplete. */
function shortenNames(names: object): object {
  const shortened: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(names)) {
    shortened[key] = isStructure(value) ? { ...value, [MORE]: MORE } : value;
  }
  return shortened;
}

/**
 * Formats JSON with short objects and arrays on one line. Digests are shortened,
 * because readers do not need all 64 digits.
 */
function formatCompact(json: unknown): string {
  const text = JSON.stringify(json).replaceAll(
    /sha256:([0-9a-f]{8})[0-9a-f]{56}/g,
    `sha256:$1${MORE}`,
  );
  // We remove the quotes around `…`, because it stands for omitted JSON.
  return formatValue(JSON.parse(text), '')
    .replaceAll(`"${MORE}": "${MORE}"`, MORE)
    .replaceAll(`"${MORE}"`, MORE);
}

/** @param indent the spaces at the start of the value's line */
function formatValue(value: unknown, indent: string): string {
  // Line breaks in strings are escaped, so all of these are outside of strings.
  const line = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ');
  if (!isStructure(value)) return line;
  const isNested = Object.values(value).some(isStructure);
  const fits = indent.length + line.length <= MAX_LINE_LENGTH;
  if (fits && !isNested) return line;
  const innerIndent = `${indent}  `;
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    const name = Array.isArray(value) ? '' : `${JSON.stringify(key)}: `;
    members.push(innerIndent + name + formatValue(member, innerIndent));
  }
  const [start, end] = Array.isArray(value) ? '[]' : '{}';
  return `${start}\n${members.join(',\n')}\n${indent}${end}`;
}

const isStructure = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;
