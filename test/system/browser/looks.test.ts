import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, SHIFTS, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const tags = [
  'wcag2a',
  'wcag2aa',
  'wcag21a',
  'wcag21aa',
  'wcag22aa',
  'best-practice',
];

/** In pixels. axe-core checks each color scheme once, at opposite widths. */
const WIDTHS = [320, 390, 768, 1280];
const CHECKED = { light: 1280, dark: 320 };

/** `act` puts a loaded page into this state. */
const pageStates: readonly {
  name: string;
  path: string;
  act?: (page: Page) => Promise<unknown>;
}[] = [
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
      await page.route('**/api/gamedata/**', (route) =>
        route.abort('internetdisconnected'),
      );
      await page.locator('#breadcrumb a').nth(1).click();
      await page.locator('h1', { hasText: 'No response' }).waitFor();
      await page.unroute('**/api/gamedata/**');
    },
  },
  { name: 'docs', path: '/docs/' },
];

async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(tags)} })`;
  const { violations }: AxeResults = await page.evaluate(run);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html}`),
  );
}

/** Returns words that continue on the next line. */
const findBrokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('td, th, .lead, code, pre')].flatMap((cell) => {
    const broken = [];
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      for (const { 0: word, index } of node.data.matchAll(/UTF-8|If-None-Match|\\w+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set(Array.from(range.getClientRects(), ({ top }) => top)).size > 1) broken.push(word);
      }
    }
    return broken;
  })`);

/**
 * Safari's screen reader announces a list without markers only if it has the role.
 */
const findSilentLists = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('ul, ol')]
    .filter((list) => getComputedStyle(list).listStyleType === 'none')
    .filter((list) => list.getAttribute('role') !== 'list')
    .map(({ outerHTML }) => outerHTML)`);

describe.skipIf(noBrowser !== '')(`every page${noBrowser}`, () => {
  const site = usePageSite({ archive: true });
  const visit = useBrowser();

  it.for(pageStates)(
    'fits every window and passes axe-core: $name',
    async (state) => {
      const { page, problems, foreign } = await visit(site.url + state.path, {
        colorScheme: 'light',
      });
      await page.waitForLoadState('networkidle');
      expect(await page.evaluate(SHIFTS)).toBe(0);
      const unexpected = problems.filter(
        (problem) => !problem.includes('status of 404'),
      );
      expect([...unexpected, ...foreign]).toEqual([]);
      await state.act?.(page);
      expect(await findSilentLists(page)).toEqual([]);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(
            width,
          );
          expect(await findBrokenWords(page), `at ${width}`).toEqual([]);
          if (width === CHECKED[colorScheme]) {
            expect(await findViolations(page)).toEqual([]);
          }
        }
      }
    },
  );
});
