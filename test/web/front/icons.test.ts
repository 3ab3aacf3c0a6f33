import { expect, it } from 'vitest';
import { PLACEHOLDER_ICON } from '../../../src/contract/paths.ts';
import type { IconSource } from '../../../src/contract/responses.ts';
import { renderIcons } from '../../../src/web/front/icons.ts';
import { rawRecords, siteOf } from '../../support/sites.ts';

const { plan } = siteOf(rawRecords(1, 12));
const getIcon = (id: number): string => `sprites/items/item-${id}.png`;
const sizes = new Map<string, number>();
for (let id = 1; id <= 12; id++) sizes.set(getIcon(id), 300);

function renderWith(
  mode: IconSource['mode'],
  stored: ReadonlyMap<string, number>,
): string[] {
  const meta = { links: 'query', sprites: { mode, upstream: null } } as const;
  return renderIcons(plan.records, meta, stored).map(({ text }) => text);
}

it('shows the first ten icons that the site contains', () => {
  const links = renderWith('mirror', sizes);
  expect(links).toHaveLength(10);
  expect(links[0]).toContain(`<img src="${getIcon(1)}" alt="Item 1"`);
  expect(links[0]).toContain('href="api/gamedata/item/item-1/"');
});

it('omits an icon that the site does not contain', () => {
  const stored = new Map(sizes);
  stored.delete(getIcon(1));
  expect(renderWith('mirror', stored)[0]).toContain('alt="Item 2"');
});

it('omits an icon that is a copy of the placeholder', () => {
  const stored = new Map([...sizes, [PLACEHOLDER_ICON, 200], [getIcon(1), 200]]);
  expect(renderWith('mirror', stored)[0]).toContain('alt="Item 2"');
});

it.each(['link', 'none'] as const)(
  'shows no icons if the icon mode is %s',
  (mode) => {
    expect(renderWith(mode, sizes)).toEqual([]);
  },
);
