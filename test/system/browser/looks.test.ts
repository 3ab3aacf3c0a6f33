import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, SHIFTS, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/page-site.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const tags = [
  'wcag2a',
  'wcag2aa',
  'wcag21a',
  'wcag21aa',
  'wcag22aa',
  'best-practice',
];

/** The window widths in pixels. */
const WIDTHS = [320, 390, 768, 1280];
/** The width at which axe-core checks each color scheme. */
const AXE_WIDTHS = { light: 1280, dark: 320 };

interface PageState {
  readonly name: string;
  readonly path: string;
  /** Puts the loaded page into this state. */
  act?(page: Page): Promise<unknown>;
}

const pageStates: readonly PageState[] = [
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
      await page.getByText('Response headers').click();
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

/** Returns the rule and the HTML of each element that breaks a rule of axe-core. */
async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(tags)} })`;
  const results = await page.evaluate<AxeResults>(run);
  const found: string[] = [];
  for (const { id, nodes } of results.violations) {
    for (const { html } of nodes) found.push(`${id}: ${html}`);
  }
  return found;
}

/**
 * Returns words that continue on the next line. A range around a word has one
 * rectangle on each line, so a broken word has rectangles at different heights.
 */
function findBrokenWords(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const broken = [];

    function checkWord(node, start, word) {
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, start + word.length);
      const heights = new Set();
      for (const rectangle of range.getClientRects()) heights.add(rectangle.top);
      if (heights.size > 1) broken.push(word);
    }

    for (const cell of document.querySelectorAll('td, th, .lead, code, pre')) {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const node = texts.currentNode;
        for (const match of node.data.matchAll(/UTF-8|If-None-Match|\\w+/g)) {
          checkWord(node, match.index, match[0]);
        }
      }
    }
    return broken;
  })()`);
}

/**
 * Returns links and controls whose left or right end is covered by another element.
 * Search results are excluded because they scroll, and the wall because it raises copies.
 */
function findCoveredControls(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const covered = [];
    const controls = 'main :is(a, button, select):not(.results *, .wall *)';
    for (const control of document.querySelectorAll(controls)) {
      for (const { left, right, top, bottom } of control.getClientRects()) {
        const y = (top + bottom) / 2;
        const isVisible = top >= 0 && bottom <= innerHeight && right - left > 8;
        if (!isVisible) continue;
        for (const x of [left + 3, right - 3]) {
          const hit = document.elementFromPoint(x, y);
          const isItself = control.contains(hit) || hit?.contains(control);
          if (!isItself) covered.push(control.outerHTML);
        }
      }
    }
    return covered;
  })()`);
}

/**
 * Returns lists that Safari's screen reader does not announce. It announces a list
 * without markers only if the list has the role `list`.
 */
function findSilentLists(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const silent = [];
    for (const list of document.querySelectorAll('ul, ol')) {
      const hasMarkers = getComputedStyle(list).listStyleType !== 'none';
      const hasRole = list.getAttribute('role') === 'list';
      if (!hasMarkers && !hasRole) silent.push(list.outerHTML);
    }
    return silent;
  })()`);
}

describe.skipIf(noBrowser !== '')(`every page${noBrowser}`, () => {
  const site = usePageSite({ archive: true });
  const visit = useBrowser();

  async function expectFit(page: Page, width: number): Promise<void> {
    await page.setViewportSize({ width, height: 800 });
    const contentWidth = await page.evaluate('document.documentElement.scrollWidth');
    expect(contentWidth).toBe(width);
    expect(await findBrokenWords(page), `at ${width}`).toEqual([]);
    expect(await findCoveredControls(page), `at ${width}`).toEqual([]);
  }

  describe.for(pageStates)('in the state $name', (state) => {
    it('loads without layout shifts, errors or requests to other hosts', async () => {
      const { page, problems, foreign } = await visit(site.url + state.path, {
        colorScheme: 'light',
      });
      await page.waitForLoadState('networkidle');
      expect(await page.evaluate(SHIFTS)).toBe(0);
      const unexpected = problems.filter(
        (problem) => !problem.includes('status of 404'),
      );
      expect([...unexpected, ...foreign]).toEqual([]);
    });

    it('fits windows of every size and passes the axe-core checks', async () => {
      const { page } = await visit(site.url + state.path, {
        colorScheme: 'light',
      });
      await page.waitForLoadState('networkidle');
      await state.act?.(page);
      expect(await findSilentLists(page)).toEqual([]);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of WIDTHS) {
          await expectFit(page, width);
          if (width === AXE_WIDTHS[colorScheme]) {
            expect(await findViolations(page)).toEqual([]);
          }
        }
      }
    });
  });
});
