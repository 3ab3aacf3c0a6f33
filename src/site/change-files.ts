import type { Comparison, History } from '../contract/changes.ts';
import { kindNames } from '../contract/kinds.ts';
import type { Meta, SiteFile } from '../contract/meta.ts';
import { CHANGES_FILE, FEED_FILE, FORMER_FILE, MOVED_FILE, recordPath } from '../contract/paths.ts';
import type { Redirect } from '../contract/responses.ts';
import { describeGroups, formatHeadline } from '../dataset/describe-changes.ts';
import { encodeHistory } from '../dataset/history.ts';
import { encodeOldSlugs } from '../dataset/old-slugs.ts';
import type { Past } from '../dataset/past.ts';

type Site = Pick<Meta, 'base_url' | 'captured'>;

export function createChangeFiles(
  { history, oldSlugs }: Past,
  redirects: readonly Redirect[],
  site: Site,
): readonly SiteFile[] {
  const moved = Object.fromEntries(redirects.map(({ path, to }) => [path, to]));
  return [
    { path: FORMER_FILE, body: encodeOldSlugs(oldSlugs) },
    { path: CHANGES_FILE, body: encodeHistory(history) },
    { path: FEED_FILE, body: encodeFeed(history, site) },
    { path: MOVED_FILE, body: JSON.stringify(moved) },
  ];
}

const MAX_ENTRIES = 30;
const MAX_NAMED_RECORDS = 25;

/** Encodes an Atom feed (https://www.rfc-editor.org/rfc/rfc4287), with times that depend only on the data. */
export function encodeFeed({ steps }: History, { base_url: baseUrl, captured }: Site): string {
  const link = (rel: string, type: string, path: string): string =>
    `<link rel="${rel}" type="${type}" href="${escapeXml(`${baseUrl}/${path}`)}"/>`;
  const entries = addTimes(removeRepeated(steps));
  const updated = Math.max(parseDay(captured), entries[0]?.time ?? 0);
  const encodeEntry = ({ step, time }: (typeof entries)[number]): string => `<entry>
<id>${createId(step)}</id>
<title>${escapeXml(formatHeadline(step))}</title>
<updated>${formatTime(time)}</updated>
${link('alternate', 'text/html', findPage(step))}
<content type="html">${escapeXml(renderHtml(step, baseUrl))}</content>
</entry>
`;
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<id>${escapeXml(`${baseUrl}/${FEED_FILE}`)}</id>
<title>gamedata: what changed</title>
<author><name>gamedata</name></author>
<updated>${formatTime(updated)}</updated>
${link('self', 'application/atom+xml', FEED_FILE)}
${link('alternate', 'text/html', '')}
${link('via', 'application/json', CHANGES_FILE)}
${entries.slice(0, MAX_ENTRIES).map(encodeEntry).join('')}</feed>
`;
}

/** Spaces steps from the same day one second apart, because feed readers sort by time. */
function addTimes(steps: readonly Comparison[]) {
  let last = Number.NEGATIVE_INFINITY;
  const oldestFirst = steps.toReversed().map((step) => {
    last = Math.max(parseDay(step.to.captured), last + 1000);
    return { step, time: last };
  });
  return oldestFirst.reverse();
}

/** Returns the record's page if exactly one record was added or changed, and the front page otherwise. */
function findPage({ changes }: Comparison): string {
  const pages = kindNames.flatMap((kind) => {
    const { added, renamed, changed } = changes[kind];
    const slugs = [...added, ...changed, ...renamed.map(({ to }) => ({ slug: to }))];
    return slugs.map(({ slug }) => recordPath(kind, slug).slice(1));
  });
  return pages.length === 1 ? pages.join() : '';
}

function renderHtml(step: Comparison, baseUrl: string): string {
  const groups = describeGroups(step, { max: MAX_NAMED_RECORDS }, (text, path) => {
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

/** Derives a UUID from the digests of both data sets: https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-8 */
function createId({ from, to }: Comparison): string {
  const [a, b] = [from, to].map(({ digest }) => digest.slice('sha256:'.length)) as [string, string];
  return `urn:uuid:${a.slice(0, 8)}-${a.slice(8, 12)}-8${a.slice(12, 15)}-8${b.slice(0, 3)}-${b.slice(3, 15)}`;
}

/** Keeps the newest of equal steps, which occur if a change was reverted and applied again. */
function removeRepeated(steps: readonly Comparison[]): Comparison[] {
  const newest = new Map(steps.toReversed().map((step) => [createId(step), step]));
  return steps.filter((step) => newest.get(createId(step)) === step);
}

const parseDay = (day: string | null): number => Date.parse(`${day ?? '1970-01-01'}T00:00:00Z`);
const formatTime = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

/** Replaces the characters that XML cannot represent. */
const escapeXml = (text: string): string =>
  text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
