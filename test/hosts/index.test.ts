import { expect, it } from 'vitest';
import * as hosts from '../../src/hosts/index.ts';

it.each<[hosts.HostName[], conflicting: hosts.HostName[]]>([
  [['netlify', 'netlify-rules', 'nginx', 'apache'], []],
  [['cloudflare', 'github-pages', 'caddy'], []],
  [
    ['nginx', 'cloudflare', 'netlify-rules'],
    ['cloudflare', 'netlify-rules'],
  ],
])('finds the conflicting hosts among %j: %j', (names, conflicting) => {
  expect(hosts.findConflictingHosts(names)).toEqual(conflicting);
});

it.each([
  [{}, []],
  [{ URL: 'https://x.test' }, []],
  [{ NETLIFY: 'true' }, ['URL']],
  [{ NETLIFY: 'true', CONTEXT: 'production' }, ['URL']],
  [{ NETLIFY: 'true', CONTEXT: 'deploy-preview' }, ['DEPLOY_PRIME_URL', 'URL']],
])('lists the variables with a base URL in %j: %j', (environment, names) => {
  expect([...new Set(hosts.listBaseUrlVariables(environment))]).toEqual(names);
});

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
