/** Every page in every state that can be told from others by looking. */

import type { Page } from 'playwright-core';

export interface PageState {
  readonly name: string;
  readonly path: string;
  /** The file without which there is no such page. */
  readonly needs?: string;
  /** Whether a library makes what is on it: then it keeps the rules of WCAG, but not every one of good practice. */
  readonly isForeign?: boolean;
  /** What makes the state, once the page is there. */
  readonly act?: (page: Page) => Promise<unknown>;
}

export const pageStates: readonly PageState[] = [
  { name: 'front', path: '/' },
  {
    name: 'search',
    path: '/?q=ball',
    act: (page) => page.locator('#results a').first().focus(),
  },
  { name: 'kinds', path: '/api/gamedata/' },
  { name: 'list', path: '/api/gamedata/item/?format=api&limit=10&offset=100' },
  { name: 'moves', path: '/api/gamedata/move/?format=api&limit=10' },
  { name: 'record', path: '/api/gamedata/item/master-ball/?format=api' },
  {
    name: 'raw',
    path: '/api/gamedata/item/master-ball/?format=api',
    async act(page) {
      await page.getByRole('button', { name: 'Minified' }).click();
      await page.getByRole('button', { name: 'Copy as curl' }).click();
    },
  },
  { name: 'not-found', path: '/browse.html#/api/gamedata/item/no-such-thing/' },
  {
    name: 'no-answer',
    path: '/api/gamedata/item/master-ball/',
    async act(page) {
      await page.route('**/api/gamedata/**', (route) => route.abort('internetdisconnected'));
      await page.locator('#breadcrumb a').nth(1).click();
      await page.locator('h1', { hasText: 'No response' }).waitFor();
      await page.unroute('**/api/gamedata/**');
    },
  },
  { name: 'reference', path: '/reference.html', needs: 'reference.html', isForeign: true },
];
