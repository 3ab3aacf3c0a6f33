import type { Locator, Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/page-site.ts';

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
function findPagerLink(page: Page, name: string): Locator {
  const pager = page.getByRole('navigation', { name: 'Pages', exact: true });
  return pager.getByRole('link', { name, exact: true });
}

/** Goes to an address without loading the page again, as a click on a link does. */
async function goTo(page: Page, address: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${address}')`);
  await page.evaluate(`dispatchEvent(new PopStateEvent('popstate'))`);
}

function readScroll(page: Page): Promise<number> {
  return page.evaluate<number>('scrollY');
}

/**
 * Scrolls to a position and clicks the 21st of the links. The script clicks because
 * Playwright's own click would scroll again.
 */
async function scrollAndClick(page: Page, to: number, links: string): Promise<void> {
  await page.evaluate(`scrollTo(0, ${to})`);
  await page.evaluate(`document.querySelectorAll('${links}')[20].click()`);
}

interface HeldRequests {
  /** Resolves when the page has sent the first of these requests. */
  readonly sent: Promise<void>;
  /** Waits until a request has been sent, and lets all held requests continue. */
  release(): Promise<void>;
}

/** Holds back a page's requests for a URL, but not the navigation to this URL. */
async function holdRequests(page: Page, url: string): Promise<HeldRequests> {
  const routes: Route[] = [];
  let reportSent = (): void => {};
  const sent = new Promise<void>((resolve) => {
    reportSent = resolve;
  });

  await page.route(url, async (route) => {
    if (route.request().isNavigationRequest()) {
      await route.continue();
      return;
    }
    routes.push(route);
    reportSent();
  });

  async function release(): Promise<void> {
    await sent;
    for (const route of routes) {
      // The page may have aborted the request.
      await route.continue().catch(() => {});
    }
  }
  return { sent, release };
}

describe.skipIf(noBrowser !== '')(`the browsable page${noBrowser}`, () => {
  const site = usePageSite();
  const visit = useBrowser();

  async function readJson(address: string): Promise<Record<string, unknown>> {
    const response = await fetch(site.url + address);
    return (await response.json()) as Record<string, unknown>;
  }

  describe('for a record', () => {
    it("shows the record's path and the request", async () => {
      const { page } = await visit(site.url + RECORD);
      expect(await page.title()).toBe('Master Ball · gamedata');
      const breadcrumbs = page.locator('#breadcrumb li');
      expect(await breadcrumbs.allTextContents()).toEqual([
        'api',
        'item',
        'master-ball',
      ]);
      const request = page.locator('.request-line').first();
      const path = '/api/gamedata/item/master-ball/';
      expect(await request.textContent()).toBe(`GET ${path}`);
    });

    it('shows the status, the headers and the JSON of the response', async () => {
      const { page } = await visit(site.url + RECORD);
      const headers = [
        'Allow: GET, HEAD, OPTIONS',
        'Content-Type: application/json',
        'Vary: Accept',
      ].join('\n');
      expect(await page.locator('.headers pre').textContent()).toContain(headers);
      expect(await page.locator('.subject-status').textContent()).toMatch(/^200 /);

      const record = await readJson(RECORD);
      const json = page.locator('.json');
      expect(JSON.parse((await json.textContent()) ?? '')).toEqual(record);
      const link = await json.locator('a').getAttribute('href');
      expect(link).toBe(`${site.url}${RECORD}`);
    });

    it('shows the fields, and index numbers with their generations', async () => {
      const { page } = await visit(site.url + RECORD);
      const record = await readJson(RECORD);
      const facts = page.locator('.facts dl').first();
      expect(await facts.locator('dt').allTextContents()).toEqual(['slug', 'id']);
      const terms = await page.locator('.indices dt').allTextContents();
      expect(terms).toEqual(
        INDICES.map((name) => name.replace('id', 'Generation ')),
      );
      const values = INDICES.map((name) => String(record[name] ?? '–'));
      expect(await page.locator('.indices dd').allTextContents()).toEqual(values);
    });

    it('declares the canonical URL that search engines should list', async () => {
      const { page } = await visit(site.url + RECORD);
      await waitForHeading(page, 'Master Ball');
      const canonical = page.locator('link[rel="canonical"]');
      const url = `${site.url}/api/gamedata/item/master-ball/`;
      expect(await canonical.getAttribute('href')).toBe(url);
    });

    it('links to the previous and the next record', async () => {
      const { page } = await visit(`${site.url}/api/gamedata/item/poke-ball/`);
      await page.getByRole('link', { name: 'Previous' }).click();
      await waitForHeading(page, 'Great Ball');
      await page.getByRole('link', { name: 'Next' }).click();
      await waitForHeading(page, 'Poké Ball');
    });
  });

  describe('for a list', () => {
    it('shows each record as a table row, and links to the files with all records', async () => {
      const { page } = await visit(site.url + LIST);
      await page.locator('.records').waitFor();
      const columns = ['name', 'slug', 'id', ...INDICES];
      const headings = page.locator('.records thead th');
      const texts = await headings.allTextContents();
      const shownTexts = texts.map((text) => text.replace(/Index number.*/, ''));
      expect(shownTexts).toEqual(columns);
      expect(texts).toContain('id3Index number in generation 3');

      const list = await readJson(LIST);
      const [firstRecord = {}] = list.results as Record<string, unknown>[];
      const values = columns.map((name) => String(firstRecord[name] ?? '–'));
      const rows = page.locator('.records tbody tr');
      expect(await rows.count()).toBe(100);
      const cells = rows.first().locator('th, td');
      expect(await cells.allTextContents()).toEqual(values);

      const currentList = page.getByRole('navigation').locator('[aria-current]');
      expect(await currentList.allTextContents()).toContain('Items');
      const bulkFiles = page.locator('[data-files]:visible a');
      expect(await bulkFiles.allTextContents()).toEqual(['NDJSON', 'CSV']);
    });

    it('filters the whole list by generation', async () => {
      const { page } = await visit(`${site.url}/api/gamedata/move/`);
      await page.getByLabel('Generation').selectOption('1');
      await page.locator('#found', { hasText: /^\d+ of 746$/ }).waitFor();
      await expect.poll(() => page.url()).toMatch(/#q=&generation=1$/);
      const generations = await page
        .locator('#results .generation')
        .allTextContents();
      expect(new Set(generations)).toEqual(new Set(['gen 1']));
    });

    it('focuses the heading after the user goes to another page', async () => {
      const { page } = await visit(site.url + LIST);
      await findPagerLink(page, 'Last').focus();
      await page.keyboard.press('Enter');
      await waitForText(page, 'Records 901 to 954 of 954');
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    });

    // The browser's cache has the list's page and its JSON under the same URL.
    it('shows the page instead of the JSON when the user goes back', async () => {
      const { page } = await visit(site.url + LIST);
      await findPagerLink(page, 'Last').click();
      await waitForText(page, 'Records 901 to 954 of 954');
      await page.goto(`${site.url}/meta.json`);
      await page.goBack();
      await waitForText(page, 'Records 901 to 954');
    });

    it("keeps the list's scroll position when the user returns from a record", async () => {
      const { page } = await visit(site.url + LIST);
      await scrollAndClick(page, 1500, '.records tbody a');
      await page.locator('.facts').waitFor();
      await expect.poll(() => readScroll(page)).toBe(0);
      await page.goBack();
      await waitForText(page, 'Records 101 to 200');
      await expect.poll(() => readScroll(page)).toBe(1500);
      await page.reload();
      await expect.poll(() => readScroll(page)).toBe(1500);
    });

    it('shows the search results again when the user returns from a record', async () => {
      const { page } = await visit(site.url + LIST);
      const manyResults = page.locator('#results a').nth(20);
      await page.locator('#query').fill('item');
      await manyResults.waitFor();
      await scrollAndClick(page, 300, '#results a');
      await page.locator('.facts').waitFor();

      await page.goBack();
      await manyResults.waitFor();
      expect(await page.locator('#query').inputValue()).toBe('item');
      expect(page.url()).toBe(`${site.url}${LIST}#q=item`);
      await expect.poll(() => readScroll(page)).toBe(300);
      expect(await page.locator('.records').isVisible()).toBe(false);
    });

    it('shows the list again when the user clears the search', async () => {
      const { page } = await visit(`${site.url}${LIST}#q=ball`);
      await page.locator('#results a').first().waitFor();
      expect(await page.locator('.records').isVisible()).toBe(false);
      await page.locator('#query').fill('');
      await page.locator('.records').waitFor();
      await page.waitForURL(site.url + LIST);
    });
  });

  describe('while a response is pending', () => {
    it('shows the request before its response arrives', async () => {
      const address = '/api/gamedata/item/?limit=5';
      const { page } = await visit(`${site.url}/no-such-page`);
      const held = await holdRequests(page, `${site.url}${address}`);
      await page.goto(site.url + address);
      await held.sent;
      expect(await page.locator('h1').textContent()).toBe('Loading…');
      const request = await page.locator('.request').textContent();
      expect(request).toContain(`GET ${address}`);
      await held.release();
      await waitForHeading(page, 'All items');
    });

    it('explains a 404 before the search index for suggestions arrives', async () => {
      const { page } = await visit(`${site.url}/no-such-page`);
      const held = await holdRequests(page, '**/search.json');
      await page.goto(`${site.url}/api/gamedata/item/mastre-ball/`);
      await waitForHeading(page, 'Not found');
      await page.getByRole('link', { name: 'The first page of items' }).waitFor();
      await held.release();
      await page.getByRole('heading', { name: 'Did you mean' }).waitFor();
      await page.locator('.head', { hasText: 'HTTP 404' }).waitFor();
    });

    it('ignores a response that arrives after a newer one', async () => {
      const { page } = await visit(site.url + LIST);
      const held = await holdRequests(page, '**/api/gamedata/item/?*offset=200');
      await findPagerLink(page, 'Next').click();
      await findPagerLink(page, 'Last').click();
      await waitForText(page, 'Records 901 to 954');
      await held.release();
      await page.waitForTimeout(300);
      const summary = await page.locator('.pager p').first().textContent();
      expect(summary).toContain('Records 901 to 954');
    });
  });

  it('selects the curl command if it cannot be copied', async () => {
    const { page } = await visit(site.url + LIST);
    await page.evaluate(
      `Object.defineProperty(navigator, 'clipboard', { value: undefined })`,
    );
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await waitForText(page, 'Copying is not available here');
    const selected = await page.evaluate('String(getSelection())');
    expect(selected).toBe(`curl "${site.url}${LIST}"`);
  });

  it.each(['ctrlKey', 'shiftKey'])(
    'lets the browser handle a click with a modifier key: %s',
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
        const click = new MouseEvent('click', options);
        document.querySelector('.records tbody a').dispatchEvent(click);
      })`);
      expect(isPrevented).toBe(false);
      expect(page.url()).toBe(site.url + LIST);
    },
  );

  it('shows the 404 response for an unknown record, and suggests a record with a similar slug', async () => {
    const { page, problems } = await visit(
      `${site.url}/api/gamedata/move/Mastre-Ball/`,
    );
    await waitForHeading(page, 'Not found');
    const reason = await page.locator('.lead').textContent();
    expect(reason).toBe('There is nothing at this URL.');
    const head = await page.locator('.head').textContent();
    expect(head).toContain('HTTP 404 Not Found');
    const json = await page.locator('.json').textContent();
    expect(json).toContain('"detail": "Not found."');
    // The browser reports the page itself, and the response that it shows.
    const notFound = expect.stringContaining('status of 404');
    expect(problems).toEqual([notFound, notFound]);
    await page.locator('.results a').first().click();
    await waitForHeading(page, 'Master Ball');
    expect(page.url()).toBe(site.url + RECORD);
  });

  it('offers to try again if the server does not respond', async () => {
    const { page } = await visit(site.url + LIST);
    await page.route('**/api/gamedata/**', (route) =>
      route.abort('internetdisconnected'),
    );
    await findPagerLink(page, 'Next').click();
    await waitForHeading(page, 'No response');
    const explanation = await page.locator('#view').textContent();
    expect(explanation).toContain('Failed to fetch');

    await page.unroute('**/api/gamedata/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitForText(page, 'Records 201 to 300');
  });

  it('does not parse data as markup', async () => {
    const { page, problems } = await visit(site.url + LIST);
    const hostile =
      '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
    const json = {
      url: 'javascript:window.hit=1',
      id: 1,
      slug: hostile,
      name: hostile,
      icon: 'sprites/items/"><b>.png',
      [hostile]: [hostile],
    };
    await page.route('**/api/gamedata/item/evil/**', (route) =>
      route.fulfill({ json }),
    );
    await goTo(page, '/api/gamedata/item/evil/');
    await page.locator('h1', { hasText: hostile }).waitFor();

    const parsed = page.locator(
      '#view script, .facts b, .json b, .json img, .json a',
    );
    expect(await parsed.count()).toBe(0);
    const shownJson = await page.locator('.json').textContent();
    expect(shownJson).toContain(JSON.stringify(hostile));
    expect(await page.evaluate('window.hit')).toBeUndefined();
    const unexpected = problems.filter(
      (problem) => !problem.includes('status of 404'),
    );
    expect(unexpected).toEqual([]);
  });

  describe.each(['disabled', 'blocked', 'broken'])(
    'if JavaScript is %s',
    (state) => {
      async function visitRecord(): Promise<Page> {
        const { page } = await visit(`${site.url}/no-such-page`, {
          javaScriptEnabled: state !== 'disabled',
        });
        await page.route('**/browse.js', async (route) => {
          if (state === 'broken') await route.fulfill({ body: 'not a script' });
          else await route.abort();
        });
        await page.goto(site.url + RECORD);
        await waitForHeading(page, 'This page requires JavaScript and a web server');
        return page;
      }

      it('links to the JSON if JavaScript does not run', async () => {
        const page = await visitRecord();
        await page.getByRole('link', { name: 'Open the JSON instead' }).click();
        await page.waitForURL('**/item/master-ball/?format=json');
        const json = await page.locator('body').textContent();
        expect(json).toContain('"slug":"master-ball"');
      });
    },
  );
});
