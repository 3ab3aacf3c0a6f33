import { expect, it } from 'vitest';
import * as hosts from '../../src/hosts/index.ts';

it.each<[hosts.HostName[]]>([
  [['netlify', 'netlify-rules', 'nginx', 'apache']],
  [['cloudflare', 'github-pages', 'caddy']],
])('finds no conflict among the hosts %j', (names) => {
  expect(hosts.findHostConflict(names)).toBeUndefined();
});

it('finds hosts that read `_redirects` in different dialects', () => {
  const names: hosts.HostName[] = ['nginx', 'cloudflare', 'netlify-rules'];
  expect(hosts.findHostConflict(names)).toEqual({
    names: ['cloudflare', 'netlify-rules'],
    file: '_redirects',
  });
});

it.each([
  [{}, []],
  [{ URL: 'https://x.test' }, []],
  [{ NETLIFY: 'true' }, ['URL']],
  [{ NETLIFY: 'true', CONTEXT: 'production' }, ['URL']],
  [{ NETLIFY: 'true', CONTEXT: 'deploy-preview' }, ['DEPLOY_PRIME_URL', 'URL']],
])(
  'lists the variables that may contain the base URL in the environment %j: %j',
  (environment, names) => {
    expect([...new Set(hosts.listBaseUrlVariables(environment))]).toEqual(names);
  },
);

it('recognizes hidden files and host configuration files', () => {
  const files = [
    '_redirects',
    '.htaccess',
    'wrangler.jsonc',
    'api/wrangler.jsonc',
    'index.html',
  ];
  expect(files.filter(hosts.isHostConfig)).toEqual(files.slice(0, 3));
});

it('recognizes files that operators copy to web servers', () => {
  const files = ['_hosts/nginx.conf', '_redirects', 'x_hosts/z'];
  expect(files.filter(hosts.isWebServerConfig)).toEqual(['_hosts/nginx.conf']);
});
