import { describe, expect, it } from 'vitest';
import { kindNames } from '../../../src/contract/kinds.ts';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/page-site.ts';

describe.skipIf(noBrowser !== '')(`the docs${noBrowser}`, () => {
  const site = usePageSite({ archive: true });
  const visit = useBrowser();

  it('loads at most 55 kB plus 10 kB per kind for the docs', async () => {
    const { page, problems, foreign } = await visit(`${site.url}/docs/`);
    await page.waitForLoadState('networkidle');
    const total = await page.evaluate<number>(`(() => {
      let total = 0;
      for (const type of ['navigation', 'resource']) {
        for (const entry of performance.getEntriesByType(type)) {
          total += entry.decodedBodySize;
        }
      }
      return total;
    })()`);
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThan(55_000 + 10_000 * kindNames.length);
    expect([...problems, ...foreign]).toEqual([]);
  });

  it('keeps the table of contents visible', async () => {
    const { page } = await visit(`${site.url}/docs/`);
    await page.setViewportSize({ width: 1280, height: 800 });
    const contents = page.getByRole('navigation', { name: 'Contents' });
    await contents.getByRole('link', { name: 'Types' }).click();
    await page.locator('#Meta').scrollIntoViewIfNeeded();
    const box = await contents.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
  });

  it("links from an example to the record's page", async () => {
    const { page, problems, foreign } = await visit(`${site.url}/docs/`);
    const operation = page.locator('#getItem');
    await operation.getByRole('link', { name: 'Try it in the browser' }).click();
    await page.locator('h1', { hasText: /^Master Ball$/ }).waitFor();
    expect([...problems, ...foreign]).toEqual([]);
  });

  it('redirects the old address reference.html to the docs', async () => {
    const { page } = await visit(`${site.url}/`);
    await page.goto(`${site.url}/reference.html`);
    await page.waitForURL(`${site.url}/docs/`);
  });
});
