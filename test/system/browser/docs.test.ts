import { describe, expect, it } from 'vitest';
import { kindNames } from '../../../src/contract/kinds.ts';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';

describe.skipIf(noBrowser !== '')(`the docs${noBrowser}`, () => {
  const site = usePageSite({ archive: true });
  const visit = useBrowser();

  it('shows real responses, links to their pages, and is at most 55 kB plus 10 kB per kind', async () => {
    const { page, problems, foreign } = await visit(`${site.url}/docs/`);
    await page.waitForLoadState('networkidle');
    const sizes: number[] = await page.evaluate(
      `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type)).map(({ decodedBodySize }) => decodedBodySize)`,
    );
    const total = sizes.reduce((sum, size) => sum + size);
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThan(55_000 + 10_000 * kindNames.length);

    const response = page.locator('#getItem pre').nth(1);
    const shown = JSON.parse((await response.textContent()) ?? '');
    expect(shown).toEqual(
      await (await fetch(`${site.url}/api/gamedata/item/${shown.slug}/`)).json(),
    );
    expect((await response.locator('.key').allTextContents()).slice(0, 2)).toEqual([
      '"url"',
      '"id"',
    ]);
    const list = JSON.parse(
      (await page.locator('#getMovePage pre').nth(1).textContent()) ?? '',
    );
    const served = (await (
      await fetch(`${site.url}/api/gamedata/move/`)
    ).json()) as {
      results: unknown[];
    };
    expect(list).toEqual({ ...served, results: served.results.slice(0, 2) });

    await page
      .locator('#getItem')
      .getByRole('link', { name: 'Try it in the browser' })
      .click();
    await page.locator('h1', { hasText: /^Master Ball$/ }).waitFor();
    expect([...problems, ...foreign]).toEqual([]);
    await page.goto(`${site.url}/reference.html`);
    await page.waitForURL(`${site.url}/docs/`);
  });
});
