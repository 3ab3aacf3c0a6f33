import { expect, it } from 'vitest';
import {
  groupByGeneration,
  renderStripes,
} from '../../../src/web/front/generations.ts';
import { rawItem, rawMove, siteOf } from '../../support/sites.ts';

const { plan } = siteOf({
  move: [rawMove(1), rawMove(2, { generation: 3 })],
  item: [
    rawItem(1, { gameIndices: [{ generation: 3, index: 1 }] }),
    rawItem(2, { gameIndices: [] }),
  ],
});
const groups = groupByGeneration(plan.records);

it('groups moves by generation and items by their first index number', () => {
  const summary = groups.map(({ generation, counts }) => [
    generation,
    counts.move,
    counts.item,
  ]);
  expect(summary).toEqual([
    [1, 1, 0],
    [3, 1, 1],
    [null, 0, 1],
  ]);
});

it("links a stripe's label to a list of its generation's records", () => {
  const site = { base_url: '', links: 'query', sprites: plan.meta.sprites } as const;
  const [first, , last] = renderStripes(groups, site).map(({ text }) => text);
  expect(first).toContain('href="api/gamedata/move/#generation=1"');
  expect(first).toContain(
    '<b>gen 1</b> <span class="count" title="1 move and 0 items">1</span>',
  );
  expect(last).toContain('href="api/gamedata/item/#generation=none"');
});
