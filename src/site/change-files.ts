/**
 * The files about changes: the history, the same as an Atom feed (https://www.rfc-editor.org/rfc/rfc4287), old slugs, and the
 * redirects that follow from them.
 */

import type { Comparison, History } from '../contract/changes.ts';
import { kindNames } from '../contract/kinds.ts';
import type { Meta, SiteFile } from '../contract/meta.ts';
import { CHANGES_FILE, FEED_FILE, FORMER_FILE, MOVED_FILE, recordPath } from '../contract/paths.ts';
import type { MovedRoute } from '../contract/routes.ts';
import { describeGroups, formatHeadline } from '../dataset/describe-changes.ts';
import { encodeFormer, type Former } from '../dataset/former.ts';
import { encodeHistory } from '../dataset/history.ts';

type Site = Pick<Meta, 'base_url' | 'captured'>;

export function changeFiles(
  { history, former, moved }: { history: History; former: Former; moved: readonly MovedRoute[] },
  site: Site,
): readonly SiteFile[] {
  return [
    { path: FORMER_FILE, body: encodeFormer(former) },
    { path: CHANGES_FILE, body: encodeHistory(history) },
    { path: FEED_FILE, body: encodeFeed(history, site) },
    { path: MOVED_FILE, body: JSON.stringify(Object.fromEntries(moved.map(({ path, to }) => [path, to]))) },
  ];
}

/** The newest steps that the feed includes, and the records that it lists in each of their groups. */
const MAX_ENTRIES = 30;
const MAX_NAMED = 25;

/** It depends on nothing else: its times are the days of the data, and seconds in them. */
export function encodeFeed({ steps }: History, { base_url: baseUrl, captured }: Site): string {
  const link = (rel: string, type: string, path: string): string =>
    `<link rel="${rel}" type="${type}" href="${escapeXml(`${baseUrl}/${path}`)}"/>`;
  const entries = timed(distinct(steps));
  const updated = Math.max(startOf(captured), entries[0]?.time ?? 0);
  const encodeEntry = ({ step, time }: (typeof entries)[number]): string => `<entry>
<id>${idOf(step)}</id>
<title>${escapeXml(formatHeadline(step))}</title>
<updated>${timeOf(time)}</updated>
${link('alternate', 'text/html', pageOf(step))}
<content type="html">${escapeXml(html(step, baseUrl))}</content>
</entry>
`;
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${escapeXml(`${baseUrl}/${FEED_FILE}`)}</id>
<title>gamedata: what changed</title>
<author><name>gamedata</name></author>
<updated>${timeOf(updated)}</updated>
${link('self', 'application/atom+xml', FEED_FILE)}
${link('alternate', 'text/html', '')}
${link('via', 'application/json', CHANGES_FILE)}
${entries.slice(0, MAX_ENTRIES).map(encodeEntry).join('')}</feed>
`;
}

/** Steps with times that rise from the oldest to the newest, a second apart on the same day: readers sort by them. */
function timed(steps: readonly Comparison[]) {
  let last = Number.NEGATIVE_INFINITY;
  const oldestFirst = steps.toReversed().map((step) => {
    last = Math.max(startOf(step.to.captured), last + 1000);
    return { step, time: last };
  });
  return oldestFirst.reverse();
}

/** The page of the only record that a step leaves behind, or else the front page. Without a leading slash. */
function pageOf({ changes }: Comparison): string {
  const pages = kindNames.flatMap((kind) => {
    const { added, renamed, changed } = changes[kind];
    const slugs = [...added, ...changed, ...renamed.map(({ to }) => ({ slug: to }))];
    return slugs.map(({ slug }) => recordPath(kind, slug).slice(1));
  });
  return pages.length === 1 ? pages.join() : '';
}

/** HTML, which the feed escapes a second time. */
function html(step: Comparison, baseUrl: string): string {
  const groups = describeGroups(step, { max: MAX_NAMED }, (text, path) => {
    const code = `<code>${escapeXml(text)}</code>`;
    return path === undefined ? code : `<a href="${escapeXml(baseUrl + path)}">${code}</a>`;
  });
  return groups
    .map(({ title, lines, more }) => {
      const rest = more > 0 ? [`… and ${more} more`] : [];
      return `<h2>${title}</h2><ul>${[...lines, ...rest].map((line) => `<li>${line}</li>`).join('')}</ul>`;
    })
    .join('');
}

/**
 * The same step has the same id in every copy of a site: a UUID of version 8, made from the digests of the two data sets
 * (https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-8).
 */
function idOf({ from, to }: Comparison): string {
  const [a, b] = [from, to].map(({ digest }) => digest.slice('sha256:'.length)) as [string, string];
  return `urn:uuid:${a.slice(0, 8)}-${a.slice(8, 12)}-8${a.slice(12, 15)}-8${b.slice(0, 3)}-${b.slice(3, 15)}`;
}

/** Data that went back and forth has the same step twice: only the newer one is included. */
function distinct(steps: readonly Comparison[]): Comparison[] {
  const newest = new Map(steps.toReversed().map((step) => [idOf(step), step]));
  return steps.filter((step) => newest.get(idOf(step)) === step);
}

const startOf = (day: string | null): number => Date.parse(`${day ?? '1970-01-01'}T00:00:00Z`);
const timeOf = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

/** The few characters that XML cannot represent at all become U+FFFD. */
const escapeXml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
