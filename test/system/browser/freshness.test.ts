import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { PACKAGE_ROOT } from '../../../src/package.ts';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { usePageSite } from '../../support/page-site.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

/** Returns the recipe that finds out whether the data has changed, without its calls. */
function readRecipe(): string {
  const file = path.join(PACKAGE_ROOT, 'docs/RECIPES.md');
  const recipes = readFileSync(file, 'utf8');
  const match = recipes.match(/^let storedDigest;\nasync function.*?^}$/ms);
  if (match === null) throw new Error('docs/RECIPES.md has no such recipe');
  return match[0];
}

describe.skipIf(noBrowser !== '')(`a browser${noBrowser}`, () => {
  const site = usePageSite();
  const visit = useBrowser();
  const data = path.join(sharedFolder(), 'data');

  it('does not serve an outdated response from its cache to the recipe that detects changes', async () => {
    const { page } = await visit(`${site.url}/`);
    const recipe = readRecipe().replaceAll('https://gamedata.example', site.url);
    await page.evaluate(
      `globalThis.hasChanged = (() => { ${recipe} return hasChanged; })()`,
    );
    const hasChanged = (): Promise<unknown> => page.evaluate('hasChanged()');
    expect(await hasChanged()).toBe(true);
    expect(await hasChanged()).toBe(false);

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
    await expect.poll(hasChanged).toBe(true);
  });
});
