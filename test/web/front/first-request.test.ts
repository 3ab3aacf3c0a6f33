import { expect, it } from 'vitest';
import { getLinkBase } from '../../../src/contract/meta.ts';
import { renderFirstRequest } from '../../../src/web/front/first-request.ts';
import { rawRecords, type SiteOptions, siteOf } from '../../support/sites.ts';

/** Returns the text of each `code` element. */
function readCode(raw = rawRecords(2, 1), options: SiteOptions = {}): string[] {
  const { plan } = siteOf(raw, options);
  const { text } = renderFirstRequest(getLinkBase(plan.meta), plan.records);
  const codes: string[] = [];
  for (const [, code = ''] of text.matchAll(/<code[^>]*>(.*?)<\/code>/gs)) {
    const plain = code.replaceAll(/<[^>]+>/g, '');
    codes.push(plain.replaceAll('&quot;', '"').replaceAll('&#39;', "'"));
  }
  return codes;
}

const URL = 'https://example.test/api/gamedata/move/move-1/?format=api';

it('shows a request for the first record in three programming languages', () => {
  const [curl, javascript, python] = readCode();
  expect(curl).toBe(`curl "${URL}"`);
  expect(javascript).toContain(`await fetch('${URL}')`);
  expect(python).toContain(`urlopen("${URL}")`);
});

it("shows the server's exact response", () => {
  const answer = readCode().at(-1);
  expect(answer).toBe(
    `{"url":"${URL}","id":1,"slug":"move-1","name":"Move 1","generation":1}`,
  );
});

it('shows a request for a file if links point to files', () => {
  const [curl] = readCode(rawRecords(2, 1), { links: 'file' });
  expect(curl).toContain('/move/move-1/index.json?format=api');
});

it('shows a record of the next kind if the first kind has no records', () => {
  const [curl, javascript] = readCode(rawRecords(0, 1));
  expect(curl).toContain('/item/item-1/');
  expect(javascript).toContain('const item = ');
});

it('shows a message if the site has no records', () => {
  const { plan } = siteOf(rawRecords(0, 0));
  const { text } = renderFirstRequest(getLinkBase(plan.meta), plan.records);
  expect(text).toBe('<p>There are no records.</p>');
});
