/** The configuration of web servers that are installed by hand. */

import { expect, it } from 'vitest';
import { apache } from '../../src/hosts/apache.ts';
import { caddy } from '../../src/hosts/caddy.ts';
import { nginx } from '../../src/hosts/nginx.ts';
import { bodyText } from '../support/body.ts';
import { hostContext, rawRecords, siteOf } from '../support/sites.ts';

it.each(Object.entries({ apache, caddy, nginx }))('that of %s does not depend on the data', (_, host) => {
  const [one, other] = [rawRecords(1, 1), rawRecords(250, 3)].map((records) =>
    host.files(hostContext(siteOf(records).routes)),
  );
  expect(one).toEqual(other);
});

it.each(['http://x.test/games', 'https://www.y.test/games', 'https://x.test:8443/games'])(
  'nginx serves %s with another address only',
  (baseUrl) => {
    const { routes } = siteOf(rawRecords(1, 1));
    const [one = [], other = []] = ['http://x.test:8080/games', baseUrl].map((url) =>
      nginx.files(hostContext(routes, url)).map(({ body }) => bodyText(body).split('\n')),
    );
    const changed = one.flat().filter((line) => !other.flat().includes(line));
    expect(changed.filter((line) => !/^ +(?:listen|server_name) /.test(line))).toEqual([]);
  },
);

it('nginx has other variables for another document root or base path', () => {
  const { routes } = siteOf(rawRecords(1, 1));
  const sites = [
    hostContext(routes),
    hostContext(routes, 'https://example.test/games'),
    { ...hostContext(routes), root: '/srv/other' },
  ];
  const names = sites.map(
    (site) => /\$gamedata_\w+_limit/.exec(bodyText(nginx.files(site)[0]?.body ?? ''))?.[0],
  );
  expect(new Set(names).size).toBe(3);
});

it.each<[baseUrl: string, port: number]>([
  ['https://x.test:8443', 80],
  ['http://x.test/games', 80],
  ['http://x.test:8080', 8080],
])("nginx and Apache serve %s on port %i: TLS is the operator's", (baseUrl, port) => {
  const context = hostContext(siteOf(rawRecords(1, 1)).routes, baseUrl);
  const [one, two] = [nginx.files(context)[0]?.body, apache.files(context)[1]?.body];
  expect(one).toContain(`\n    listen ${port};\n    listen [::]:${port};\n`);
  expect(two).toContain(`\n<VirtualHost *:${port}>\n  ServerName x.test\n`);
  expect(two?.includes(`\nListen ${port}\n`)).toBe(port !== 80);
});
