import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/page-site.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

/**
 * Chromium reports that it cannot load the search from disk in advance. The page does not
 * use the search there.
 */
const isUnexpected = (problem: string): boolean =>
  !/search\.js|net::ERR_FAILED/.test(problem);

describe.skipIf(noBrowser !== '').for(['query', 'file'] as const)(
  `a site opened from disk with %s links${noBrowser}`,
  async (links) => {
    const data = path.join(sharedFolder(), 'data');
    const source = await smallSource(undefined, data);
    const site = usePageSite({ ...source, links });
    const visit = useBrowser();

    function open(file: string) {
      const url = pathToFileURL(`${site.folder}/${file}`);
      return visit(url.href);
    }

    const pages = ['index.html', 'browse/index.html', 'docs/index.html'];

    it.each(pages)(
      'hides forms on a page that is opened from disk: %s',
      async (file) => {
        const { page, problems, foreign } = await open(file);
        for (const form of await page.locator('form').all()) {
          expect(await form.isVisible()).toBe(false);
        }
        expect([...problems, ...foreign].filter(isUnexpected)).toEqual([]);
      },
    );

    it.each(pages)('links only to files that exist: %s', async (file) => {
      const { page } = await open(file);
      const hrefs = await page.evaluate<string[]>(`(() => {
        const links = 'a[href^="file:"], a:not([href*="://"])';
        return Array.from(document.querySelectorAll(links), (link) => link.href);
      })()`);
      expect(hrefs.length).toBeGreaterThan(5);

      const brokenLinks: string[] = [];
      for (const href of hrefs) {
        const linkedFile = href.replace(/#.*/, '');
        // A folder exists on disk, but the browser would list its files.
        const isFolder = linkedFile.endsWith('/');
        if (isFolder || !existsSync(fileURLToPath(linkedFile))) {
          brokenLinks.push(href);
        }
      }
      expect(brokenLinks).toEqual([]);
    });

    it.each([
      ['index.html', 'Moves', 'move/'],
      ['browse/index.html', 'Open the JSON instead', ''],
    ])(
      'explains that pages need a server, and links to the JSON: %s',
      async (file, name, list) => {
        const { page } = await open(file);
        const explanation = page.getByText(/requires? JavaScript and a web server/);
        expect(await explanation.isVisible()).toBe(true);
        await page.getByRole('link', { name }).first().click();
        await page.waitForURL(`**/api/gamedata/${list}index.json`);
      },
    );
  },
);
