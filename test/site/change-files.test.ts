import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import type { Comparison, History } from '../../src/contract/changes.ts';
import { nameSchema } from '../../src/contract/records.ts';
import { compare } from '../../src/data/compare.ts';
import { emptyHistory, extendHistory } from '../../src/data/history.ts';
import { encodeFeed } from '../../src/site/change-files.ts';
import { rawMove } from '../support/sites.ts';
import { versionOf } from '../support/stored-data.ts';

const options = { base_url: 'https://example.test/a&b', captured: '2026-03-04' };
const first = versionOf([rawMove(1)]);
const second = versionOf(
  [rawMove(1, { englishName: 'Fish & <Chips>' }), rawMove(2)],
  [],
  '2026-02-03',
);
const third = versionOf([rawMove(2, { slug: 'new' })], [], '2026-03-04');
const step = compare(first, second);
const history = createHistory(step, compare(second, third));

/**
 * Creates a history from consecutive steps, which are listed from oldest to newest.
 */
function createHistory(...steps: readonly Comparison[]): History {
  let created = emptyHistory;
  for (const next of steps) created = extendHistory(created, next);
  return created;
}

/** Returns the text of the last group of each match. */
function findAll(xml: string, pattern: RegExp): (string | undefined)[] {
  const matches = [...xml.matchAll(pattern)];
  return matches.map((match) => match.at(-1));
}

const RULES = readFileSync(new URL('../support/atom.rng', import.meta.url), 'utf8');

/** Encodes a feed and validates it with libxml2 against the rules of RFC 4287. */
async function encodeValid(...args: Parameters<typeof encodeFeed>): Promise<string> {
  const xml = encodeFeed(...args);
  const { errors } = await validateXML({
    xml: { fileName: 'changes.atom', contents: xml },
    schema: { fileName: 'atom.rng', contents: RULES },
    extension: 'relaxng',
  });
  expect(errors.map(({ rawMessage }) => rawMessage)).toEqual([]);
  const ids = findAll(xml, /<id>(.*?)<\/id>/g);
  expect(ids).toEqual([...new Set(ids)]);
  return xml;
}

describe('encodeFeed', () => {
  it('lists a dated feed entry with links for each step, newest first', async () => {
    const feed = await encodeValid(history, options);
    expect(findAll(feed, /<(title|updated)>(.*?)<\//g)).toEqual([
      'gamedata: what changed',
      '2026-03-04T00:00:00Z',
      '1 move removed, 1 renamed',
      '2026-03-04T00:00:00Z',
      '1 move added, 1 changed: its name',
      '2026-02-03T00:00:00Z',
    ]);
    expect(feed).toContain('href="https://example.test/a&#38;b/changes.json"');
    expect(feed).toContain(
      '&#60;code&#62;&#38;#34;Fish &#38;#38; &#38;#60;Chips&#38;#62;&#38;#34;&#60;/code&#62;',
    );
    const links = findAll(feed, /&#60;a href=&#34;(.*?)&#34;/g);
    const base = 'https://example.test/a&#38;#38;b/api/gamedata';
    expect(links).toEqual([
      `${base}/move/new/`,
      `${base}/move/move-2/`,
      `${base}/move/move-1/`,
    ]);
  });

  it('gives a feed entry the same id on every site', () => {
    const feed = encodeFeed(history, options);
    const otherFeed = encodeFeed(history, {
      ...options,
      base_url: 'http://127.0.0.1:8000',
    });
    const ids = findAll(feed, /<id>(urn:.*?)</g);
    expect(ids).toHaveLength(2);
    expect(findAll(otherFeed, /<id>(urn:.*?)</g)).toEqual(ids);
  });

  it('gives two steps from the same day different times and separate links', () => {
    const move = rawMove(1, { slug: 'first' });
    const renamed = versionOf([move, rawMove(2)], [], '2026-02-03');
    const named = versionOf(
      [{ ...move, englishName: 'First' }, rawMove(2)],
      [],
      '2026-02-01',
    );
    const sameDay = createHistory(
      step,
      compare(second, renamed),
      compare(renamed, named),
    );
    const xml = encodeFeed(sameDay, { ...options, captured: '2026-02-01' });
    const times = findAll(xml, /<updated>2026-02-03T00:00:(.*?)Z</g);
    expect(times).toEqual(['02', '02', '01', '00']);
    const entries = xml.slice(xml.indexOf('<entry>'));
    const pages = findAll(
      entries,
      /<link rel="alternate" type="text\/html" href=".*a&#38;b\/(.*?)"/g,
    );
    expect(pages).toEqual([
      'api/gamedata/move/first/',
      'api/gamedata/move/first/',
      '',
    ]);
  });

  it('encodes a valid feed even if the history has no steps', async () => {
    await encodeValid(emptyHistory, options);
  });

  it('lists a repeated step only once, with its later date', () => {
    const back = compare(second, { ...first, captured: '2026-02-04' });
    const again = compare(first, { ...second, captured: '2026-02-05' });
    const zigzag = createHistory(step, back, again);
    expect(zigzag.steps).toHaveLength(3);
    const xml = encodeFeed(zigzag, options);
    expect(findAll(xml, /<updated>(.*?)T/g)).toEqual([
      '2026-03-04',
      '2026-02-05',
      '2026-02-04',
    ]);
  });

  it('shortens the description of a feed entry if its step has many changes', () => {
    const many = versionOf(Array.from({ length: 2000 }, (_, at) => rawMove(at + 1)));
    const xml = encodeFeed({ steps: [compare(versionOf([]), many)] }, options);
    expect(xml).toContain('… and 1975 more');
    expect(xml.length).toBeLessThan(9000);
  });

  it('encodes valid XML with at most 30 entries, whatever the names contain', async () => {
    const validName = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((name) => nameSchema.safeParse(name).success);
    const hostileNames = [']]>', '<!--', '</entry>', '&amp;', '\uFFFE\uFFFF', '"\''];
    hostileNames.push(...fc.sample(validName, 304));

    // Each step renames ten records at once.
    const steps: Comparison[] = [];
    let previous = versionOf([]);
    for (let start = 0; start < hostileNames.length; start += 10) {
      const names = hostileNames.slice(start, start + 10);
      const moves = names.map((englishName, at) => rawMove(at + 1, { englishName }));
      const next = versionOf(moves);
      steps.push(compare(previous, next));
      previous = next;
    }
    expect(steps).toHaveLength(31);
    const xml = await encodeValid({ steps }, options);
    expect(xml.match(/<entry>/g)).toHaveLength(30);
  });
});
