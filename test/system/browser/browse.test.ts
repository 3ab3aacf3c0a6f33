/** The browsable page in a real browser, served by `gamedata serve`: every state, and every way from one to another. */

import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { kindNames } from '../../../src/contract/kinds.ts';
import { plural } from '../../../src/contract/words.ts';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';

const INDICES = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((generation) => `id${generation}`);
const RECORD = '/api/gamedata/item/master-ball/?format=api';
const LIST = '/api/gamedata/item/?format=api&limit=100&offset=100';

const heading = (page: Page): Promise<string | null> => page.locator('h1').textContent();
const openHeading = (page: Page, text: string): Promise<void> =>
  page.locator('h1', { hasText: new RegExp(`^${text}$`) }).waitFor();
const shows = (page: Page, text: string): Promise<void> => page.getByText(text).first().waitFor();
const control = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name, exact: true });
/** Goes to an address as the browser's own buttons do. */
const goTo = (page: Page, address: string): Promise<unknown> =>
  page.evaluate(`history.pushState(null, '', '${address}'); dispatchEvent(new PopStateEvent('popstate'))`);
const widthOf = (page: Page, image: string): Promise<unknown> =>
  page.evaluate(`document.querySelector('${image}')?.naturalWidth`);
/** What the browser itself says of a response that is no success. */
const statusNote = (status: number) => expect.stringContaining(`status of ${status}`);

