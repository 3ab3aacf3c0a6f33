import { expect, it } from 'vitest';
import { getLinkBase } from '../../../src/contract/meta.ts';
import { chooseExamples, renderExample } from '../../../src/web/front/examples.ts';
import {
  rawItem,
  rawMove,
  rawRecords,
  type SiteOptions,
  siteOf,
} from '../../support/sites.ts';

/** Returns the text of each `code` element in the example. */
function readCode(raw = rawRecords(2, 1), options: SiteOptions = {}): string[] {
  const { plan } = siteOf(raw, options);
  const examples = chooseExamples(plan.records);
  const { text } = renderExample(examples, plan.records, getLinkBase(plan.meta));
  const codes: string[] = [];
  for (const [, code = ''] of text.matchAll(/<code[^>]*>(.*?)<\/code>/gs)) {
    const plain = code.replaceAll(/<[^>]+>/g, '');
    codes.push(plain.replaceAll('&quot;', '"').replaceAll('&#39;', "'"));
  }
  return codes;
}

const URL = 'https://example.test/api/gamedata/move/move-1/';

it('chooses well-known records first', () => {
  const { plan } = siteOf({
    move: [rawMove(1), rawMove(2, { slug: 'surf' })],
    item: [rawItem(1), rawItem(2), rawItem(3, { slug: 'potion' })],
  });
  const slugs = chooseExamples(plan.records).map(({ slug }) => slug);
  expect(slugs).toEqual(['potion', 'surf', 'move-1', 'item-1']);
});

it('shows the path, the JSON, and code samples in three programming languages', () => {
  const [path, json = '', curl, javascript, python] = readCode();
  expect(path).toBe('/api/gamedata/move/move-1/');
  expect(JSON.parse(json)).toMatchObject({ url: `${URL}?format=api`, id: 1 });
  expect(curl).toBe(`curl ${URL}`);
  expect(javascript).toContain(`await fetch('${URL}')`);
  expect(python).toContain(`urlopen("${URL}")`);
});

it('shows a request for a file if links point to files', () => {
  const [path] = readCode(rawRecords(2, 1), { links: 'file' });
  expect(path).toBe('/api/gamedata/move/move-1/index.json');
});

it('shows a record of the next kind if the first kind has no records', () => {
  const [path] = readCode(rawRecords(0, 1));
  expect(path).toContain('/item/item-1/');
});

it('shows a message if the site has no records', () => {
  const { plan } = siteOf(rawRecords(0, 0));
  const { text } = renderExample([], plan.records, getLinkBase(plan.meta));
  expect(text).toContain('There are no records.');
});
