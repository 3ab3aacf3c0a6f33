import path from 'node:path';
import fsExtra from 'fs-extra';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { cloudflare } from '../../support/engines/cloudflare.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

const demandsAll = process.env.ENGINES === 'all';
const reason = demandsAll ? undefined : cloudflare.missing();

describe.skipIf(reason !== undefined)('Cloudflare', () => {
  const folder = sharedFolder();
  const site = path.join(folder, 'site');
  let running: RunningEngine;
  beforeAll(async () => {
    const source = await smallSource(undefined, path.join(folder, 'data'));
    await build({
      ...source,
      baseUrl: 'https://example.test',
      out: site,
      hosts: ['cloudflare', 'nginx', 'apache'],
    });
    // Of Netlify, whose rules would come before Cloudflare's, and of wrangler.
    for (const name of ['_edge', '.wrangler', 'node_modules'])
      fsExtra.outputFileSync(`${site}/${name}/a.js`, '');
    const worker = "export default { fetch: () => new Response('', { headers: { 'X-Called': 'yes' } }) };";
    fsExtra.writeFileSync(`${site}/_worker.js`, worker);
    running = await cloudflare.start(site);
  });
  afterAll(() => running?.stop());

  const isCalled = async (file: string): Promise<boolean> =>
    (await fetch(`${running.url}/${file}`)).headers.get('X-Called') === 'yes';

  it.each([
    ['the Worker', true, ['api/gamedata/', 'api/gamedata/move/move-1/', 'sprites/items/master-ball.png']],
    ['assets', false, ['', 'index.html', 'browse.html', 'style.css', 'meta.json', 'download/move.ndjson']],
  ])('is asked for %s: calls are counted, assets are not', async (_, expected, files) => {
    for (const file of files) expect([file, await isCalled(file)]).toEqual([file, expected]);
  });

  it('uploads no configuration, of any host, and nothing of wrangler', async () => {
    const files = fsExtra.readdirSync(site, { recursive: true, encoding: 'utf8' });
    const hidden = files.filter((file) => /^(?:[._]|node_modules|wrangler)/.test(file));
    expect(hidden).toEqual(expect.arrayContaining(['_hosts/nginx.conf', '_edge/a.js', '.htaccess']));
    for (const file of hidden) expect([file, await isCalled(file)]).toEqual([file, true]);
  });
});
