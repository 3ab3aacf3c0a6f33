import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/page-site.ts';

const ICONS = '**/sprites/items/*.png';
const icon = readFileSync(
  new URL('../../../public/sprites/items/unknown.png', import.meta.url),
);

const sendIcon = (route: Route): Promise<void> =>
  route.fulfill({ body: icon, contentType: 'image/png' });

/** Waits until the page has had time to request icons. */
const waitForRequests = (page: Page): Promise<void> => page.waitForTimeout(800);

describe.skipIf(noBrowser !== '')(`icons${noBrowser}`, () => {
  const site = usePageSite({ sprites: 'link' });
  const visit = useBrowser();

  /** Opens the front page, and responds to requests for icons. */
  async function visitWith(respond: (route: Route) => Promise<void>) {
    const { page, problems } = await visit(`${site.url}/no-such-page`);
    const requestedIcons: string[] = [];
    await page.route(ICONS, async (route) => {
      requestedIcons.push(route.request().url());
      await respond(route);
    });
    return { page, problems, requestedIcons };
  }

  it('replace the glyphs of results that have icons', async () => {
    const { page, problems } = await visitWith((route) =>
      route.request().url().endsWith('/poke-ball.png')
        ? sendIcon(route)
        : route.fulfill({ status: 404 }),
    );
    await page.goto(`${site.url}/?q=poke ball`);
    const results = page.locator('#results a');
    await results.first().locator('canvas').waitFor();
    await waitForRequests(page);
    expect(await results.nth(1).locator('canvas').count()).toBe(0);
    expect(await results.nth(1).locator('svg').count()).toBe(1);
    const unexpected = problems.filter((text) => !text.includes('status of 404'));
    expect(unexpected).toEqual([]);
  });

  it('are requested only when they are in view, six at a time', async () => {
    let running = 0;
    let most = 0;
    const { page, requestedIcons } = await visitWith(async (route) => {
      running++;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
      await sendIcon(route);
    });
    await page.goto(`${site.url}/`);
    await page.locator('.cells canvas').first().waitFor();
    await waitForRequests(page);
    expect(most).toBe(6);
    expect(requestedIcons.length).toBeLessThan(700);
  });

  it.each([
    ['after one 429', (route: Route) => route.fulfill({ status: 429 })],
    ['after three failures', (route: Route) => route.abort()],
  ])('are no longer requested %s, even on the next page', async (_, respond) => {
    const { page, requestedIcons } = await visitWith(respond);
    await page.goto(`${site.url}/`);
    await waitForRequests(page);
    // Six requests are running when the first response arrives.
    expect(requestedIcons.length).toBeGreaterThan(0);
    expect(requestedIcons.length).toBeLessThanOrEqual(8);
    const count = requestedIcons.length;
    await page.goto(`${site.url}/api/gamedata/item/`);
    await waitForRequests(page);
    expect(requestedIcons).toHaveLength(count);
  });

  it('are not requested from the upstream if the user has turned on Save-Data', async () => {
    const { page, requestedIcons } = await visitWith(sendIcon);
    await page.addInitScript(
      `Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`,
    );
    await page.goto(`${site.url}/?q=poke ball`);
    await waitForRequests(page);
    expect(requestedIcons).toEqual([]);
  });
});
