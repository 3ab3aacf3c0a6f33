import path from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, SHIFTS, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';
import { rawItem, rawMove } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

const pound = {
  'es-419': 'Destructor',
  fr: 'Écras’Face',
  ja: 'はたく',
  'zh-hans': '拍击',
  'zh-hant': '拍擊',
};
const raw = {
  move: [
    rawMove(1, { slug: 'pound', englishName: 'Pound', names: pound }),
    rawMove(2, {
      slug: 'karate-chop',
      englishName: 'Karate Chop',
      names: { fr: 'Poing Karaté' },
    }),
  ],
  item: [
    rawItem(1, {
      slug: 'poke-ball',
      englishName: 'Poké Ball',
      names: { ja: 'モンスターボール' },
    }),
  ],
};

describe.skipIf(noBrowser !== '')(
  `names in every language${noBrowser}`,
  async () => {
    const site = usePageSite(
      await smallSource(raw, path.join(sharedFolder(), 'data')),
    );
    const open = useBrowser();

    async function visit(at: string, options: BrowserContextOptions = {}) {
      const visited = await open(site.url + at, {
        viewport: { width: 390, height: 800 },
        ...options,
      });
      const requested = (): Promise<string[]> =>
        visited.page.evaluate(
          `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((file) => file.startsWith('/names/')).map((file) => file.slice(7))`,
        );
      return { ...visited, requested };
    }

    const find = async (
      page: Page,
      text: string,
      count: string,
    ): Promise<string[]> => {
      await page.locator('#query').fill(text);
      await page.locator('#found', { hasText: new RegExp(`^${count}`) }).waitFor();
      return page.locator('#results .what').allTextContents();
    };

    it('searches only the selected language, and remembers it', async () => {
      const { page, requested, problems } = await visit('/');
      expect(await find(page, 'pound', '1 record')).toEqual(['Pound pound']);
      expect(await find(page, 'écras', 'No records')).toEqual([]);
      expect(await requested()).toEqual([]);

      await page.locator('#names-language').selectOption({ label: 'Français' });
      for (const text of ['écras', "ECRAS'FACE", 'pound']) {
        expect(await find(page, text, '1 record')).toEqual([
          'Pound Écras’Face pound',
        ]);
      }
      expect(
        await page.locator('#results [lang="fr"][dir="auto"]').textContent(),
      ).toBe('Écras’Face');
      await page.locator('#names-language').selectOption({ label: '日本語' });
      expect(await find(page, 'モンスター', '1 record')).toEqual([
        'Poké Ball モンスターボール poke-ball',
      ]);
      expect(await find(page, 'écras', 'No records')).toEqual([]);
      expect(await requested()).toEqual(['fr.json', 'ja.json']);
      expect(problems).toEqual([]);
      expect(await page.evaluate(SHIFTS)).toBe(0);
      // The page updates its URL with a delay, and the language in the URL takes
      // precedence.
      await page.waitForURL(/language=ja/);
      await page.reload();
      expect(await page.locator('#names-language').inputValue()).toBe('ja');
    });

    it("searches the URL's language without changing the user's choice", async () => {
      const { page } = await visit('/', { locale: 'fr-FR' });
      await page.locator('#names-language').selectOption('ja');
      expect(new URL(page.url()).search).toBe('');
      await find(page, 'モンスター', '1 record');
      await page.waitForURL(/\?q=/);
      const shared = page.url();
      expect(new URL(shared).search).toBe(
        `?q=${encodeURIComponent('モンスター')}&language=ja`,
      );

      const { page: other } = await open(shared, { locale: 'fr-FR' });
      await other.locator('#results [lang=ja]').waitFor();
      await other.goto(`${site.url}/?q=pound&language=xx`);
      await other.locator('#found', { hasText: /^1 record/ }).waitFor();
      expect(await other.locator('#names-language').inputValue()).toBe('fr');
    });

    it("preselects the browser's language, and loads its names with the first search", async () => {
      const { page, requested, problems } = await visit('/', { locale: 'ja-JP' });
      await page.waitForLoadState('networkidle');
      expect(await page.locator('#names-language').inputValue()).toBe('ja');
      expect(await requested()).toEqual([]);
      await find(page, 'pound', '1 record');
      expect(await requested()).toEqual(['ja.json']);
      expect(problems).toEqual([]);
    });

    it("lists a record's names on request", async () => {
      const { page, requested, problems } = await visit('/api/gamedata/move/pound/');
      await page.waitForLoadState('networkidle');
      expect(await requested()).toEqual([]);
      await page.getByText('Names in every language').click();
      await page.locator('details table').waitFor();
      const rows = await page.evaluate<[string, string][]>(
        `Array.from(document.querySelectorAll('details td'), ({ lang, textContent }) => [lang, textContent])`,
      );
      expect(Object.fromEntries(rows)).toEqual({ en: 'Pound', ...pound });
      expect(problems).toEqual([]);
    });
  },
);
