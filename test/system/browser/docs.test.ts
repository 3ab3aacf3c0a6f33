import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { kindNames } from '../../../src/contract/kinds.ts';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';

describe.skipIf(noBrowser !== '')(`the docs${noBrowser}`, () => {
  const site = usePageSite({ archive: true });
  const visit = useBrowser();

  async function readServed(address: string): Promise<Record<string, unknown>> {
    const response = await fetch(site.url + address);
    return (await response.json()) as Record<string, unknown>;
  }

  async function readShown(example: Locator): Promise<Record<string, unknown>> {
    const text = await example.textContent();
    return JSON.parse(text ?? '');
  }

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

  it('keeps the table of contents visible on a page of at most 7,950 pixels', async () => {
    const { page } = await visit(`${site.url}/docs/`);
    await page.setViewportSize({ width: 1280, height: 800 });
    const height = await page.evaluate('document.documentElement.scrollHeight');
    expect(height).toBeLessThan(7950);
    const contents = page.getByRole('navigation', { name: 'Contents' });
    await contents.getByRole('link', { name: 'Types' }).click();
    await page.locator('#Meta').scrollIntoViewIfNeeded();
    const box = await contents.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(800);
  });

  it('shows a record as the server sends it', async () => {
    const { page } = await visit(`${site.url}/docs/`);
    const example = page.locator('#getItem pre');
    const shownRecord = await readShown(example);
    const servedRecord = await readServed(`/api/gamedata/item/${shownRecord.slug}/`);
    expect(shownRecord).toEqual(servedRecord);
    const highlightedKeys = await example.locator('.key').allTextContents();
    expect(highlightedKeys.slice(0, 2)).toEqual(['"url"', '"id"']);
  });

  it('prints examples without cutting off long lines', async () => {
    const { page } = await visit(`${site.url}/docs/`);
    await page.emulateMedia({ media: 'print' });
    const cutExamples = await page.evaluate<number>(`(() => {
      let count = 0;
      for (const example of document.querySelectorAll('pre')) {
        if (example.scrollWidth > example.clientWidth) count += 1;
      }
      return count;
    })()`);
    expect(cutExamples).toBe(0);
  });

  it('prints dark text even if the screen is in dark mode', async () => {
    const { page } = await visit(`${site.url}/docs/`);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const color = await page.evaluate<string>(
      'getComputedStyle(document.body).color',
    );
    expect(color).toBe('rgb(24, 38, 33)');
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
