/**
 * How the pages look: nothing moves by itself, axe-core finds nothing, nothing is wider than the window, and a picture of each is
 * left in .artefacts/pages for people to look at.
 */

import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/version.ts';
import { noBrowser, SHIFTS, useBrowser } from '../../support/browser.ts';
import { pageStates } from '../../support/page-list.ts';
import { usePageSite } from '../../support/served-pages.ts';

const PICTURES = path.join(PACKAGE_ROOT, '.artefacts', 'pages');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * In pixels: two phones, a tablet, desktops. axe-core looks at the narrowest and the widest, for its rules for layout, and at both
 * schemes, for those for colors.
 */
const WIDTHS = [320, 390, 600, 768, 1280, 1920];
const PICTURED = [390, 1280];
const EXAMINED = { light: [1280, 1920], dark: [320] };
const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  WIDTHS.map((width) => ({ colorScheme, width, isExamined: EXAMINED[colorScheme].includes(width) })),
);

/** Rule and element of everything that axe-core finds. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(tags)} })`;
  const { violations }: AxeResults = await page.evaluate(run);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** The words of tables, choices and introductions that are broken into lines. */
const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('td, th, .option, .tabs label, .lead')].flatMap((cell) => {
    const broken = [];
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
      for (const { 0: word, index } of node.data.matchAll(/UTF-8|\\w+/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set(Array.from(range.getClientRects(), ({ top }) => top)).size > 1) broken.push(word);
      }
    return broken;
  })`);

/** The labels that the hint about keys lies on. */
const coveredLabels = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('form:has(#keys) .field:not(.wide) label')].filter((label) => {
    const [own, hint] = [label, document.querySelector('#keys')].map((element) => element.getBoundingClientRect());
    return own.left < hint.right && own.top < hint.bottom && own.bottom > hint.top;
  }).map(({ textContent }) => textContent)`);

describe.skipIf(noBrowser !== '')(`every page${noBrowser}`, () => {
  const site = usePageSite({ archive: true });
  const visit = useBrowser();

  it.for(pageStates)('is sound and fits every window: $name', async (state) => {
    const { page } = await visit(site.url + state.path, { colorScheme: 'light' });
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate(SHIFTS)).toBe(0);
    await state.act?.(page);
    mkdirSync(PICTURES, { recursive: true });
    for (const { width, colorScheme, isExamined } of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      const file = path.join(PICTURES, `${state.name}-${width}-${colorScheme}.jpeg`);
      if (PICTURED.includes(width)) await page.screenshot({ path: file, fullPage: true, quality: 90 });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      expect(await brokenWords(page), `at ${width}`).toEqual([]);
      expect(await coveredLabels(page), `at ${width}`).toEqual([]);
      if (isExamined) expect(await findings(page)).toEqual([]);
    }
  });
});
