import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { PACKAGE_ROOT } from '../../../src/package.ts';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

/** Returns the functions `read` and `refresh` of the recipe for browsers. */
function readRecipe(): string {
  const file = path.join(PACKAGE_ROOT, 'docs/RECIPES.md');
  const recipes = readFileSync(file, 'utf8');
  const match = recipes.match(/^async function read\(.*?^let current;.*?^}$/ms);
  if (match === null) throw new Error('docs/RECIPES.md has no such recipe');
  return match[0];
}

describe.skipIf(noBrowser !== '')(`a browser${noBrowser}`, () => {
  const site = usePageSite();
  const visit = useBrowser();
  const data = path.join(sharedFolder(), 'data');

  it('the recipe loads the data again only if it has changed', async () => {
    const { page } = await visit(`${site.url}/`);
    const recipe = readRecipe().replaceAll('https://gamedata.example', site.url);
    // Returns the number of moves for each time that the recipe loads the data.
    const refreshTwice = `(async () => {
      ${recipe}
      const counts = [];
      const onChange = (all) => counts.push(all.move.length);
      await refresh(onChange);
      await refresh(onChange);
      return counts;
    })()`;
    expect(await page.evaluate(refreshTwice)).toEqual([746]);

    const source = await smallSource(undefined, data);
    const allowMissing = ['names/en'];
    await build({
      ...source,
      out: site.folder,
      baseUrl: 'https://example.test',
      hosts: [],
      maxShrink: 100,
      allowMissing,
    });
    await expect.poll(() => page.evaluate(refreshTwice)).toEqual([120]);
  });
});
