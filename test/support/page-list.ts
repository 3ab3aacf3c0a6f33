/** Every page in every state that can be told from others by looking. */

import type { Page } from 'playwright-core';

export interface PageState {
  readonly name: string;
  readonly path: string;
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
  {
    name: 'search-offer',
    path: '/?q=モンスターボール',
    act: (page) => page.locator('#found button').first().waitFor(),
  },
  {
    name: 'search-focused',
    path: '/api/gamedata/item/?format=api&limit=10',
    async act(page) {
      await page.locator('#shortcut-field summary').click();
      await page.locator('#query').focus();
    },
  },
  {
    name: 'search-names',
    path: '/',
    async act(page) {
      await page.locator('#names-language').selectOption('fr');
      await page.locator('#query').fill('écras');
      await page.locator('#results [lang]').first().waitFor();
    },
  },
  { name: 'kinds', path: '/api/gamedata/' },
  {
    name: 'list-json',
    path: '/api/gamedata/item/?format=api&limit=10&offset=100',
    act: (page) => page.getByRole('button', { name: 'JSON' }).click(),
  },
  {
    name: 'filtered',
    path: '/api/gamedata/item/',
    async act(page) {
      await page.locator('#query').fill('ball');
      await page.locator('#results a').first().waitFor();
    },
  },
  { name: 'list', path: '/api/gamedata/item/?format=api&limit=10&offset=100' },
  { name: 'moves', path: '/api/gamedata/move/?format=api&limit=10' },
  { name: 'record', path: '/api/gamedata/item/master-ball/?format=api' },
  {
    name: 'record-names',
    path: '/api/gamedata/move/pound/?format=api',
    async act(page) {
      await page.getByText('Names in every language').click();
      await page.locator('details table').waitFor();
    },
  },
  {
    name: 'curl',
    path: '/api/gamedata/item/master-ball/?format=api',
    act: (page) => page.getByRole('button', { name: 'Copy as curl' }).click(),
  },
  { name: 'not-found', path: '/api/gamedata/item/mastre-ball/' },
  { name: 'no-such-kind', path: '/api/gamedata/no-such-kind/' },
  { name: 'no-such-page', path: '/no-such-page' },
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
  { name: 'docs', path: '/docs/' },
  {
    name: 'docs-open',
    path: '/docs/',
    async act(page) {
      for (const closed of await page.locator('details:not([open]) > summary').all()) await closed.click();
      await page.getByLabel('TypeScript').first().check();
      for (const limit of await page.getByLabel('limit', { exact: true }).all()) await limit.fill('2');
      // Those of records: a file of names is as high as all else together.
      const endpoints = page.getByRole('region', { name: 'Endpoints' });
      for (const send of await endpoints.getByRole('button', { name: 'Send request' }).all())
        await send.click();
      await page.locator('.answer').nth(4).waitFor();
    },
  },
];
