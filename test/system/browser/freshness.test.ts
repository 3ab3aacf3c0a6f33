import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { PACKAGE_ROOT } from '../../../src/package.ts';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/served-pages.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

const recipes = readFileSync(path.join(PACKAGE_ROOT, 'docs/RECIPES.md'), 'utf8');
const [recipe = ''] =
  /^async function read\(.*?^let current;.*?^}$/ms.exec(recipes) ?? [];

describe.skipIf(noBrowser !== '')(`a browser${noBrowser}`, () => {
  const site = usePageSite();
  const visit = useBrowser();
  const data = path.join(sharedFolder(), 'data');

  it('loads data with the recipe only if the data changed', async () => {
    const { page } = await visit(`${site.url}/`);
    const refreshTwice = `(async () => {
      ${recipe.replaceAll('https://gamedata.example', site.url)}
      const counts = [];
      for (const _ of [1, 2]) await refresh((all) => counts.push(all.move.length));
      return counts;
    })()`;
    expect(await page.evaluate(refreshTwice)).toEqual([746]);
    await build({
      ...(await smallSource(undefined, data)),
      out: site.folder,
      maxShrink: 100,
    });
    await expect.poll(() => page.evaluate(refreshTwice)).toEqual([120]);
  });
});
