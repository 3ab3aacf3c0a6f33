import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameSchema } from '../../src/contract/records.ts';
import { compare } from '../../src/dataset/compare.ts';
import { emptyHistory, extendHistory } from '../../src/dataset/history.ts';
import { encodeFeed } from '../../src/site/change-files.ts';
import { feedProblems } from '../support/atom.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { rawMove } from '../support/sites.ts';

const options = { base_url: 'https://example.test/a&b', captured: '2026-03-04' };
const first = versionOf([rawMove(1)]);
const second = versionOf([rawMove(1, { englishName: 'Fish & <Chips>' }), rawMove(2)], [], '2026-02-03');
const third = versionOf([rawMove(2, { slug: 'new' })], [], '2026-03-04');
const step = compare(first, second);
const history = extendHistory(extendHistory(emptyHistory, step), compare(second, third));
const feed = encodeFeed(history, options);

const idsOf = (xml: string): (string | undefined)[] =>
  [...xml.matchAll(/<id>(urn:.*?)<\/id>/g)].map(([, id]) => id);

describe('the feed', () => {
  it('has a dated entry for each step, the newest first', async () => {
    expect(await feedProblems(feed)).toEqual([]);
    expect([...feed.matchAll(/<(title|updated)>(.*?)<\//g)].map(([, , text]) => text)).toEqual([
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
  });

  it('links to each record that still exists', () => {
    const steps = [...feed.matchAll(/<content type="html">(.*?)<\/content>/g)].map(([, text = '']) =>
      Array.from(text.matchAll(/&#60;a href=&#34;(.*?)&#34;/g), ([, to = '']) =>
        to.split('/api/gamedata').at(-1),
      ),
    );
    // Renamed, while another was removed; and before that, added and changed.
    expect(steps).toEqual([['/move/new/'], ['/move/move-2/', '/move/move-1/']]);
    expect(feed).toContain('&#60;a href=&#34;https://example.test/a&#38;#38;b/api/gamedata/move/new/&#34;');
  });

  it('gives steps of one day ascending times and a link each', async () => {
    const renamed = versionOf([rawMove(1, { slug: 'first' }), rawMove(2)], [], '2026-02-03');
    const named = versionOf(
      [rawMove(1, { slug: 'first', englishName: 'First' }), rawMove(2)],
      [],
      '2026-02-01',
    );
    const steps = [step, compare(second, renamed), compare(renamed, named)];
    const xml = encodeFeed(steps.reduce(extendHistory, emptyHistory), { ...options, captured: '2026-02-01' });
    expect(await feedProblems(xml)).toEqual([]);
    expect([...xml.matchAll(/<updated>(.*?)</g)].map(([, time]) => time)).toEqual([
      '2026-02-03T00:00:02Z',
      '2026-02-03T00:00:02Z',
      '2026-02-03T00:00:01Z',
      '2026-02-03T00:00:00Z',
    ]);
    const entries = xml.slice(xml.indexOf('<entry>'));
    const base = 'https://example.test/a&#38;b';
    expect(
      [...entries.matchAll(/<link rel="alternate" type="text\/html" href="(.*?)"/g)].map(([, to]) => to),
    ).toEqual([`${base}/api/gamedata/move/first/`, `${base}/api/gamedata/move/first/`, `${base}/`]);
  });

  it('is valid without steps and does not depend on the base URL', async () => {
    expect(await feedProblems(encodeFeed(emptyHistory, options))).toEqual([]);
    const ids = idsOf(encodeFeed(history, { ...options, base_url: 'http://127.0.0.1:8000' }));
    expect(ids).toEqual(idsOf(feed));
    expect(ids).toHaveLength(2);
    expect(ids[1]).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('lists a repeated step once, where it occurred last', async () => {
    const back = compare(second, { ...first, captured: '2026-02-04' });
    const again = compare(first, { ...second, captured: '2026-02-05' });
    const zigzag = [step, back, again].reduce(extendHistory, emptyHistory);
    const xml = encodeFeed(zigzag, options);
    expect(zigzag.steps).toHaveLength(3);
    expect(await feedProblems(xml)).toEqual([]);
    expect([...xml.matchAll(/<updated>(.*?)T/g)].map(([, day]) => day)).toEqual([
      '2026-03-04',
      '2026-02-05',
      '2026-02-04',
    ]);
  });

  it('stays small with many changes', () => {
    const many = versionOf(Array.from({ length: 2000 }, (_, at) => rawMove(at + 1)));
    const xml = encodeFeed({ steps: [compare(versionOf([]), many)] }, options);
    expect(xml).toContain('… and 1975 more');
    expect(xml.length).toBeLessThan(9000);
  });

  it('is valid for any names', async () => {
    const names = fc
      .string({ unit: 'binary', minLength: 1 })
      .filter((name) => nameSchema.safeParse(name).success);
    const hostile = [']]>', '<!--', '</entry>', '&amp;', '\uFFFE\uFFFF', '"\'', ...fc.sample(names, 304)];
    // As many as the feed names: an entry for each handful.
    const editions = Array.from({ length: 31 }, (_, at) =>
      versionOf(
        hostile.slice(at * 10, at * 10 + 10).map((englishName, id) => rawMove(id + 1, { englishName })),
      ),
    );
    const steps = editions.slice(1).map((to, at) => compare(editions[at] ?? to, to));
    const xml = encodeFeed({ steps }, options);
    expect(await feedProblems(xml)).toEqual([]);
    expect(xml.match(/<entry>/g)).toHaveLength(30);
  });

  it.each([
    ['no id', /<id>.*?<\/id>/, ''],
    ['an entry with neither content nor a link', /<link[^>]*>\n<content.*?<\/content>/, ''],
    ['text that is not escaped', '&#60;', '<'],
    ['an id twice', /<entry>[\s\S]*?<\/entry>/, '$&$&'],
  ])('is invalid with %s', async (_, from, to) => {
    expect(feed.replace(from, to)).not.toBe(feed);
    expect(await feedProblems(feed.replace(from, to))).not.toEqual([]);
  });
});
