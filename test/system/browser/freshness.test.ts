import { readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { PACKAGE_ROOT } from '../../../src/package.ts';
import { noBrowser, useBrowser } from '../../support/browser.ts';
import { serve } from '../../support/engines/serve.ts';
import { nginx } from '../../support/engines/web-servers.ts';
import { smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Returns the digest and the bytes of its response. */
const script = `(async () => {
  performance.clearResourceTimings();
  const { digest } = await (await fetch('/meta.json')).json();
  const [{ transferSize }] = performance.getEntriesByName(location.origin + '/meta.json');
  return { digest, bytes: transferSize };
})()`;

function readRecipe(url: string): string {
  const recipes = readFileSync(path.join(PACKAGE_ROOT, 'docs/RECIPES.md'), 'utf8');
  const [, code = ''] = /^```javascript\n(.*?)^```$/ms.exec(recipes) ?? [];
  return code.replaceAll('https://gamedata.example', url);
}

const demandsAll = process.env.ENGINES === 'all';

describe.skipIf(noBrowser !== '')(`a browser${noBrowser}`, () => {
  const visit = useBrowser();

  for (const engine of [nginx, serve]) {
    const reason = demandsAll ? undefined : engine.missing();

    it.skipIf(reason !== undefined)(
      `detects a new edition on ${engine.name}, and revalidates a known edition`,
      async () => {
        const out = path.join(temporaryFolder(), 'site');
        const site = { source: 'snapshot', baseUrl: 'https://example.test', out, hosts: ['nginx'] } as const;
        await build(site);
        // Without Cache-Control, a browser would cache such a file for three days.
        const monthAgo = new Date(Date.now() - 30 * 86_400_000);
        utimesSync(path.join(out, 'meta.json'), monthAgo, monthAgo);
        const { url, stop } = await engine.start(out);
        onTestFinished(stop);
        const { page } = await visit(`${url}/`);
        const request = () => page.evaluate<{ digest: string; bytes: number }>(script);
        const [first, second] = [await request(), await request()];
        expect(second.digest).toBe(first.digest);
        // The headers of a 304.
        expect(second.bytes).toBeGreaterThan(0);
        expect(second.bytes).toBeLessThanOrEqual(first.bytes);
        await build({ ...site, ...(await smallSource()), maxShrink: 100 });
        // The servers check for changes every second.
        await setTimeout(1500);
        expect((await request()).digest).not.toBe(first.digest);

        const refreshTwice = `(async () => {
          ${readRecipe(url)}
          const counts = [];
          for (const _ of [1, 2]) await refresh((all) => counts.push(all.move.length));
          return counts.length;
        })()`;
        expect(await page.evaluate(refreshTwice)).toBe(1);
        await page.reload();
        expect(await page.evaluate(refreshTwice)).toBe(1);
      },
    );
  }
});
