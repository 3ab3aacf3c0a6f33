/** Names in every language in a real browser: searched in the one that was chosen, and listed for a record on request. */

import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, SHIFTS, useBrowser, type VisitOptions } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';
import { rawItem, rawMove } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

const pound = {
  de: 'Pfund',
  es: 'Destructor',
  'es-419': 'Destructor',
  fr: 'Écras’Face',
  it: 'Botta',
  ja: 'はたく',
  'ja-hrkt': 'はたく',
  ko: '막치기',
  'zh-hans': '拍击',
  'zh-hant': '拍擊',
};
const raw = {
  move: [
    rawMove(1, { slug: 'pound', englishName: 'Pound', names: pound }),
    rawMove(2, { slug: 'karate-chop', englishName: 'Karate Chop', names: { fr: 'Poing Karaté' } }),
  ],
  item: [rawItem(1, { slug: 'poke-ball', englishName: 'Poké Ball', names: { ja: 'モンスターボール' } })],
};

describe.skipIf(noBrowser !== '')(`names in every language${noBrowser}`, async () => {
  const site = usePageSite(await smallSource(raw, path.join(sharedFolder(), 'data')));
  const open = useBrowser();

  /** Opens a page on a phone, and tells which names it has asked for. */
  async function visit(at: string, options: VisitOptions = {}) {
    const visited = await open(site.url + at, { viewport: { width: 390, height: 800 }, ...options });
    const asked = (): Promise<string[]> =>
      visited.page.evaluate(
        `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((file) => file.startsWith('/names/')).map((file) => file.slice(7))`,
      );
    return { ...visited, asked };
  }

  const found = async (page: Page, text: string, count: string): Promise<string[]> => {
    await page.locator('#query').fill(text);
    await page.locator('#found', { hasText: new RegExp(`^${count}`) }).waitFor();
    return page.locator('#results .what').allTextContents();
  };

  it('are loaded for nobody who has not chosen a language, and found in the one that is', async () => {
    const { page, asked, problems } = await visit('/');
    expect(await found(page, 'pound', '1 record')).toEqual(['Pound pound']);
    expect(await found(page, 'écras', 'No records')).toEqual([]);
    expect(await asked()).toEqual([]);

    await page.locator('#names-language').selectOption({ label: 'Français' });
    for (const text of ['écras', 'ECRAS', "ecras'face", 'face'])
      expect(await found(page, text, '1 record')).toEqual(['Pound Écras’Face pound']);
    expect(await found(page, 'pound', '1 record')).toEqual(['Pound Écras’Face pound']);
    expect(await asked()).toEqual(['fr.json']);
    expect(await page.locator('#results [lang="fr"][dir="auto"]').textContent()).toBe('Écras’Face');

    await page.locator('#names-language').selectOption({ label: '日本語' });
    expect(await found(page, 'はたく', '1 record')).toEqual(['Pound はたく pound']);
    expect(await found(page, 'ﾊﾀｸ', 'No records')).toEqual([]);
    expect(await found(page, 'hataku', 'No records')).toEqual([]);
    expect(await found(page, 'karate', '1 record')).toEqual(['Karate Chop karate-chop']);
    expect(await asked()).toEqual(['fr.json', 'ja.json']);
    expect(problems).toEqual([]);
    expect(await page.evaluate(SHIFTS)).toBe(0);

    await page.reload();
    expect(await page.locator('#names-language').inputValue()).toBe('ja');
  });

  it('are searched in every language that is loaded, and offered in one that is not', async () => {
    const { page, asked, problems } = await visit(`/?q=${encodeURIComponent('モンスターボール')}`);
    const offered = () => page.locator('#found button').allTextContents();
    await page.locator('#found button').first().waitFor();
    expect(await offered()).toEqual(['日本語', '日本語（かな）']);
    await found(page, 'モンスター zz', 'No records');
    await found(page, 'モンスターボール', 'No records');
    await page.getByRole('button', { name: '日本語', exact: true }).click();
    await page.locator('#found', { hasText: /^1 record/ }).waitFor();
    expect(await page.locator('#results .what').allTextContents()).toEqual([
      'Poké Ball モンスターボール poke-ball',
    ]);
    expect(await page.locator('#names-language').inputValue()).toBe('ja');

    await page.locator('#names-language').selectOption({ label: 'English' });
    expect(await found(page, 'モンスター', '1 record')).toEqual(['Poké Ball モンスターボール poke-ball']);
    expect(await page.locator('#results [lang]').getAttribute('lang')).toBe('ja');
    expect(await found(page, 'zzz', 'No records')).toEqual([]);
    expect(await offered()).not.toContain('日本語');
    expect(await found(page, '123', 'No records')).toEqual([]);
    expect(await offered()).toEqual([]);
    expect(await asked()).toEqual(['ja.json']);
    expect(problems).toEqual([]);
  });

  it('are in the language of the URL, which others can be sent without changing what they have chosen', async () => {
    const { page } = await visit('/');
    await page.locator('#names-language').selectOption('ja');
    expect(new URL(page.url()).search).toBe('');
    await found(page, 'モンスター', '1 record');
    const shared = page.url();
    expect(new URL(shared).search).toBe(`?q=${encodeURIComponent('モンスター')}&language=ja`);

    const { page: other } = await visit('/', { locale: 'fr-FR' });
    await other.goto(shared);
    await other.locator('#results [lang=ja]').waitFor();
    expect(await other.locator('#names-language').inputValue()).toBe('ja');
    await other.goto(`${site.url}/?q=pound&language=xx`);
    await other.locator('#found', { hasText: /^1 record/ }).waitFor();
    expect(await other.locator('#names-language').inputValue()).toBe('fr');
  });

  it.each([
    ['fr-CA', 'fr'],
    ['ja-JP', 'ja'],
    ['zh-TW', 'zh-hant'],
    ['zh-CN', 'zh-hans'],
    ['es-419', 'es-419'],
    ['en-GB', ''],
    ['fi-FI', ''],
  ])(
    'in a browser that prefers %s are preselected, and loaded with the first search',
    async (locale, language) => {
      const { page, asked } = await visit('/', { locale });
      await page.waitForLoadState('networkidle');
      expect(await page.locator('#names-language').inputValue()).toBe(language);
      expect(await asked()).toEqual([]);
      await found(page, 'pound', '1 record');
      expect(await asked()).toEqual(language === '' ? [] : [`${language}.json`]);
    },
  );

  it('say what failed if they cannot be loaded, and are asked for again', async () => {
    const { page } = await visit('/');
    await page.route('**/names/fr.json', (route) => route.fulfill({ status: 503 }));
    await page.locator('#names-language').selectOption('fr');
    await found(page, 'écras', 'The search index could not be loaded \\(names/fr.json: got 503\\)');
    await page.unroute('**/names/fr.json');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('#found', { hasText: /^1 record/ }).waitFor();
  });

  it('of a record are listed on its page, when somebody asks for them', async () => {
    const { page, asked, problems } = await visit('/api/gamedata/move/pound/');
    await page.waitForLoadState('networkidle');
    expect(await asked()).toEqual([]);
    await page.getByText('Names in every language').click();
    await page.locator('details table').waitFor();
    const rows = await page
      .locator('details tr')
      .evaluateAll((all) =>
        all.map((row) => [row.querySelector('td')?.lang, row.querySelector('td')?.textContent]),
      );
    expect(Object.fromEntries(rows)).toEqual({ en: 'Pound', ...pound });
    expect(rows).toHaveLength(11);
    expect(await asked()).toHaveLength(11);
    expect(problems).toEqual([]);
    expect(await page.evaluate(SHIFTS)).toBe(0);
    await page.goto(`${site.url}/api/gamedata/item/`);
    await page.locator('table.records').waitFor();
    expect(await page.locator('#body details').count()).toBe(0);
  });
});
