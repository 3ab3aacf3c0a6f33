/**
 * How the pages look: axe-core finds nothing, nothing is wider than the window, and an icon of each is left in
 * .artefacts/pages for people to look at.
 */

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../../src/version.ts';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { pageStates } from '../../support/page-list.ts';
import { usePageSite } from '../../support/served-pages.ts';

const PICTURES = path.join(PACKAGE_ROOT, '.artefacts', 'pages');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** In pixels: a phone, a tablet, a desktop. */
const widths = [320, 768, 1280];
/** Where axe-core looks: its rules for layout see the narrowest and the widest, those for colors both schemes. */
const examined = { light: 1280, dark: 320 } as const;

/** Rule and element of everything that axe-core finds. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(tags)} })`;
  const { violations }: AxeResults = await page.evaluate(run);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

describe.skipIf(noBrowser !== '')(`every page${noBrowser}`, () => {
  const site = usePageSite({ archive: true });
  const visit = useBrowser();

  for (const colorScheme of ['light', 'dark'] as const) {
    it.for(pageStates)(`is sound and fits every window, ${colorScheme}: $name`, async (state) => {
      const { page } = await visit(site.url + state.path, { colorScheme });
      await page.waitForLoadState('networkidle');
      await state.act?.(page);
      mkdirSync(PICTURES, { recursive: true });
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        const file = path.join(PICTURES, `${state.name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path: file, fullPage: true });
        expect(existsSync(file)).toBe(true);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        if (width === examined[colorScheme]) expect(await findings(page)).toEqual([]);
      }
    });
  }
});
