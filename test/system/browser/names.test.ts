import path from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { noBrowser, SHIFTS, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/page-site.ts';
import { rawItem, rawMove } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

/** The names of the move `pound` in languages other than English. */
const poundNames = {
  'es-419': 'Destructor',
  fr: 'Écras’Face',
  ja: 'はたく',
  'zh-hans': '拍击',
  'zh-hant': '拍擊',
};
const raw = {
  move: [
    rawMove(1, { slug: 'pound', englishName: 'Pound', names: poundNames }),
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
    const data = path.join(sharedFolder(), 'data');
    const site = usePageSite(await smallSource(raw, data));
    const open = useBrowser();

    /**
     * Opens a page in a narrow window. `listNameFiles` returns the files with names
     * that the page has requested since then.
     */
    async function visit(address: string, options: BrowserContextOptions = {}) {
      const viewport = { width: 390, height: 800 };
      const visited = await open(site.url + address, { viewport, ...options });

      async function listNameFiles(): Promise<string[]> {
        const urls = await visited.page.evaluate<string[]>(
          `performance.getEntriesByType('resource').map((entry) => entry.name)`,
        );
        const files: string[] = [];
        for (const url of urls) {
          const { pathname } = new URL(url);
          const [, file] = pathname.split('/names/');
          if (file !== undefined) files.push(file);
        }
        return files;
      }
      return { ...visited, listNameFiles };
    }

    async function waitForSummary(page: Page, start: string): Promise<void> {
      const hasText = new RegExp(`^${start}`);
      await page.locator('#found', { hasText }).waitFor();
    }

    /** Searches for a text, and returns the text of each result. */
    async function find(
      page: Page,
      text: string,
      summary: string,
    ): Promise<string[]> {
      await page.locator('#query').fill(text);
      await waitForSummary(page, summary);
      return page.locator('#results .names').allTextContents();
    }

    it('searches English names and the names in the selected language', async () => {
      const { page, problems } = await visit('/');
      await page.locator('#names-language').selectOption({ label: 'Français' });
      for (const text of ['écras', "ECRAS'FACE", 'pound']) {
        const results = await find(page, text, '1 of 3');
        expect(results).toEqual(['Écras’Face Pound']);
      }
      const frenchName = page.locator('#results [lang="fr"][dir="auto"]');
      expect(await frenchName.textContent()).toBe('Écras’Face');
      expect(problems).toEqual([]);
    });

    it('finds a name in another language than the selected one', async () => {
      const { page, listNameFiles, problems } = await visit('/');
      await page.locator('#names-language').selectOption({ label: 'Français' });
      await find(page, 'écras', '1 of 3');
      await page.locator('#names-language').selectOption({ label: '日本語' });
      const results = await find(page, 'モンスター', '1 of 3');
      expect(results).toEqual(['モンスターボール Poké Ball']);
      expect(await find(page, 'écras', '1 of 3')).toEqual(['Écras’Face Pound']);
      expect(await listNameFiles()).toEqual(['fr.json', 'ja.json', 'es-419.json']);
      expect(problems).toEqual([]);
      expect(await page.evaluate(SHIFTS)).toBe(0);
    });

    it('remembers the selected language when the page is reloaded', async () => {
      const { page } = await visit('/');
      await page.locator('#names-language').selectOption({ label: '日本語' });
      await find(page, 'モンスター', '1 of 3');
      // The page updates its URL with a delay, and the language in the URL takes
      // precedence.
      await page.waitForURL(/language=ja/);
      await page.reload();
      expect(await page.locator('#names-language').inputValue()).toBe('ja');
    });

    it('adds the selected language to the URL of a search', async () => {
      const { page } = await visit('/', { locale: 'fr-FR' });
      await page.locator('#names-language').selectOption('ja');
      expect(new URL(page.url()).search).toBe('');
      await find(page, 'モンスター', '1 of 3');
      await page.waitForURL(/\?q=/);
      const { search } = new URL(page.url());
      expect(search).toBe(`?q=${encodeURIComponent('モンスター')}&language=ja`);
    });

    it("searches in the language from the URL without changing the user's own choice", async () => {
      const query = encodeURIComponent('モンスター');
      const { page } = await visit(`/?q=${query}&language=ja`, { locale: 'fr-FR' });
      await page.locator('#results [lang=ja]').waitFor();
      await page.goto(`${site.url}/?q=pound&language=xx`);
      await waitForSummary(page, '1 of 3');
      expect(await page.locator('#names-language').inputValue()).toBe('fr');
    });

    it("preselects the browser's language, and shows the examples in that language", async () => {
      const { page, listNameFiles, problems } = await visit('/', {
        locale: 'ja-JP',
      });
      await page.waitForLoadState('networkidle');
      expect(await page.locator('#names-language').inputValue()).toBe('ja');
      const names = await page.locator('#results .names').allTextContents();
      expect(names).toContain('はたく Pound');
      expect(await listNameFiles()).toEqual(['ja.json']);
      expect(problems).toEqual([]);
    });

    it('searches in the language that uses the script of the query', async () => {
      const { page, listNameFiles } = await visit('/', { locale: 'fr-FR' });
      const results = await find(page, 'もんすたー', '1 of 3');
      expect(results).toEqual(['モンスターボール Poké Ball']);
      expect(await page.locator('#results [lang="ja"]').count()).toBe(1);
      expect(await listNameFiles()).toEqual(['fr.json', 'ja.json']);
    });

    it("lists a record's names in every language when the user asks for them", async () => {
      const { page, listNameFiles, problems } = await visit(
        '/api/gamedata/move/pound/',
      );
      await page.waitForLoadState('networkidle');
      expect(await listNameFiles()).toEqual([]);
      await page.getByText('Names in every language').click();
      await page.locator('details table').waitFor();
      const names: Record<string, string | null> = {};
      for (const cell of await page.locator('details td').all()) {
        const language = (await cell.getAttribute('lang')) ?? '';
        names[language] = await cell.textContent();
      }
      expect(names).toEqual({ en: 'Pound', ...poundNames });
      expect(problems).toEqual([]);
    });
  },
);
