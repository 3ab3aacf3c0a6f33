import type { Comparison, History } from '../contract/changes.ts';
import { kindNames } from '../contract/kinds.ts';
import type { Meta, SiteFile } from '../contract/meta.ts';
import {
  CHANGES_FILE,
  FEED_FILE,
  MOVED_FILE,
  recordPath,
} from '../contract/paths.ts';
import type { Redirect } from '../contract/responses.ts';
import { createMovedPaths } from '../data/api-values.ts';
import { describeGroups, formatHeadline } from '../data/describe-changes.ts';
import { encodeHistory } from '../data/history.ts';

/** The facts about the site that the feed includes. */
type DatedSite = Pick<Meta, 'base_url' | 'captured'>;

/**
 * Creates the files about the data's past: the changes as JSON and as a feed, and
 * the redirects.
 */
export function createChangeFiles(
  history: History,
  redirects: readonly Redirect[],
  site: DatedSite,
): readonly SiteFile[] {
  const moved = createMovedPaths(redirects);
  return [
    { path: CHANGES_FILE, body: encodeHistory(history) },
    { path: FEED_FILE, body: encodeFeed(history, site) },
    { path: MOVED_FILE, body: JSON.stringify(moved) },
  ];
}

const MAX_ENTRIES = 30;
const MAX_NAMED_RECORDS = 25;

/** A history step, and its time in the feed. */
interface FeedEntry {
  readonly step: Comparison;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/**
 * Encodes the history as an Atom feed. All times in the feed depend only on the
 * data.
 *
 * @see https://www.rfc-editor.org/rfc/rfc4287
 */
export function encodeFeed({ steps }: History, site: DatedSite): string {
  const { base_url: baseUrl, captured } = site;
  const entries = addTimes(removeRepeated(steps));
  // Steps from the same day are one second apart, so the newest step may be later than
  // the start of the capture date.
  const newestTime = entries[0]?.time ?? 0;
  const updated = Math.max(parseDay(captured), newestTime);
  const listedEntries = entries.slice(0, MAX_ENTRIES);
  const encodedEntries = listedEntries.map((entry) => encodeEntry(entry, baseUrl));
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${escapeXml(`${baseUrl}/${FEED_FILE}`)}</id>
<title>gamedata: what changed</title>
<author><name>gamedata</name></author>
<updated>${formatTime(updated)}</updated>
${encodeLink('self', 'application/atom+xml', `${baseUrl}/${FEED_FILE}`)}
${encodeLink('alternate', 'text/html', `${baseUrl}/`)}
${encodeLink('via', 'application/json', `${baseUrl}/${CHANGES_FILE}`)}
${encodedEntries.join('')}</feed>
`;
}

function encodeEntry({ step, time }: FeedEntry, baseUrl: string): string {
  return `<entry>
<id>${createId(step)}</id>
<title>${escapeXml(formatHeadline(step))}</title>
<updated>${formatTime(time)}</updated>
${encodeLink('alternate', 'text/html', `${baseUrl}${findPage(step)}`)}
<content type="html">${escapeXml(renderHtml(step, baseUrl))}</content>
</entry>
`;
}

const encodeLink = (rel: string, type: string, url: string): string =>
  `<link rel="${rel}" type="${type}" href="${escapeXml(url)}"/>`;

/**
 * Assigns a time to each step. Steps from the same day are one second apart, because
 * feed readers sort entries by time. Both the steps and the result start with the
 * newest step.
 */
function addTimes(steps: readonly Comparison[]): FeedEntry[] {
  const entries: FeedEntry[] = [];
  let previousTime = Number.NEGATIVE_INFINITY;
  for (const step of steps.toReversed()) {
    const time = Math.max(parseDay(step.to.captured), previousTime + 1000);
    entries.push({ step, time });
    previousTime = time;
  }
  return entries.reverse();
}

/**
 * Returns the path of the page that a step is about, starting with a slash. If the step
 * added, renamed or changed exactly one record, it is the page of this record. Otherwise,
 * it is the front page. Removed records do not count, because they have no page.
 */
function findPage({ changes }: Comparison): string {
  const pages: string[] = [];
  for (const kind of kindNames) {
    const { added, renamed, changed } = changes[kind];
    for (const { slug } of added) pages.push(recordPath(kind, slug));
    for (const { slug } of changed) pages.push(recordPath(kind, slug));
    for (const { to } of renamed) pages.push(recordPath(kind, to));
  }
  const [firstPage = '/'] = pages;
  return pages.length === 1 ? firstPage : '/';
}

/** Renders a step's changed records as HTML lists. */
function renderHtml(step: Comparison, baseUrl: string): string {
  function mark(text: string, path?: string): string {
    const code = `<code>${escapeXml(text)}</code>`;
    if (path === undefined) return code;
    return `<a href="${escapeXml(baseUrl + path)}">${code}</a>`;
  }
  const groups = describeGroups(step, MAX_NAMED_RECORDS, mark);
  let markup = '';
  for (const { title, lines, more } of groups) {
    const items = lines.map((line) => `<li>${line}</li>`);
    if (more > 0) items.push(`<li>… and ${more} more</li>`);
    markup += `<h2>${title}</h2><ul>${items.join('')}</ul>`;
  }
  return markup;
}

/**
 * Derives a UUID from the digests of both data sets. It contains 15 digits of each
 * digest. The third group starts with the version, 8, and the fourth with the variant,
 * which is also 8.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-8
 */
function createId({ from, to }: Comparison): string {
  const oldDigest = from.digest.slice('sha256:'.length);
  const newDigest = to.digest.slice('sha256:'.length);
  const groups = [
    oldDigest.slice(0, 8),
    oldDigest.slice(8, 12),
    `8${oldDigest.slice(12, 15)}`,
    `8${newDigest.slice(0, 3)}`,
    newDigest.slice(3, 15),
  ];
  return `urn:uuid:${groups.join('-')}`;
}

/**
 * Removes all but the newest of any repeated steps, because they would have the same id
 * in the feed. A step is repeated if a change was reverted and then applied again.
 */
function removeRepeated(steps: readonly Comparison[]): Comparison[] {
  const seenIds = new Set<string>();
  const kept: Comparison[] = [];
  // Steps are listed from newest to oldest.
  for (const step of steps) {
    const id = createId(step);
    if (seenIds.has(id)) continue;
    seenIds.add(id);
    kept.push(step);
  }
  return kept;
}

/**
 * Returns the start of a day in milliseconds since 1970, or 0 if the day is unknown.
 */
function parseDay(day: string | null): number {
  if (day === null) return 0;
  return Date.parse(`${day}T00:00:00Z`);
}

function formatTime(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

/** Matches characters that are not allowed in XML. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Escapes text for XML, and replaces characters that are not allowed in XML. */
function escapeXml(text: string): string {
  const representable = text.replace(NOT_XML, '\u{FFFD}');
  return representable.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
