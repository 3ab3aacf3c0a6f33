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
const { files, plan } = siteOf(rawRecords(230, 1));
const page = String(files().find(({ path }) => path.endsWith('/move/offset/100/index.json'))?.body);
const first = JSON.stringify(plan.served.move[100]);

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
    expect(JSON.stringify(records[0])).toBe(first);
  });

  const api = 'https://example.test/api/gamedata/move/';
  const swapped = 'got the order of keys "next, count, previous, results", expected "count, next, previous';
  it.each<[what: string, from: string | RegExp, to: string, problem: string]>([
    ['cut off text', /.$/, '', ', expected JSON'],
    ['spaces', ',"next"', ', "next"', 'is not compact JSON'],
    ['a final line break', /$/, '\n', 'is not compact JSON'],
    ['escapes', '"Move 101"', '"Mo\\u0076e 101"', 'is not compact JSON'],
    ['another count', '"count":230', '"count":231', 'got count 231, expected 230'],
    ['another next', '=200', '=300', `got next "${api}?format=api&limit=100&offset=300", expected `],
    ['no next', /"next":"[^"]*"/, '"next":null', 'got next null, expected '],
    ['no previous', /"previous":"[^"]*"/, '"previous":null', 'got previous null, '],
    ['keys in another order', /("count":\d+),("next":"[^"]*")/, '$2,$1', swapped],
    ['a key too many', '{"count"', '{"total":1,"count"', 'value: Unrecognized key'],
    ['a key too few', /"previous":"[^"]*",/, '', 'previous: Invalid input'],
    ['a record too few', /,\{"url":"[^"]*move-200[^}]*\}/, '', 'got the number of results 99, expected 100'],
    [
      'a record’s keys in another order',
      '"id":101,"slug":"move-101"',
      '"slug":"move-101","id":101',
      'results[0]: got the order of keys "url, slug, id, name',
    ],
    ['a retyped field', '"id":101', '"id":"101"', 'results[0]: id: Invalid input'],
    ['another url', '/move-101/?', '/x/?', `got results[0].url "${api}x/?format=api", expected `],
    [
      'ids that do not rise',
      '"id":150,',
      '"id":149,',
      'results[49]: got id 149 after 149, expected ascending',
    ],
    [
      'an id of the last page',
      '"id":101,',
      '"id":100,',
      'results[0]: got id 100 after 100, expected ascending',
    ],
    ['a list', /^.*$/, '[]', 'value: Invalid input'],
    ['another version’s key', first, first.replace('}', ',"x":1}'), 'results[0]: value: Unrecognized key'],
  ])('says what is wrong with %s', (_, from, to, problem) => {
    const damaged = page.replace(from, to);
    expect(damaged).not.toBe(page);
    const { problems, records } = check(damaged);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    for (const record of records) expect(record.slug).toMatch(/^move-/);
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
