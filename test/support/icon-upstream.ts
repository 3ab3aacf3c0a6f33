import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type BuildOptions, build } from '../../src/cli/commands/build.ts';
import { type Responder, startServer } from './local-server.ts';
import { rawItem, rawMove, rawRecords, type SomeRecords } from './sites.ts';
import { smallSource } from './small-data.ts';
import { temporaryFolder } from './temporary.ts';

/** The signature of a PNG and some text. */
export const icon = (name: string): Buffer =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from(name)]);

/** Items 1 to 4 have own icons, 5 and 6 share an icon, and 7 has no icon. */
const raw = {
  // Different sizes, because nginx derives ETags from size and mtime.
  move: [1, 2, 3].map((id) => rawMove(id, { englishName: 'x'.repeat(id) })),
  item: [
    ...rawRecords(0, 4).item,
    rawItem(5, { sprite: 'sprites/items/shared/both.png' }),
    rawItem(6, { sprite: 'sprites/items/shared/both.png' }),
    rawItem(7, { sprite: null }),
  ],
};
export const OWN = ['item-1.png', 'item-2.png', 'item-3.png', 'item-4.png', 'shared/both.png'];

/** Starts a host of icons and returns builds that read it. */
export async function ground(options: Partial<BuildOptions> = {}, records: SomeRecords = raw) {
  const faults = new Map<string, Responder>();
  const server = await startServer((response, request, at) => {
    const name = (request.url ?? '').replace('/icons/', '');
    const fault = faults.get(name);
    if (fault) return fault(response, request, at);
    const etag = `"${name}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(200, { etag }).end(icon(name));
  });
  const folder = temporaryFolder();
  const source = await smallSource(records);
  const run = (more: Partial<BuildOptions> = {}) =>
    build({
      ...source,
      baseUrl: 'https://example.test',
      out: path.join(folder, 'site'),
      cache: path.join(folder, 'cache'),
      sprites: 'mirror',
      spritesUpstream: `${server.url}/icons/`,
      retries: 0,
      ...options,
      ...more,
    });
  const read = (name: string) => readFileSync(path.join(folder, 'site/sprites/items', name));
  return { folder, site: path.join(folder, 'site'), server, faults, run, read };
}
