import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { cloudflare } from '../../support/engines/cloudflare.ts';
import { smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const demandsAll = process.env.ENGINES === 'all';
const reason = demandsAll ? undefined : cloudflare.missing();

describe.skipIf(reason !== undefined)('Cloudflare', () => {
  it('calls the Worker for the API and icons only: calls are counted, assets are not', async () => {
    const site = temporaryFolder();
    await build({
      ...(await smallSource()),
      baseUrl: 'https://example.test',
      out: site,
      hosts: ['cloudflare'],
    });
    writeFileSync(
      path.join(site, '_worker.js'),
      "export default { fetch: () => new Response('', { headers: { 'X-Called': 'yes' } }) };",
    );
    const { url, stop } = await cloudflare.start(site);
    try {
      const isCalled = async (file: string): Promise<boolean> =>
        (await fetch(url + file)).headers.get('X-Called') === 'yes';
      for (const file of [
        '/',
        '/index.html',
        '/browse.html',
        '/style.css',
        '/meta.json',
        '/search.json',
        '/download/move.ndjson',
      ])
        expect([file, await isCalled(file)]).toEqual([file, false]);
      for (const file of [
        '/api/gamedata/',
        '/api/gamedata/move/move-1/',
        '/sprites/items/master-ball.png',
        '/nothing',
        // Not uploaded.
        '/_worker.js',
        '/wrangler.jsonc',
      ])
        expect([file, await isCalled(file)]).toEqual([file, true]);
    } finally {
      await stop();
    }
  });
});
