import { describe, expect, it } from 'vitest';
import { apache } from '../../src/hosts/apache.ts';
import { caddy } from '../../src/hosts/caddy.ts';
import type { Host } from '../../src/hosts/host.ts';
import { nginx } from '../../src/hosts/nginx.ts';
import { hostContext, rawRecords, siteOf } from '../support/sites.ts';

const site = siteOf(rawRecords(1, 1));
const configure = (
  host: Host,
  baseUrl?: string,
  context = hostContext(site, baseUrl),
): string =>
  host.createFiles(context).find(({ path }) => path === host.configuration)?.body ??
  '';

it.each(Object.entries({ apache, caddy, nginx }))(
  'generates the same configuration for any number of records: %s',
  (_, host) => {
    const larger = siteOf(rawRecords(250, 3));
    expect(host.createFiles(hostContext(larger))).toEqual(
      host.createFiles(hostContext(site)),
    );
  },
);

describe('nginx', () => {
  it.each([
    'http://x.test/games',
    'https://www.y.test/games',
    'https://x.test:8443/games',
  ])(
    'changes only the `listen` and `server_name` lines for the base URL %s',
    (baseUrl) => {
      const lines = configure(nginx, 'http://x.test:8080/games').split('\n');
      const changed = configure(nginx, baseUrl)
        .split('\n')
        .filter((line) => !lines.includes(line));
      expect(
        changed.filter((line) => !/^ +(?:listen|server_name) /.test(line)),
      ).toEqual([]);
    },
  );

  it('derives variable names from the document root and the base path', () => {
    const texts = [
      configure(nginx),
      configure(nginx, 'https://example.test/games'),
      configure(nginx, undefined, { ...hostContext(site), root: '/srv/other' }),
    ];
    expect(
      new Set(texts.map((text) => /\$gamedata_\w+_limit/.exec(text)?.[0])).size,
    ).toBe(3);
  });
});

it.each<[baseUrl: string, port: number]>([
  ['https://x.test:8443', 80],
  ['http://x.test/games', 80],
  ['http://x.test:8080', 8080],
])(
  'configures nginx and Apache to serve %s without TLS on port %i',
  (baseUrl, port) => {
    const configuration = configure(apache, baseUrl);
    expect(configure(nginx, baseUrl)).toContain(
      `\n    listen ${port};\n    listen [::]:${port}; # For IPv6. Delete this line if the machine has none.\n`,
    );
    expect(configuration).toContain(
      `\n<VirtualHost *:${port}>\n  ServerName x.test\n`,
    );
    expect(configuration.includes(`\nListen ${port}\n`)).toBe(port !== 80);
  },
);
