import type { Page } from 'playwright-core';

export interface PageState {
  readonly name: string;
  readonly path: string;
  /** Brings the page into the state after it is loaded. */
  readonly act?: (page: Page) => Promise<unknown>;
}

export const pageStates: readonly PageState[] = [
  { name: 'front', path: '/' },
  {
    name: 'search',
    path: '/',
    async act(page) {
      await page.locator('#names-language').selectOption('fr');
      await page.locator('#query').fill('ball');
      await page.locator('#results [lang]').first().waitFor();
    },
  },
  { name: 'kinds', path: '/api/gamedata/' },
  { name: 'list', path: '/api/gamedata/item/?format=api&limit=10&offset=100' },
  { name: 'moves', path: '/api/gamedata/move/?format=api&limit=10' },
  {
    name: 'list-search',
    path: '/api/gamedata/item/',
    async act(page) {
      await page.locator('#query').fill('ball');
      await page.locator('#results a').first().focus();
    },
  },
  {
    name: 'record',
    path: '/api/gamedata/item/master-ball/?format=api',
    async act(page) {
      await page.getByText('Names in every language').click();
      await page.locator('details table').waitFor();
      await page.getByRole('button', { name: 'Copy as curl' }).click();
    },
  },
  { name: 'not-found', path: '/api/gamedata/item/mastre-ball/' },
  { name: 'no-such-page', path: '/no-such-page' },
  {
    name: 'no-response',
    path: '/api/gamedata/item/master-ball/',
    async act(page) {
      await page.route('**/api/gamedata/**', (route) => route.abort('internetdisconnected'));
      await page.locator('#breadcrumb a').nth(1).click();
      await page.locator('h1', { hasText: 'No response' }).waitFor();
      await page.unroute('**/api/gamedata/**');
    },
  },
  { name: 'docs', path: '/docs/' },
];
