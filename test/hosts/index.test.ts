import { expect, it } from 'vitest';
import * as hosts from '../../src/hosts/index.ts';

it.each<[hosts.HostName[], conflicting: hosts.HostName[]]>([
  [['netlify', 'netlify-rules', 'nginx', 'apache'], []],
  [['cloudflare', 'github-pages', 'caddy'], []],
  [
    ['nginx', 'cloudflare', 'netlify-rules'],
    ['cloudflare', 'netlify-rules'],
  ],
])('findConflictingHosts(%j) returns %j', (names, conflicting) => {
  expect(hosts.findConflictingHosts(names)).toEqual(conflicting);
});

it.each([
  [{}, []],
  [{ URL: 'https://x.test' }, []],
  [{ NETLIFY: 'true' }, ['URL']],
  [{ NETLIFY: 'true', CONTEXT: 'production' }, ['URL']],
  [{ NETLIFY: 'true', CONTEXT: 'deploy-preview' }, ['DEPLOY_PRIME_URL', 'URL']],
])('listBaseUrlVariables(%j) returns %j', (environment, names) => {
  expect([...new Set(hosts.listBaseUrlVariables(environment))]).toEqual(names);
});

it('isHostConfig accepts hidden files and the files of hosts', () => {
  const files = ['_redirects', '.htaccess', 'wrangler.jsonc', 'api/wrangler.jsonc', 'index.html'];
  expect(files.filter(hosts.isHostConfig)).toEqual(files.slice(0, 3));
});

it('isWebServerConfig accepts files that operators copy', () => {
  const files = ['_hosts/nginx.conf', '_redirects', 'x_hosts/z'];
  expect(files.filter(hosts.isWebServerConfig)).toEqual(['_hosts/nginx.conf']);
});
