import path from 'node:path';
import fsExtra from 'fs-extra';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import { cloudflare } from '../../support/engines/npm-engines.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

const WORKER =
  "export default { fetch: () => new Response('', { headers: { 'X-Called': 'yes' } }) };";

describe.skipIf(process.env.ENGINES !== 'all' && cloudflare.missing())(
  'Cloudflare',
  () => {
    const site = path.join(sharedFolder(), 'site');
    let running: RunningEngine;
    beforeAll(async () => {
      const hosts = ['cloudflare', 'nginx', 'apache'] as const;
      const source = await smallSource(undefined, `${site}-data`);
      await build({ ...source, baseUrl: 'https://example.test', out: site, hosts });
      for (const name of ['_edge', '.wrangler', 'node_modules']) {
        fsExtra.outputFileSync(`${site}/${name}/a.js`, '');
      }
      fsExtra.outputFileSync(`${site}/.well-known/security.txt`, 'Contact: x');
      fsExtra.writeFileSync(`${site}/_worker.js`, WORKER);
      running = await cloudflare.start(site);
    });
    afterAll(() => running?.stop());

    const hidden =
      '_hosts/nginx.conf _edge/a.js .htaccess .wrangler/a.js _worker.js _redirects _headers';
    it.each([
      [
        'for the API and icons',
        'api/gamedata/ api/gamedata/move/move-1/ sprites/items/master-ball.png',
        'yes',
      ],
      ['for hidden files', `${hidden} .assetsignore node_modules/a.js`, 'yes'],
      [
        'not for other files',
        '/ index.html browse.html style.css meta.json download/move.ndjson .well-known/security.txt',
        null,
      ],
    ])('calls the Worker only if necessary: %s', async (_, files, called) => {
      for (const file of files.split(' ')) {
        const { headers } = await fetch(new URL(file, running.url));
        expect([file, headers.get('X-Called')]).toEqual([file, called]);
      }
    });
  },
);
