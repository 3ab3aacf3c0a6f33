/** The docs in a real browser: readable without a script, true to the site, and every request in them can be sent. */

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
  const openApi = (): Document => JSON.parse(readFileSync(path.join(site.folder, 'openapi.json'), 'utf8'));

  it('have every endpoint, type and field of the OpenAPI document, without a script', async () => {
    const { page, problems, foreign } = await visit(`${site.url}/docs/`, { javaScriptEnabled: false });
    const { paths, components } = openApi();
    for (const [address, { get }] of Object.entries(paths)) {
      const isCopy = /\.(?:csv|ndjson|json)\.(?:gz|br)$/.test(address);
      const place = ['records', 'names'].some((tag) => get.tags.includes(tag))
        ? page.locator(`#${get.operationId} h3`)
        : page.locator('table');
      if (!isCopy) expect(await place.getByText(address, { exact: true }).count(), address).toBe(1);
    }
    for (const [name, { properties }] of Object.entries(components.schemas))
      expect(await page.locator(`#${name} tbody code:first-child`).allTextContents(), name).toEqual(
        expect.arrayContaining(Object.keys(properties ?? {})),
      );
    expect(await page.locator('.try').first().isVisible()).toBe(false);
    // The samples can be chosen without a script, too.
    await page.getByLabel('Python').first().check();
    await page.locator('#getRoot pre', { hasText: 'urlopen' }).waitFor();
    expect([...problems, ...foreign]).toEqual([]);
  });

  it('show real responses, and take at most 50 kB, and 11 for each kind, with everything', async () => {
    const { page } = await visit(`${site.url}/docs/`);
    await page.waitForLoadState('networkidle');
    const sizes: number[] = await page.evaluate(
      `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type)).map(({ decodedBodySize }) => decodedBodySize)`,
    );
    const total = sizes.reduce((sum, size) => sum + size);
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThan(50_000 + 11_000 * kindNames.length);

    const shown = JSON.parse((await page.locator('#getItem details pre').textContent()) ?? '');
    expect(shown).toEqual(await (await fetch(`${site.url}/api/gamedata/item/${shown.slug}/`)).json());
    const list = JSON.parse((await page.locator('#getMovePage details pre').textContent()) ?? '');
    const served = (await (await fetch(`${site.url}/api/gamedata/move/`)).json()) as { results: unknown[] };
    expect(list).toEqual({ ...served, results: served.results.slice(0, 2) });
  });

  it('send a request, and show its status, headers and body', async () => {
    const { page, problems } = await visit(`${site.url}/docs/`);
    const endpoint = page.locator('#getMovePage');
    await endpoint.getByLabel('limit').fill('3');
    await endpoint.getByLabel('offset').fill('7');
    await endpoint.getByRole('button', { name: 'Send request' }).click();
    const served = await fetch(`${site.url}/api/gamedata/move/?limit=3&offset=7`);
    await endpoint.locator('.answer .json').waitFor();
    expect(JSON.parse((await endpoint.locator('.answer .json').textContent()) ?? '')).toEqual(
      await served.json(),
    );
    const head = await endpoint.locator('.answer .head').textContent();
    expect(head).toContain(
      'GET /api/gamedata/move/?limit=3&offset=7\nHTTP 200 OK\nAllow: GET, HEAD, OPTIONS',
    );
    expect(head).toContain(`ETag: ${served.headers.get('etag')}`);
    expect(problems).toEqual([]);

    const record = page.locator('#getMove');
    await record.getByLabel('slug', { exact: true }).fill('../no such/thing');
    await record.getByRole('button', { name: 'Send request' }).click();
    await record.getByText('HTTP 404 Not Found').waitFor();
    expect(await record.locator('.answer .json').textContent()).toContain('"detail": "Not found."');

    await page.route('**/api/gamedata/', (route) => route.abort('internetdisconnected'));
    await page.locator('#getRoot').getByRole('button', { name: 'Send request' }).click();
    await page.locator('#getRoot').getByText('No response: Failed to fetch').waitFor();
  });

  it('show every sample in the language that was chosen last, also the next time', async () => {
    const { page } = await visit(`${site.url}/docs/`);
    await page.locator('#getItem').getByLabel('TypeScript').check();
    const isChosen = page.locator('.tabs input[value=TypeScript]:checked');
    const samples = 3 + 2 * kindNames.length;
    expect([await isChosen.count(), await page.locator('.tabs').count()]).toEqual([samples, samples]);
    await page.reload();
    await page.locator('#getMove pre', { hasText: "import type { Move } from './types.d.ts'" }).waitFor();
  });

  it('look like tabs where samples are chosen, of which the arrow keys choose another', async () => {
    const { page } = await visit(`${site.url}/docs/`);
    await page.locator('#getItem').getByLabel('curl').focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('#getItem .tabs pre:visible', { hasText: 'await fetch' }).waitFor();
    const looks = await page.locator('#getItem .tabs label').evaluateAll((labels) =>
      labels.map((label) => {
        const own = label.ownerDocument.defaultView?.getComputedStyle(label);
        const button = label.firstElementChild;
        const opacity = button && label.ownerDocument.defaultView?.getComputedStyle(button).opacity;
        return [label.textContent?.trim(), own?.borderBottomWidth, own?.outlineStyle, opacity];
      }),
    );
    expect(looks).toEqual([
      ['curl', '0px', 'none', '0'],
      ['JavaScript', '2px', 'solid', '0'],
      ['Python', '0px', 'none', '0'],
      ['TypeScript', '0px', 'none', '0'],
    ]);
  });

  it('color JSON and code without changing them', async () => {
    const { page } = await visit(`${site.url}/docs/`);
    const sample = page.locator('#getItem pre', { hasText: 'await fetch' }).first();
    expect(await sample.locator('.literal').allTextContents()).toEqual(
      expect.arrayContaining(['const', 'await', 'throw', 'new']),
    );
    expect(await sample.locator('.string').first().textContent()).toBe(
      "'https://example.test/api/gamedata/item/master-ball/'",
    );
    const response = page.locator('#getItem details pre');
    expect((await response.locator('.key').allTextContents()).slice(0, 2)).toEqual(['"url"', '"id"']);
    expect(await response.locator('.null').count()).toBeGreaterThan(0);
    const color = (place: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${place}')).color`);
    const shown = [
      await color('.tabs .string'),
      await color('details .string'),
      await color('details .null'),
    ];
    await page.locator('#getItem').getByRole('button', { name: 'Send request' }).click();
    await page.locator('#getItem .answer .null').first().waitFor();
    const answered = [await color('.answer .string'), await color('.answer .null')];
    await page.goto(`${site.url}/api/gamedata/item/master-ball/`);
    await page.locator('.json .null').first().waitFor();
    const onRecordPages = [await color('.json .string'), await color('.json .null')];
    expect([shown, answered]).toEqual([[onRecordPages[0], ...onRecordPages], onRecordPages]);
  });

  it('offer the values of an enum', async () => {
    const { page } = await visit(`${site.url}/docs/`);
    const format = page.locator('#getItem').getByLabel('format');
    expect(await format.locator('option').allTextContents()).toEqual(['default', 'api', 'json']);
    await format.selectOption('json');
    await page.locator('#getItem').getByRole('button', { name: 'Send request' }).click();
    await page.locator('#getItem .head', { hasText: 'master-ball/?format=json' }).waitFor();
    const names = page.locator('#getNames');
    await names.getByLabel('language', { exact: true }).selectOption('fr');
    await names.getByRole('button', { name: 'Send request' }).click();
    await names.locator('.head', { hasText: 'GET /names/fr.json' }).waitFor();
  });

  it('keep their contents in sight, and mark the section in them that is read', async () => {
    const { page } = await visit(`${site.url}/docs/`, { viewport: { width: 1100, height: 700 } });
    const contents = page.getByRole('navigation', { name: 'Contents' });
    const marked = contents.locator('[aria-current]');
    expect(await marked.allTextContents()).toEqual(['Endpoints']);
    for (const [name, expected] of [
      ['Errors', 'Errors'],
      ['/api/gamedata/item/{slug}/', '/api/gamedata/item/{slug}/'],
      ['Hosts', 'Hosts'],
    ] as const) {
      await contents.getByRole('link', { name, exact: true }).click();
      await contents.locator('[aria-current]', { hasText: expected }).waitFor();
      expect(await marked.count()).toBe(1);
      const { y, height } = (await marked.boundingBox()) ?? { y: -1, height: 0 };
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThanOrEqual(700);
    }
    // In a low window, too.
    await page.setViewportSize({ width: 1100, height: 200 });
    await page.evaluate("document.querySelector('#types').scrollIntoView()");
    await contents.locator('[aria-current]', { hasText: 'Types' }).waitFor();
    expect(await marked.evaluate((link) => link.getBoundingClientRect().bottom)).toBeLessThanOrEqual(200);
  });

  it.each([
    [1099, false, false],
    [1100, true, false],
    [1400, true, true],
  ])('at %i pixels have the contents (%s) and code (%s) beside the text', async (width, contents, code) => {
    const { page } = await visit(`${site.url}/docs/`, { viewport: { width, height: 900 } });
    const isBeside = (place: string, other: string) =>
      page.evaluate(
        `document.querySelector('${place}').getBoundingClientRect().right <= document.querySelector('${other}').getBoundingClientRect().left`,
      );
    expect(await isBeside('.contents', 'h1')).toBe(contents);
    expect(await isBeside('#getItem > div', '#getItem > .code')).toBe(code);
  });

  it.each([320, 390, 768, 1280, 1920])('break no name of a parameter at %i pixels', async (width) => {
    const { page } = await visit(`${site.url}/docs/`, { viewport: { width, height: 900 } });
    const broken = await page.evaluate(
      `Array.from(document.querySelectorAll('.fields th code'), (code) => [code.textContent, code.getClientRects().length]).filter(([name, lines]) => name === 'If-None-Match' && lines !== 1)`,
    );
    expect(broken).toEqual([]);
  });

  it('copy the code that is shown', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page } = await visit(`${site.url}/docs/`, { permissions });
    const sample = page.locator('#getItem .tabs');
    await sample.getByLabel('Python').check();
    await sample.getByRole('button', { name: 'Copy code' }).click();
    await page.getByText('Copied.').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain('from urllib.request import urlopen');
    expect(copied).toBe(await sample.locator('pre', { hasText: 'urlopen' }).textContent());
  });

  it('are where the reference was', async () => {
    const { page } = await visit(`${site.url}/reference.html`, { waits: false });
    await page.waitForURL(`${site.url}/docs/`);
  });
});
