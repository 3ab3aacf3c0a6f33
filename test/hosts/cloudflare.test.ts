import { describe, expect, it } from 'vitest';
import { cloudflare } from '../../src/hosts/cloudflare.ts';
import { bodyText } from '../support/body.ts';
import { hostContext, rawRecords, siteOf } from '../support/sites.ts';

const { routes } = siteOf(rawRecords(1, 1));
const files = new Map(
  cloudflare
    .files({ ...hostContext(routes), handlerModule: () => '' })
    .map(({ path, body }) => [path, bodyText(body)]),
);

describe('Cloudflare’s files', () => {
  it('are a Worker, its configuration, and the list of what is not public', () => {
    const names = ['_worker.js', 'wrangler.jsonc', '_headers', '_redirects', '.assetsignore'];
    expect([...files.keys()]).toEqual(names);
    expect(files.get('.assetsignore')?.split('\n')).toEqual(
      expect.arrayContaining(['_worker.js', 'wrangler.jsonc', '_edge', '.wrangler']),
    );
  });

  it('send requests of the API to the Worker, and files to nobody by another name', () => {
    expect(JSON.parse(files.get('wrangler.jsonc') ?? '')).toEqual({
      name: 'gamedata',
      main: '_worker.js',
      compatibility_date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      assets: {
        directory: '.',
        binding: 'ASSETS',
        run_worker_first: ['/api/*', '/sprites/items/*'],
        html_handling: 'none',
        not_found_handling: 'none',
      },
    });
  });
});
