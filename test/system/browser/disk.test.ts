import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

describe.skipIf(noBrowser !== '').for(['query', 'file'] as const)(
  `a site opened from disk with %s links${noBrowser}`,
  async (links) => {
    const site = usePageSite({
      ...(await smallSource(undefined, path.join(sharedFolder(), 'data'))),
      links,
    });
    const visit = useBrowser();
    const open = (file: string) =>
      visit(pathToFileURL(`${site.folder}/${file}`).href);

    it.each(['index.html', 'browse/index.html', 'docs/index.html'])(
      'hides forms, and links only to files that exist: %s',
      async (file) => {
        const { page, problems, foreign } = await open(file);
        for (const form of await page.locator('form').all()) {
          expect(await form.isVisible()).toBe(false);
        }
        const hrefs = await page.evaluate<string[]>(
          `Array.from(document.querySelectorAll('a[href^="file:"], a:not([href*="://"])'), ({ href }) => href.replace(/#.*/, ''))`,
        );
        expect(hrefs.length).toBeGreaterThan(5);
        expect(
          hrefs.filter(
            (href) => href.endsWith('/') || !existsSync(fileURLToPath(href)),
          ),
        ).toEqual([]);
        expect([...problems, ...foreign]).toEqual([]);
      },
    );

    it.each([
      ['index.html', 'Moves', 'move/'],
      ['browse/index.html', 'Open the JSON instead', ''],
    ])(
      'explains that pages need a server, and links to the JSON: %s',
      async (file, link, list) => {
        const { page } = await open(file);
        expect(
          await page.getByText(/requires? JavaScript and a web server/).isVisible(),
        ).toBe(true);
        await page.getByRole('link', { name: link }).first().click();
        await page.waitForURL(`**/api/gamedata/${list}index.json`);
      },
    );
  },
);
