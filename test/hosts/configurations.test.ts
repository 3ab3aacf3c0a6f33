/** The configuration of web servers that are installed by hand. */

import { expect, it } from 'vitest';
import { apache } from '../../src/hosts/apache.ts';
import { caddy } from '../../src/hosts/caddy.ts';
import { nginx } from '../../src/hosts/nginx.ts';
import { hostContext, rawRecords, siteOf } from '../support/sites.ts';

it.each(Object.entries({ apache, caddy, nginx }))('that of %s does not depend on the data', (_, host) => {
  const [one, other] = [rawRecords(1, 1), rawRecords(250, 3)].map((records) =>
    host.files(hostContext(siteOf(records).routes)),
  );
  expect(one).toEqual(other);
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