describe.skipIf(noBrowser !== '')(`the browsable page${noBrowser}`, () => {
  const site = usePageSite();
  const visit = useBrowser();
  const served = async <T>(address: string): Promise<T> => (await fetch(site.url + address)).json() as T;

  it('shows a record: way, request, status, headers, card, JSON, links and icon', async () => {
    const { page, problems, foreign } = await visit(site.url + RECORD);

    expect(await heading(page)).toBe('Master Ball');
    expect(await page.title()).toBe('Master Ball · gamedata');
    expect(await page.locator('#breadcrumb li').allTextContents()).toEqual(['api', 'item', 'master-ball']);
    expect(await page.locator('.request code').first().textContent()).toBe(`GET ${RECORD}`);
    const head = await page.locator('.head').textContent();
    expect(head).toContain(
      'HTTP 200 OK\nAllow: GET, HEAD, OPTIONS\nContent-Type: application/json\nVary: Accept',
    );
    const record = await served<Record<string, unknown>>(RECORD);
    expect(await page.locator('.json').textContent()).toBe(JSON.stringify(record, null, 4));
    expect(await page.locator('.json a').getAttribute('href')).toBe(`${site.url}${RECORD}`);
    await expect.poll(() => widthOf(page, '.picture img')).toBe(30);
    const names = await page.locator('.card dt').allTextContents();
    expect(names).toEqual(['slug', 'id', ...INDICES]);
    expect(await page.locator('.card dd').allTextContents()).toEqual(
      names.map((name) => String(record[name] ?? '–')),
    );
    expect([...problems, ...foreign]).toEqual([]);
  });

  it('copies a command that gives the same JSON, or selects it, and leads to the JSON', async () => {
    const { page } = await visit(site.url + LIST, { permissions: ['clipboard-read', 'clipboard-write'] });
    const copy = page.getByRole('button', { name: 'Copy as curl' });
    await copy.click();
    await shows(page, 'Copied.');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`curl "${site.url}${LIST}"`);
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await copy.click();
    await shows(page, 'Copying is not available here');
    expect(await page.evaluate('String(getSelection())')).toBe(`curl "${site.url}${LIST}"`);
    await page.getByRole('link', { name: 'Open JSON' }).click();
    await page.waitForURL(`${site.url}/api/gamedata/item/?format=json&limit=100&offset=100`);
    expect(await page.locator('body').textContent()).toContain('{"count":954,');
  });

  it('pages through a list, and disables the controls that lead nowhere', async () => {
    const { page } = await visit(`${site.url}/api/gamedata/move/?format=api`);
    const isDisabled = (name: string) => control(page, name).getAttribute('aria-disabled');
    expect([await isDisabled('First'), await isDisabled('Previous')]).toEqual(['true', 'true']);
    await control(page, 'Last').click();
    await shows(page, 'Records 701 to 746 of 746');
    expect([await isDisabled('Next'), await isDisabled('Last')]).toEqual(['true', 'true']);
    await control(page, '20').click();
    await shows(page, 'Records 701 to 720 of 746');
    await control(page, 'Next').click();
    await shows(page, 'Records 721 to 740 of 746');
    // The first record stays in sight.
    await control(page, '500').click();
    await shows(page, 'Records 501 to 746 of 746');
    expect(page.url()).toBe(`${site.url}/api/gamedata/move/?format=api&limit=500&offset=500`);
    expect(await page.locator('.records tbody tr').count()).toBe(246);

    await page.goto(`${site.url}/api/gamedata/move/?limit=100&offset=9000`);
    await shows(page, 'No records at offset 9000: there are 746');
    await control(page, 'Last').click();
    await shows(page, 'Records 701 to 746 of 746');
  });

  it('is a page again on the way back from elsewhere, although its address was fetched as JSON', async () => {
    const { page } = await visit(site.url + LIST);
    await control(page, 'Next').click();
    await shows(page, 'Records 201 to 300');
    await page.goto(`${site.url}/meta.json`);
    await page.goBack();
    await shows(page, 'Records 201 to 300');
    await page.goBack();
    await shows(page, 'Records 101 to 200');
  });

  it('has links that open elsewhere too, or here, where the focus moves to the heading', async () => {
    const { page } = await visit(site.url + LIST);
    const opened = page.context().waitForEvent('page');
    await control(page, 'Next').click({ modifiers: ['Control'] });
    const other = await opened;
    await shows(other, 'Records 201 to 300');
    expect(await page.locator('.pager p').first().textContent()).toContain('Records 101 to 200');

    await control(page, 'Next').focus();
    await page.keyboard.press('Enter');
    await shows(page, 'Records 201 to 300');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
  });

  it('says what is not there, and leads on', async () => {
    const { page, problems } = await visit(`${site.url}/api/gamedata/item/no-such-thing/`);
    expect(await heading(page)).toBe('Not found');
    await page.reload();
    await openHeading(page, 'Not found');
    expect(await page.locator('.lead').textContent()).toBe('There is nothing at this URL.');
    expect(await page.locator('.head').textContent()).toContain('HTTP 404 Not Found');
    expect(await page.locator('.json').textContent()).toContain('"detail": "Not found."');
    await page.getByRole('link', { name: 'The first page of items' }).click();
    await openHeading(page, 'All items');
    // The page itself and the JSON that it shows, opened twice.
    expect(problems).toEqual(Array(4).fill(statusNote(404)));
  });

  it('offers what was meant, or the kinds if there is none of that name', async () => {
    const { page } = await visit(`${site.url}/api/gamedata/move/Mastre-Ball/`);
    await page.getByRole('heading', { name: 'Did you mean' }).waitFor();
    await page.locator('.results a').first().click();
    await openHeading(page, 'Master Ball');
    expect(page.url()).toBe(`${site.url}/api/gamedata/item/master-ball/`);
    await goTo(page, '/api/gamedata/moves/');
    await openHeading(page, 'Not found');
    const ways = await page.locator('.ways a').allTextContents();
    expect(ways).toEqual([...kindNames.map((kind) => `All ${plural(kind)}`), 'All kinds', 'Search']);
  });

  it('shows a list as a table, or as JSON, one click away, and remembers it', async () => {
    const { page, problems } = await visit(site.url + LIST);
    const list = await served<{ results: { slug: string }[] }>(LIST);
    expect(await page.locator('.records thead th').allTextContents()).toEqual([
      'name',
      'slug',
      'id',
      ...INDICES,
    ]);
    expect(await page.locator('.records tbody td:nth-child(2)').allTextContents()).toEqual(
      list.results.map(({ slug }) => slug),
    );
    expect(await page.locator('.json').count()).toBe(0);
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    expect(await page.locator('.json').textContent()).toBe(JSON.stringify(list, null, 4));
    expect(await page.locator('.records').count()).toBe(0);
    await control(page, 'Next').click();
    await shows(page, 'Records 201 to 300');
    expect(await page.locator('.json').count()).toBe(1);
    await page.reload();
    await page.locator('.json').waitFor();
    await page.getByRole('button', { name: 'Table' }).click();
    expect(await page.locator('.records tbody tr').count()).toBe(100);
    expect(await page.getByRole('button', { name: 'Table' }).getAttribute('aria-pressed')).toBe('true');
    expect(problems).toEqual([]);
  });

  it.each([
    [768, 380],
    [1280, 370],
  ])('begins its table early at %i pixels: the search is one line', async (width, top) => {
    const { page } = await visit(`${site.url}/api/gamedata/item/`, { viewport: { width, height: 900 } });
    const topOf = (place: string): Promise<number> =>
      page.evaluate(`document.querySelector('${place}').getBoundingClientRect().top`);
    await page.locator('.records').waitFor();
    const fields = ['#query', '#generation', '#names-language', '#search-form button'];
    expect(new Set(await Promise.all(fields.map(topOf))).size).toBe(1);
    const first = await topOf('.table');
    expect(first).toBeLessThan(top);
    // The hint about keys appears with the focus, and moves nothing.
    const hint = page.getByText('to select');
    expect(await hint.isVisible()).toBe(false);
    await page.locator('#query').focus();
    expect([await hint.isVisible(), await topOf('.table')]).toEqual([true, first]);
    expect(await page.getByLabel('Enable the / key').isVisible()).toBe(false);
    await page.getByText('Keys', { exact: true }).click();
    expect([await page.getByLabel('Enable the / key').isVisible(), await topOf('.table')]).toEqual([
      true,
      first,
    ]);
  });

  it('shows null as a dash, and numbers on the right', async () => {
    const { page } = await visit(`${site.url}/api/gamedata/item/?limit=1`);
    await page.locator('.records').waitFor();
    const cells = page.locator('.records tbody tr').first().locator('th, td');
    expect((await cells.allTextContents()).slice(0, 6)).toEqual([
      'Master Ball',
      'master-ball',
      '1',
      '–',
      '–',
      '1',
    ]);
    const sides: [string, string][] = await page.evaluate(
      `Array.from(document.querySelectorAll('.records :is(th, td)'), (cell) => [cell.parentElement.parentElement.tagName, getComputedStyle(cell).textAlign])`,
    );
    const row = (part: string) => sides.filter(([of]) => of === part).map(([, side]) => side);
    const expected = ['left', 'left', ...Array(10).fill('right')];
    expect([row('THEAD'), row('TBODY')]).toEqual([expected, expected]);
  });

  it.each([
    [390, [2, 3, 3, 3]],
    [768, [2, 9]],
    [1280, [2, 9]],
  ])('shows the fields of a record in whole rows at %i pixels', async (width, rows) => {
    const { page } = await visit(site.url + RECORD, { viewport: { width, height: 900 } });
    const tops: number[] = await page.evaluate(
      `Array.from(document.querySelectorAll('.card dt'), (name) => name.getBoundingClientRect().top)`,
    );
    const counts = [...new Set(tops)].map((top) => tops.filter((one) => one === top).length);
    expect(counts).toEqual(rows);
  });

  it('filters the whole list, and shows the page again without a filter', async () => {
    const { page, problems } = await visit(site.url + LIST);
    await page.keyboard.press('/');
    await page.keyboard.type('great ball');
    await page.locator('#found', { hasText: '1 record' }).waitFor();
    expect(await page.locator('.records').isVisible()).toBe(false);
    await page.locator('#query').fill('');
    await page.locator('.records').waitFor();
    await page.locator('#query').fill('great ball');
    await page.locator('#results a').click();
    await openHeading(page, 'Great Ball');
    expect(await page.locator('#search-form').isVisible()).toBe(false);
    await page.goBack();
    await openHeading(page, 'All items, page 2');
    expect(await page.locator('#query').inputValue()).toBe('');
    expect(problems).toEqual([]);
  });

  it('shows what is chosen where colors are the user’s, too', async () => {
    const { page } = await visit(site.url + LIST, { forcedColors: 'active' });
    const buttons = await page.evaluate(
      `Array.from(document.querySelectorAll('.views button'), (button) => [button.ariaPressed, getComputedStyle(button).outlineStyle])`,
    );
    expect(buttons).toEqual([
      ['true', 'solid'],
      ['false', 'none'],
    ]);
  });

  it('says what an index and a generation are about, where there are any', async () => {
    const { page } = await visit(site.url + LIST);
    const indices = page.getByText('id1 to id9 are in-game indices');
    const generations = page.getByText('The generation of an item is the first in which it has an index.');
    for (const [address, element, shown] of [
      [LIST, '.records', [true, true]],
      ['/api/gamedata/move/', '.records', [false, false]],
      [RECORD, '.card', [true, false]],
    ] as const) {
      await page.goto(site.url + address);
      await page.locator(element).waitFor();
      expect([await indices.isVisible(), await generations.isVisible()]).toEqual(shown);
    }
  });

  it('leads from its header to the lists without leaving the page, marks the one that it is in, and leads to the docs', async () => {
    const { page } = await visit(`${site.url}/api/gamedata/`);
    const header = page.getByRole('navigation', { name: 'Site' });
    const marked = header.locator('[aria-current]');
    const licence = page.getByRole('contentinfo').getByRole('link', { name: 'BSD 3-Clause License' });
    await openHeading(page, 'Kinds of records');
    expect(await marked.count()).toBe(0);
    await page.evaluate('window.isSame = true');
    for (const name of ['Items', 'Moves']) {
      await header.getByRole('link', { name }).click();
      await openHeading(page, `All ${name.toLowerCase()}`);
      expect(await marked.allTextContents()).toEqual([name]);
      expect(await licence.isVisible()).toBe(true);
    }
    expect(await page.evaluate('window.isSame')).toBe(true);
    const href = (await licence.getAttribute('href')) ?? '';
    expect((await fetch(new URL(href, site.url))).status).toBe(200);
    await page.goto(site.url + RECORD);
    await openHeading(page, 'Master Ball');
    expect(await marked.allTextContents()).toEqual(['Items']);
    await header.getByRole('link', { name: 'Docs' }).click();
    await openHeading(page, 'Docs');
  });

  it('says that nothing came, and tries again', async () => {
    const { page } = await visit(site.url + LIST);
    await page.route('**/api/gamedata/**', (route) => route.abort('internetdisconnected'));
    await control(page, 'Next').click();
    await openHeading(page, 'No response');
    expect(await page.locator('#view').textContent()).toContain('Failed to fetch');
    await page.unroute('**/api/gamedata/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await shows(page, 'Records 201 to 300');
  });

  it('says so if the response is no JSON', async () => {
    const { page } = await visit(site.url + LIST);
    await page.route('**/api/gamedata/item/potion/**', (route) =>
      route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>busy</h1>' }),
    );
    await goTo(page, '/api/gamedata/item/potion/');
    await openHeading(page, 'Not a response of the API');
    expect(await page.locator('.lead').textContent()).toBe(
      'Got HTTP 503 Service Unavailable with text/html, expected JSON.',
    );
  });

  it('shows only the response that was requested last', async () => {
    const { page } = await visit(site.url + LIST);
    const held = new Promise<Route>((resolve) =>
      page.route('**/api/gamedata/item/?*offset=200', (route) => resolve(route)),
    );
    await control(page, 'Next').click();
    await control(page, 'Last').click();
    await shows(page, 'Records 901 to 954');
    await (await held).continue().catch(() => {});
    await page.waitForTimeout(300);
    expect(await page.locator('.pager p').first().textContent()).toContain('Records 901 to 954');
  });

  it('reads nothing in the data as markup', async () => {
    const { page, problems } = await visit(site.url + LIST);
    const hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
    const url = 'javascript:window.hit=1';
    const icon = 'sprites/items/"><b>.png';
    const json = { url, id: 1, slug: hostile, name: hostile, icon, [hostile]: [hostile] };
    await page.route('**/api/gamedata/item/evil/**', (route) => route.fulfill({ json }));
    await goTo(page, '/api/gamedata/item/evil/');
    await page.locator('h1', { hasText: 'onerror' }).waitFor();
    expect(await heading(page)).toBe(hostile);
    expect(
      await page.locator('#view script, #view b:not(.head b, .request b), .json img, .json a').count(),
    ).toBe(0);
    expect(await page.locator('.json').textContent()).toContain(JSON.stringify(hostile));
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(problems.filter((problem) => !problem.includes('status of 404'))).toEqual([]);
  });

  it('shows the placeholder if an icon does not come', async () => {
    const { page } = await visit(site.url + LIST);
    await page.route('**/sprites/items/potion.png', (route) =>
      route.fulfill({ status: 302, headers: { Location: 'https://icons.test/potion.png' } }),
    );
    await goTo(page, '/api/gamedata/item/potion/');
    await openHeading(page, 'Potion');
    await expect.poll(() => widthOf(page, '.picture img[src$="/unknown.png"]')).toBe(30);
  });

  it('links to the JSON without JavaScript', async () => {
    const { page } = await visit(site.url + RECORD, { javaScriptEnabled: false });
    expect(await heading(page)).toBe('This page requires JavaScript and a web server');
    for (const { href } of await page
      .locator('noscript li a')
      .evaluateAll((all) => all.map((a) => ({ href: String(a) }))))
      expect((await fetch(href)).status).toBe(200);
    expect(await page.locator('noscript li a').allTextContents()).toContain('move.ndjson');
    await page.getByRole('link', { name: 'Open the JSON instead' }).click();
    await page.waitForURL('**/item/master-ball/?format=json');
    expect(await page.locator('body').textContent()).toContain('"slug":"master-ball"');
  });
});
