/** The front page in a real browser: what it says is true, and its search can be used by keyboard alone. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { everyKind } from '../../support/kinds.ts';
import { usePageSite } from '../../support/served-pages.ts';

const results = (page: Page): Promise<string[]> => page.locator('#results b').allTextContents();
const focused = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.id || document.activeElement.querySelector("b")?.textContent');
const say = (page: Page, text: string): Promise<void> =>
  page.locator('#found', { hasText: new RegExp(`^${text}`) }).waitFor();

describe.skipIf(noBrowser !== '')(`the front page${noBrowser}`, () => {
  const site = usePageSite();
  const visit = useBrowser();

  it('asks for itself, its style, script and mark, and whether the host negotiates: at most 20 kB, compressed', async () => {
    const { page, problems, foreign } = await visit(`${site.url}/`);
    await page.waitForLoadState('networkidle');
    const asked: string[] = await page.evaluate(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).sort()`,
    );
    expect(asked).toEqual(['/api/gamedata/', '/front.js', '/mark.svg', '/style.css']);
    const sizes = ['/', ...asked].map(
      async (path) => gzipSync(await (await fetch(site.url + path)).arrayBuffer()).length,
    );
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size);
    expect(total).toBeGreaterThan(5000);
    expect(total).toBeLessThan(20_000);
    expect([...problems, ...foreign]).toEqual([]);
  });

  it('shows a request and its very response, indented, without a line break in a URL', async () => {
    const { page } = await visit(`${site.url}/`, { viewport: { width: 390, height: 800 } });
    const command = (await page.locator('#command').textContent()) ?? '';
    const here = command.replace('https://example.test', site.url);
    const { stdout: answer } = await promisify(execFile)('sh', ['-c', `${here} --silent`]);
    expect(answer).toContain('"slug":"pound"');
    const shown = (await page.locator('#answer').textContent()) ?? '';
    expect(shown).toBe(JSON.stringify(JSON.parse(answer), null, 2));
    const lines: number = await page.evaluate(
      `(({ top, bottom }) => Math.round((bottom - top) / parseFloat(getComputedStyle(document.querySelector('.terminal')).lineHeight)))(document.querySelector('#answer').getBoundingClientRect())`,
    );
    expect(lines).toBe(shown.split('\n').length);
  });

  it('finds a record as somebody types, and opens it, by keyboard alone', async () => {
    const { page, problems, foreign } = await visit(`${site.url}/`);
    await page.keyboard.press('/');
    expect(await focused(page)).toBe('query');
    await page.keyboard.type('poke ball');
    await say(page, '2 records');
    expect(await results(page)).toEqual(['Poké Ball', 'Left Poké Ball']);
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('Poké Ball');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toBe('Left Poké Ball');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await focused(page)).toBe('query');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    expect(await focused(page)).toBe('query');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: 'Poké Ball' }).waitFor();
    expect(page.url()).toBe(`${site.url}/api/gamedata/item/poke-ball/`);
    expect([...problems, ...foreign]).toEqual([]);
  });

  it('opens the best result with Enter right from the box', async () => {
    const { page } = await visit(`${site.url}/`);
    await page.locator('#query').fill('thundrbolt');
    await page.keyboard.press('Enter');
    await page.locator('h1', { hasText: /^Thunderbolt$/ }).waitFor();
    expect(page.url()).toBe(`${site.url}/api/gamedata/move/thunderbolt/`);
  });

  it('lets the shortcut be switched off, and remembers it', async () => {
    const { page } = await visit(`${site.url}/`);
    await page.getByText('Keys').click();
    await page.getByLabel('Enable the / key').uncheck();
    await page.keyboard.press('/');
    expect(await focused(page)).not.toBe('query');
    await page.reload();
    await page.getByText('Keys').click();
    await page.locator('body').press('/');
    expect(await focused(page)).not.toBe('query');
    await page.getByLabel('Enable the / key').check();
    await page.keyboard.press('/');
    expect(await focused(page)).toBe('query');
    // In the box, it is a letter.
    await page.keyboard.type('a/b');
    expect(await page.locator('#query').inputValue()).toBe('a/b');
  });

  it('neither shows nor obeys keys on a device without a keyboard', async () => {
    const { page } = await visit(`${site.url}/`, { hasTouch: true, isMobile: true });
    expect(await page.getByText('Keys').isVisible()).toBe(false);
    await page.keyboard.press('/');
    expect(await focused(page)).not.toBe('query');
    await page.locator('#query').focus();
    expect(await page.getByText('to select').isVisible()).toBe(false);
  });

  it('leaves no room for icons where there are none', async () => {
    const { page } = await visit(`${site.url}/`);
    const places = (element: string, side: string): Promise<number[]> =>
      page.evaluate(
        `Array.from(document.querySelectorAll('#results ${element}'), (one) => one.getBoundingClientRect().${side})`,
      );
    await page.locator('#query').fill('thunder');
    await say(page, '8 records');
    const [edge = 0] = await places('a', 'left');
    const names = await places('b', 'left');
    expect(names).toHaveLength(8);
    for (const name of names) expect(name - edge).toBeLessThan(20);
    const withIcons = await places('.where', 'right');
    await page.getByLabel('Kind').selectOption('move');
    await say(page, '7 records');
    expect((await places('.where', 'right'))[0]).toBeGreaterThan((withIcons[0] ?? Infinity) + 30);
  });

  it('narrows by kind and generation, also without a word, and shows more', async () => {
    const { page } = await visit(`${site.url}/`);
    await page.getByLabel('Kind').selectOption('move');
    await say(page, '746 records');
    await page.getByLabel('Generation').selectOption('2');
    await say(page, '86 records');
    expect(await results(page)).toHaveLength(30);
    await page.getByRole('button', { name: 'Show more' }).click();
    expect(await results(page)).toHaveLength(60);
    expect(await focused(page)).toBe((await results(page))[30]);
    await page.getByRole('button', { name: 'Show more' }).click();
    expect(await results(page)).toHaveLength(86);
    expect(await page.locator('#more').isVisible()).toBe(false);
    await page.locator('#query').fill('no such thing');
    await say(page, 'No records');
  });

  it('shows the icon of an item, and remembers the search on the way back', async () => {
    const { page } = await visit(`${site.url}/`);
    await page.locator('#query').fill('master ball');
    const image = page.locator('#results img').first();
    await expect.poll(() => image.getAttribute('src')).toBe(`${site.url}/sprites/items/master-ball.png`);
    await page.locator('#results a').first().click();
    await page.locator('h1', { hasText: 'Master Ball' }).waitFor();
    await page.goBack();
    await say(page, '1 record');
    await page.reload();
    await say(page, '1 record');
    expect(await page.locator('#query').inputValue()).toBe('master ball');
  });

  it('says that the index did not come, and tries again', async () => {
    const { page } = await visit(`${site.url}/`);
    await page.route('**/search.json', (route) => route.abort());
    await page.locator('#query').fill('potion');
    await say(page, 'The search index could not be loaded');
    await page.unroute('**/search.json');
    await page.getByRole('button', { name: 'Try again' }).click();
    await say(page, '\\d+ records');
    expect((await results(page))[0]).toBe('Potion');
  });

  it('reads nothing in the index as markup', async () => {
    const { page } = await visit(`${site.url}/`);
    const name = '<img src=x onerror="window.hit=1">';
    const columns = { id: [1], slug: 'evil', name, generation: [null], icon: '"><b>.png' };
    const none = { id: [], slug: '', name: '', generation: [], icon: null };
    const json = everyKind<object>({ move: { ...columns, icon: null }, item: columns }, () => none);
    await page.route('**/search.json', (route) => route.fulfill({ json }));
    await page.locator('#query').fill('evil');
    await say(page, '2 records');
    expect(await results(page)).toEqual([name, name]);
    expect(await page.evaluate('window.hit')).toBeUndefined();
  });

  it('leads to every list without a script', async () => {
    const { page } = await visit(`${site.url}/`, { javaScriptEnabled: false });
    expect(await page.locator('#search-form').isVisible()).toBe(false);
    // Playwright's own search for text passes over what is in a noscript.
    expect(await page.locator('noscript p').textContent()).toContain('require JavaScript and a web server');
    expect(await page.locator('noscript p').isVisible()).toBe(true);
    await page.getByRole('navigation').getByRole('link', { name: 'Items' }).click();
    await page.waitForURL('**/api/gamedata/item/');
  });

  it('names only files that are there', async () => {
    const { page } = await visit(`${site.url}/`);
    const links: string[] = await page.evaluate(
      `[...document.querySelectorAll('a:not([href^="#"]):not([rel])')].map(({ href }) => href)`,
    );
    expect(links.length).toBeGreaterThan(6);
    for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200]);
  });
});
