import { describe, expect, it } from 'vitest';
import { checkListPage, type ExpectedPage } from '../../src/contract/served.ts';
import { rawRecords, siteOf } from '../support/sites.ts';

const expected: ExpectedPage = {
  kind: 'move',
  window: { limit: 100, offset: 100 },
  count: 230,
  linkBase: { baseUrl: 'https://example.test', links: 'query' },
  after: 100,
};
const page = String(
  [...siteOf(rawRecords(230, 1)).files()].find(({ path }) => path.endsWith('/move/offset/100/index.json'))
    ?.body,
);

function check(text: string, overrides: Partial<ExpectedPage> = {}) {
  const problems: string[] = [];
  const records = checkListPage(text, { ...expected, ...overrides }, (sentence) => problems.push(sentence));
  return { records, problems };
}

describe('checking a list page', () => {
  it('finds nothing wrong with a page that is right, and reads its records', () => {
    const { records, problems } = check(page);
    expect(problems).toEqual([]);
    expect(records).toHaveLength(100);
    expect(JSON.stringify(records[0])).toBe(
      '{"url":"https://example.test/api/gamedata/move/move-101/?format=api","id":101,"slug":"move-101","name":"Move 101","generation":1}',
    );
  });

  const first = '"id":101,"slug":"move-101","name":"Move 101","generation":1';
  it.each<[string, (text: string) => string, string[]]>([
    ['cut off text', (text) => text.slice(0, -1), [', expected JSON']],
    ['spaces', (text) => text.replace(',"next"', ', "next"'), ['is not compact JSON']],
    ['a final line break', (text) => `${text}\n`, ['is not compact JSON']],
    ['escapes', (text) => text.replace('"Move 101"', '"Mo\\u0076e 101"'), ['is not compact JSON']],
    ['another count', (text) => text.replace('"count":230', '"count":231'), ['got count 231, expected 230']],
    [
      'another next',
      (text) => text.replace('offset=200', 'offset=300'),
      ['got next "https://example.test/api/gamedata/move/?format=api&limit=100&offset=300", expected '],
    ],
    ['no next', (text) => text.replace(/"next":"[^"]*"/, '"next":null'), ['got next null, expected ']],
    ['no previous', (text) => text.replace(/"previous":"[^"]*"/, '"previous":null'), ['got previous null, ']],
    [
      'keys in another order',
      (text) => text.replace(/("count":\d+),("next":"[^"]*")/, '$2,$1'),
      ['got the order of keys "next, count, previous, results", expected "count, next, previous, results"'],
    ],
    ['a key too many', (text) => text.replace('{"count"', '{"total":1,"count"'), ['value: Unrecognized key']],
    ['a key too few', (text) => text.replace(/"previous":"[^"]*",/, ''), ['previous: Invalid input']],
    [
      'a record too few',
      (text) => text.replace(/,\{"url":"[^"]*move-200[^}]*\}/, ''),
      ['got the number of results 99, expected 100'],
    ],
    [
      'a record’s keys in another order',
      (text) => text.replace('"id":101,"slug":"move-101"', '"slug":"move-101","id":101'),
      ['results[0]: got the order of keys "url, slug, id, name, generation", expected '],
    ],
    [
      'a retyped field',
      (text) => text.replace(first, first.replace('101', '"101"')),
      ['results[0]: id: Invalid input'],
    ],
    [
      'another url',
      (text) => text.replace('/move-101/?', '/move-102/?'),
      ['got results[0].url "https://example.test/api/gamedata/move/move-102/?format=api", expected '],
    ],
    [
      'ids that do not rise',
      (text) => text.replace('"id":150,', '"id":149,'),
      ['results[49]: got id 149 after 149, expected ascending ids'],
    ],
    [
      'ids that begin before the last page’s end',
      (text) => text.replace('"id":101,', '"id":100,'),
      ['results[0]: got id 100 after 100, expected ascending ids'],
    ],
    ['a list', () => '[]', ['value: Invalid input']],
    [
      'another version’s key in a record',
      (text) => text.replace(first, `${first},"power":40`),
      ['results[0]: value: Unrecognized key'],
    ],
  ])('says what is wrong with %s', (_, damage, sentences) => {
    const damaged = damage(page);
    expect(damaged).not.toBe(page);
    const { problems, records } = check(damaged);
    expect(problems).toHaveLength(sentences.length);
    for (const record of records) expect(record.slug).toMatch(/^move-/);
    for (const [at, sentence] of sentences.entries()) expect(problems[at]).toContain(sentence);
  });

  it('expects fewer records on the last page', () => {
    const { problems } = check(page, { window: { limit: 100, offset: 200 }, after: 0 });
    expect(problems).toContain('got the number of results 100, expected 30');
    expect(problems.filter((problem) => problem.startsWith('got next'))).toHaveLength(1);
  });

  it('expects the links of the style that it is told', () => {
    const { problems } = check(page, { linkBase: { ...expected.linkBase, links: 'file' } });
    expect(problems).toHaveLength(2 + 100);
  });
});
