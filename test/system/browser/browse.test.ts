import type { Locator, Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { kindNames } from '../../../src/contract/kinds.ts';
import { pluralize } from '../../../src/contract/words.ts';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';

const INDICES = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((generation) => `id${generation}`);
const RECORD = '/api/gamedata/item/master-ball/?format=api';
const LIST = '/api/gamedata/item/?format=api&limit=100&offset=100';

async function waitForHeading(page: Page, text: string): Promise<void> {
  const hasText = new RegExp(`^${text}$`);
  await page.locator('h1', { hasText }).waitFor();
}

async function waitForText(page: Page, text: string): Promise<void> {
  await page.getByText(text).first().waitFor();
}

/** Finds a link to another page of the list, such as `Next`. */
function control(page: Page, name: string): Locator {
  const pager = page.getByRole('navigation', { name: 'Pages', exact: true });
  return pager.getByRole('link', { name, exact: true });
}

/** Goes to an address without loading the page again, as a click on a link does. */
async function goTo(page: Page, address: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${address}')`);
  await page.evaluate(`dispatchEvent(new PopStateEvent('popstate'))`);
}

function measureWidth(page: Page, image: string): Promise<unknown> {
  return page.evaluate(`document.querySelector('${image}')?.naturalWidth`);
}

describe.skipIf(noBrowser !== '')(`the browsable page${noBrowser}`, () => {
  const site = usePageSite();
  const visit = useBrowser();
  const read = async <T>(address: string): Promise<T> =>
    (await fetch(site.url + address)).json() as T;

  it('shows a record: path, request, card, icon, status, headers and JSON', async () => {
    const { page, problems, foreign } = await visit(site.url + RECORD);
    expect(await page.title()).toBe('Master Ball · gamedata');
    expect(await page.locator('#breadcrumb li').allTextContents()).toEqual([
      'api',
      'item',
      'master-ball',
    ]);
    expect(await page.locator('.request code').first().textContent()).toBe(
      `GET ${RECORD}`,
    );
    expect(await page.locator('.head').textContent()).toContain(
      'HTTP 200 OK\nAllow: GET, HEAD, OPTIONS\nContent-Type: application/json\nVary: Accept',
    );
    const record = await read<Record<string, unknown>>(RECORD);
    expect(await page.locator('.json').textContent()).toBe(
      JSON.stringify(record, null, 4),
    );
    expect(await page.locator('.json a').getAttribute('href')).toBe(
      `${site.url}${RECORD}`,
    );
    await expect.poll(() => measureWidth(page, '.picture img')).toBe(30);
    const names = await page.locator('.card dt').allTextContents();
    expect(names).toEqual(['slug', 'id', ...INDICES]);
    const values = names.map((name) => String(record[name] ?? '–'));
    expect(await page.locator('.card dd').allTextContents()).toEqual(values);
    const explanation = page.getByText('id1 to id9 are in-game indices');
    expect(await explanation.isVisible()).toBe(true);
    expect(await page.locator('#search-form').isVisible()).toBe(false);
    expect(await page.locator('[translate=no] dt').allTextContents()).toEqual(names);
    expect([...problems, ...foreign]).toEqual([]);
  });

  it('shows a list as a table and pages through it', async () => {
    const { page, problems } = await visit(site.url + LIST);
    const { results } = await read<{ results: Record<string, unknown>[] }>(LIST);
    const columns = ['name', 'slug', 'id', ...INDICES];
    expect(await page.locator('.records thead th').allTextContents()).toEqual(
      columns,
    );
    const rows = page.locator('.records tbody tr');
    const cells = await rows.first().locator('th, td').allTextContents();
    const [firstRecord = {}] = results;
    const values = columns.map((name) => String(firstRecord[name] ?? '–'));
    expect(cells).toEqual(values);
    expect(await rows.count()).toBe(100);
    // The header and one cell of each of the 100 rows are not translated.
    const untranslated = page.locator(
      '.records thead[translate=no], .records td[translate=no]',
    );
    expect(await untranslated.count()).toBe(101);
    async function expectDisabled(...names: string[]): Promise<void> {
      for (const name of names) {
        const disabled = await control(page, name).getAttribute('aria-disabled');
        expect(disabled, name).toBe('true');
      }
    }

    await control(page, 'First').click();
    await waitForText(page, 'Records 1 to 100 of 954');
    await expectDisabled('First', 'Previous');
    await control(page, 'Last').focus();
    await page.keyboard.press('Enter');
    await waitForText(page, 'Records 901 to 954 of 954');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await expectDisabled('Next', 'Last');
    // Going back must show the page, although the browser cache also has JSON.
    await page.goto(`${site.url}/meta.json`);
    await page.goBack();
    await waitForText(page, 'Records 901 to 954');
    await page.goto(`${site.url}/api/gamedata/move/?limit=20&offset=9000`);
    await waitForText(page, 'No records at offset 9000: there are 746');
    await control(page, 'Last').click();
    await waitForText(page, 'Records 741 to 746 of 746');
    // Browsers request /favicon.ico for JSON.
    expect(problems).toEqual([]);
  });

  it("returns from a record to the list's scroll position and search", async () => {
    const { page } = await visit(site.url + LIST);
    const readScroll = () => page.evaluate<number>('scrollY');
    // Without Playwright's own scrolling.
    const openAt = (scroll: number, links: string) =>
      page.evaluate(
        `scrollTo(0, ${scroll}); document.querySelectorAll('${links}')[20].click()`,
      );
    await openAt(1500, '.records tbody a');
    await page.locator('.card').waitFor();
    await expect.poll(readScroll).toBe(0);
    await page.goBack();
    await waitForText(page, 'Records 101 to 200');
    await expect.poll(readScroll).toBe(1500);
    await page.reload();
    await expect.poll(readScroll).toBe(1500);

    await page.locator('#query').fill('ball');
    await page.locator('#results a').nth(20).waitFor();
    await openAt(300, '#results a');
    await page.locator('.card').waitFor();
    await page.goBack();
    await page.locator('#results a').nth(20).waitFor();
    expect(await page.locator('#query').inputValue()).toBe('ball');
    expect(page.url()).toBe(`${site.url}${LIST}#q=ball`);
    await expect.poll(readScroll).toBe(300);
    expect(await page.locator('.records').isVisible()).toBe(false);
    await page.locator('#query').fill('');
    await page.locator('.records').waitFor();
    await page.waitForURL(site.url + LIST);
  });

  it('searches and follows links even if the browser refuses every History API call', async () => {
    const { page, problems } = await visit(site.url + LIST);
    await page.locator('.records').waitFor();
    await page.evaluate(`for (const name of ['pushState', 'replaceState'])
      history[name] = () => { throw new DOMException('too many calls', 'SecurityError'); };`);
    await page.locator('#query').fill('master ball');
    await page.locator('#results a', { hasText: 'Master Ball' }).first().click();
    await waitForHeading(page, 'Master Ball');
    expect(page.url()).toBe(site.url + RECORD);
    expect(problems).toEqual([]);
  });

  it('works at a URL with a user name and password, and does not show them', async () => {
    const siteWithPassword = site.url.replace('//', '//user:secret@');
    const { page, problems } = await visit(`${siteWithPassword}/api/gamedata/item/`);
    await waitForHeading(page, 'All items');
    await page.locator('#query').fill('master ball');
    await page.locator('#results a', { hasText: 'Master Ball' }).first().click();
    await waitForHeading(page, 'Master Ball');
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const command = await page.locator('.curl').textContent();
    expect(command).toBe(`curl "${site.url}${RECORD}"`);
    await page.goBack();
    await page.locator('#results a', { hasText: 'Master Ball' }).first().waitFor();
    expect(await page.locator('#query').inputValue()).toBe('master ball');
    expect(problems).toEqual([]);
  });

  it('reads limit and offset as the server does', async () => {
    const { page } = await visit(
      `${site.url}/api/gamedata/item/?limit=%2B5&offset=%2B30`,
    );
    await waitForText(page, 'Records 31 to 35 of 954');
    await control(page, 'First').click();
    await waitForText(page, 'Records 1 to 5 of 954');
    expect(await page.locator('.records tbody tr').count()).toBe(5);
  });

  it("links to the files with all of the kind's records", async () => {
    const { page } = await visit(site.url + LIST);
    const files = page.locator('[data-files]:visible a');
    await files.first().waitFor();
    const hrefs = await page.evaluate(
      `Array.from(document.querySelectorAll('[data-files="item"] a'), (link) => [link.textContent, link.pathname])`,
    );
    expect(hrefs).toEqual([
      ['NDJSON', '/download/item.ndjson'],
      ['CSV', '/download/item.csv'],
    ]);
    expect(await files.count()).toBe(2);
    await page.locator('.records tbody a').first().click();
    await page.locator('.card').waitFor();
    expect(await files.count()).toBe(0);
  });

  it('shows the placeholder while an icon neither loads nor fails', async () => {
    const { page } = await visit(`${site.url}/no-such-page`);
    const held: Route[] = [];
    await page.route('**/sprites/items/master-ball.png', (route) => {
      held.push(route);
    });
    await page.goto(site.url + RECORD);
    const icon = page.locator('.picture img');
    const readBackground = (): Promise<string> =>
      page.evaluate(`(() => {
        const style = getComputedStyle(document.querySelector('.picture img'));
        return style.backgroundSize === 'contain' ? style.backgroundImage : 'none';
      })()`);
    await icon.waitFor();
    await expect.poll(readBackground).toContain('/sprites/items/unknown.png');
    for (const route of held) await route.continue();
    await expect.poll(readBackground).toBe('none');
  });

  it('shows the request before its response arrives', async () => {
    const { page } = await visit(`${site.url}/no-such-page`);
    const held = new Promise<Route>((resolve) =>
      page.route('**/api/gamedata/item/no-such-item/', (route) =>
        route.request().isNavigationRequest() ? route.continue() : resolve(route),
      ),
    );
    await page.goto(`${site.url}/api/gamedata/item/no-such-item/`);
    const route = await held;
    expect(await page.locator('h1').textContent()).toBe('Loading…');
    expect(await page.locator('.request').textContent()).toContain(
      'GET /api/gamedata/item/no-such-item/',
    );
    await route.continue();
    await waitForHeading(page, 'Not found');
  });

  it('explains a 404 before the search index for suggestions arrives', async () => {
    const { page } = await visit(`${site.url}/no-such-page`);
    const held = new Promise<Route>((resolve) =>
      page.route('**/search.json', resolve),
    );
    await page.goto(`${site.url}/api/gamedata/item/mastre-ball/`);
    await waitForHeading(page, 'Not found');
    await page.getByRole('link', { name: 'The first page of items' }).waitFor();
    await (await held).continue();
    await page.getByRole('heading', { name: 'Did you mean' }).waitFor();
    await page.locator('.head', { hasText: 'HTTP 404' }).waitFor();
  });

  it('shows that the search index is loading', async () => {
    const { page } = await visit(site.url + LIST);
    const held = new Promise<Route>((resolve) =>
      page.route('**/search.json', resolve),
    );
    await page.locator('#query').fill('potion');
    await page
      .locator('#found', { hasText: /^Loading the search index…$/ })
      .waitFor();
    await (await held).continue();
    await page.locator('#found', { hasText: /^\d+ records$/ }).waitFor();
  });

  it("selects the command's text if it cannot be copied", async () => {
    const { page } = await visit(site.url + LIST);
    await page.evaluate(
      `Object.defineProperty(navigator, 'clipboard', { value: undefined })`,
    );
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await waitForText(page, 'Copying is not available here');
    expect(await page.evaluate('String(getSelection())')).toBe(
      `curl "${site.url}${LIST}"`,
    );
    await page.getByRole('link', { name: 'Open JSON' }).click();
    await page.waitForURL(
      `${site.url}/api/gamedata/item/?format=json&limit=100&offset=100`,
    );
    expect(await page.locator('body').textContent()).toContain('{"count":954,');
  });

  it('switches lists from the header without leaving the page', async () => {
    const { page } = await visit(`${site.url}/api/gamedata/`);
    const header = page.getByRole('navigation', { name: 'Site' });
    await waitForHeading(page, 'Kinds of records');
    await page.evaluate('window.isSame = true');
    for (const name of ['Items', 'Moves']) {
      await header.getByRole('link', { name }).click();
      await waitForHeading(page, `All ${name.toLowerCase()}`);
      expect(await header.locator('[aria-current]').allTextContents()).toEqual([
        name,
      ]);
    }
    expect(await page.evaluate('window.isSame')).toBe(true);
  });

  it.each(['altKey', 'ctrlKey', 'metaKey', 'shiftKey'])(
    'leaves a click with a modifier to the browser: %s',
    async (modifier) => {
      const { page } = await visit(site.url + LIST);
      await page.locator('.records').waitFor();
      // The listener runs last, and keeps the browser from following the link.
      const isPrevented = await page.evaluate(`new Promise((resolve) => {
        addEventListener('click', (event) => {
          resolve(event.defaultPrevented);
          event.preventDefault();
        });
        const options = { bubbles: true, cancelable: true, ${modifier}: true };
        document.querySelector('.records tbody a').dispatchEvent(new MouseEvent('click', options));
      })`);
      expect(isPrevented).toBe(false);
      expect(page.url()).toBe(site.url + LIST);
    },
  );

  it('prints every list column on A4 and Letter paper', async () => {
    const { page } = await visit(
      `${site.url}/api/gamedata/item/?format=api&limit=1000`,
    );
    await page.emulateMedia({ media: 'print' });
    // The paper width without Chromium's default margins.
    for (const width of [718, 740]) {
      await page.setViewportSize({ width, height: 1000 });
      const right: number = await page.evaluate(
        `Math.max(...Array.from(document.querySelectorAll('.records :is(th, td)'), (cell) => cell.getBoundingClientRect().right))`,
      );
      expect(right).toBeGreaterThan(width / 2);
      expect(right).toBeLessThanOrEqual(width);
    }
  });

  it('shows errors with suggestions', async () => {
    const { page, problems } = await visit(
      `${site.url}/api/gamedata/move/Mastre-Ball/`,
    );
    await waitForHeading(page, 'Not found');
    expect(await page.locator('.lead').textContent()).toBe(
      'There is nothing at this URL.',
    );
    expect(await page.locator('.head').textContent()).toContain(
      'HTTP 404 Not Found',
    );
    expect(await page.locator('.json').textContent()).toContain(
      '"detail": "Not found."',
    );
    await page.locator('.results a').first().click();
    await waitForHeading(page, 'Master Ball');
    expect(page.url()).toBe(`${site.url}/api/gamedata/item/master-ball/?format=api`);
    await goTo(page, '/api/gamedata/item/no-such-thing/');
    await page.getByRole('link', { name: 'The first page of items' }).click();
    await waitForHeading(page, 'All items');
    await goTo(page, '/api/gamedata/moves/');
    await waitForHeading(page, 'Not found');
    const ways = await page.locator('.ways a').allTextContents();
    expect(ways).toEqual([
      ...kindNames.map((kind) => `All ${pluralize(kind)}`),
      'All kinds',
      'Search',
    ]);
    // The page itself, and three responses that it shows.
    expect(problems).toEqual(
      Array(4).fill(expect.stringContaining('status of 404')),
    );
  });

  it('reports a missing or invalid response, and tries again', async () => {
    const { page } = await visit(site.url + LIST);
    await page.route('**/api/gamedata/**', (route) =>
      route.abort('internetdisconnected'),
    );
    await control(page, 'Next').click();
    await waitForHeading(page, 'No response');
    expect(await page.locator('#view').textContent()).toContain('Failed to fetch');
    await page.unroute('**/api/gamedata/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitForText(page, 'Records 201 to 300');

    await page.route('**/api/gamedata/item/potion/**', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'text/html',
        body: '<h1>busy</h1>',
      }),
    );
    await goTo(page, '/api/gamedata/item/potion/');
    await waitForHeading(page, 'Not an API response');
    expect(await page.locator('.lead').textContent()).toBe(
      'Got HTTP 503 Service Unavailable with text/html, expected JSON.',
    );
  });

  it('shows only the latest response', async () => {
    const { page } = await visit(site.url + LIST);
    const held = new Promise<Route>((resolve) =>
      page.route('**/api/gamedata/item/?*offset=200', (route) => resolve(route)),
    );
    await control(page, 'Next').click();
    await control(page, 'Last').click();
    await waitForText(page, 'Records 901 to 954');
    await (await held).continue().catch(() => {});
    await page.waitForTimeout(300);
    expect(await page.locator('.pager p').first().textContent()).toContain(
      'Records 901 to 954',
    );
  });

  it('does not parse data as markup, and replaces icons that fail to load', async () => {
    const { page, problems } = await visit(site.url + LIST);
    const hostile =
      '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
    const url = 'javascript:window.hit=1';
    const icon = 'sprites/items/"><b>.png';
    const json = {
      url,
      id: 1,
      slug: hostile,
      name: hostile,
      icon,
      [hostile]: [hostile],
    };
    await page.route('**/api/gamedata/item/evil/**', (route) =>
      route.fulfill({ json }),
    );
    await goTo(page, '/api/gamedata/item/evil/');
    await page.locator('h1', { hasText: hostile }).waitFor();
    expect(
      await page
        .locator('#view script, .card b, .json b, .json img, .json a')
        .count(),
    ).toBe(0);
    expect(await page.locator('.json').textContent()).toContain(
      JSON.stringify(hostile),
    );
    await expect
      .poll(() => measureWidth(page, '.picture img[src$="/unknown.png"]'))
      .toBe(30);
    expect(await page.evaluate('window.hit')).toBeUndefined();
    expect(problems.filter((problem) => !problem.includes('status of 404'))).toEqual(
      [],
    );
  });

  it.each(['disabled', 'blocked', 'broken'])(
    'links to the JSON if JavaScript is %s',
    async (how) => {
      const { page } = await visit(`${site.url}/no-such-page`, {
        javaScriptEnabled: how !== 'disabled',
      });
      await page.route('**/browse.js', (route) =>
        how === 'broken' ? route.fulfill({ body: 'not a script' }) : route.abort(),
      );
      await page.goto(site.url + RECORD);
      await waitForHeading(page, 'This page requires JavaScript and a web server');
      const files = page.getByRole('main').getByRole('listitem').getByRole('link');
      for (const file of await files.all()) {
        const href = (await file.getAttribute('href')) ?? '';
        expect((await fetch(new URL(href, site.url))).status).toBe(200);
      }
      await page.getByRole('link', { name: 'Open the JSON instead' }).click();
      await page.waitForURL('**/item/master-ball/?format=json');
      expect(await page.locator('body').textContent()).toContain(
        '"slug":"master-ball"',
      );
    },
  );
});
