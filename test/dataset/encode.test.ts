import { expect, it } from 'vitest';
import { encodeRecord, listPage, servedTexts } from '../../src/dataset/encode.ts';
import { everyKind } from '../support/kinds.ts';

const base = { baseUrl: 'https://example.org', links: 'query' } as const;
const list = 'https://example.org/api/gamedata/move/?format=api&limit=100&offset=';

it('a record and its list page are the text that the contract shows', () => {
  const move = encodeRecord({ id: 1, slug: 'pound' });
  expect(
    servedTexts(
      base,
      everyKind({ move: [move] }, () => []),
    ),
  ).toMatchObject({
    move: ['{"url":"https://example.org/api/gamedata/move/pound/?format=api","id":1,"slug":"pound"}'],
    item: [],
  });
  const page = (offset: number) =>
    listPage(base, 'move', { window: { limit: 100, offset }, count: 201, results: ['{"a":1}', '{}'] });
  expect(page(0)).toBe(`{"count":201,"next":"${list}100","previous":null,"results":[{"a":1},{}]}`);
  expect(page(200)).toBe(`{"count":201,"next":null,"previous":"${list}100","results":[{"a":1},{}]}`);
});
