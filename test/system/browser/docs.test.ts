import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { kindNames } from '../../../src/contract/kinds.ts';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';

interface Document {
  readonly paths: Record<string, { get: { operationId: string; tags: string[] } }>;
  readonly components: { schemas: Record<string, { properties: object }> };
}

describe.skipIf(noBrowser !== '')(`the docs${noBrowser}`, () => {
  const site = usePageSite({ archive: true });
  const visit = useBrowser();

  it('have every endpoint, type and field of the OpenAPI document, without a script', async () => {
    const { page, problems, foreign } = await visit(`${site.url}/docs/`, { javaScriptEnabled: false });
    const text = readFileSync(path.join(site.folder, 'openapi.json'), 'utf8');
    const { paths, components }: Document = JSON.parse(text);
    for (const [address, { get }] of Object.entries(paths)) {
      const isCopy = /\.(?:csv|ndjson|json)\.(?:gz|br)$/.test(address);
      const isEndpoint = ['records', 'names'].some((tag) => get.tags.includes(tag));
      const place = isEndpoint
        ? page.locator(`#${get.operationId} h3`).getByText(`GET ${address}`, { exact: true })
        : page.locator('table').getByText(address, { exact: true });
      if (!isCopy) expect(await place.count(), address).toBe(1);
    }
    for (const [name, { properties }] of Object.entries(components.schemas))
      expect(await page.locator(`#${name} tbody code:first-child`).allTextContents(), name).toEqual(
        expect.arrayContaining(Object.keys(properties ?? {})),
      );
    expect([...problems, ...foreign]).toEqual([]);
  });

  it('show real responses, link to their pages, and take at most 45 kB, and 10 for each kind', async () => {
    const { page, problems } = await visit(`${site.url}/docs/`);
    await page.waitForLoadState('networkidle');
    const sizes: number[] = await page.evaluate(
      `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type)).map(({ decodedBodySize }) => decodedBodySize)`,
    );
    const total = sizes.reduce((sum, size) => sum + size);
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThan(45_000 + 10_000 * kindNames.length);

    const response = page.locator('#getItem pre').nth(1);
    const shown = JSON.parse((await response.textContent()) ?? '');
    expect(shown).toEqual(await (await fetch(`${site.url}/api/gamedata/item/${shown.slug}/`)).json());
    expect((await response.locator('.key').allTextContents()).slice(0, 2)).toEqual(['"url"', '"id"']);
    const list = JSON.parse((await page.locator('#getMovePage pre').nth(1).textContent()) ?? '');
    const served = (await (await fetch(`${site.url}/api/gamedata/move/`)).json()) as { results: unknown[] };
    expect(list).toEqual({ ...served, results: served.results.slice(0, 2) });

    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Errors' }).click();
    expect(
      await page.locator('#errors').evaluate((heading) => heading.getBoundingClientRect().top),
    ).toBeLessThan(200);
    await page.locator('#getItem').getByRole('link', { name: 'Try it in the browser' }).click();
    await page.locator('h1', { hasText: /^Master Ball$/ }).waitFor();
    expect(problems).toEqual([]);
  });

  it('replace the old reference', async () => {
    const { page } = await visit(`${site.url}/reference.html`, { waits: false });
    await page.waitForURL(`${site.url}/docs/`);
  });
});
