import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { serve } from '../../src/cli/commands/serve.ts';
import { renamedSnapshot } from '../support/renamed-snapshot.ts';
import { publishSite, waitUntil } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary.ts';

const ICON = 'sprites/items/item-1.png';

/** Serves a site under another base URL than the one for which it was built. */
async function serveElsewhere(folder: string) {
  const baseUrl = 'http://127.0.0.1:4000/games';
  const { url, meta, close } = await serve({ dir: folder, port: 0, baseUrl });
  onTestFinished(close);
  const get = async (file: string) => {
    const response = await fetch(`${url}/${file}`);
    return { status: response.status, text: await response.text() };
  };
  return { baseUrl, url, meta, get };
}

async function publishWithIcon(folder: string, moves: number): Promise<void> {
  const extras = [
    { path: ICON, body: 'an icon' },
    { path: 'added.txt', body: 'added' },
    { path: '_headers', body: 'secret' },
  ];
  await publishSite(folder, { moves, extras, baseUrl: 'https://example.org' });
}

describe('a site that is served under another base URL', () => {
  it('serves a site under another base URL as if it had been built for that URL', async () => {
    const folder = temporaryFolder();
    const upstream = path.join(folder, 'data');
    await renamedSnapshot(upstream, 205);
    const options = {
      source: 'snapshot',
      upstream,
      hosts: ['nginx'],
      maxShrink: 100,
    } as const;
    const out = path.join(folder, 'org');
    await build({ ...options, baseUrl: 'https://example.org', out });
    const { baseUrl, url, get } = await serveElsewhere(out);
    const expectedOut = path.join(folder, 'expected');
    await build({ ...options, baseUrl, out: expectedOut });
    const expected = await serve({ dir: expectedOut, port: 0 });
    onTestFinished(() => expected.close());
    expect(new URL(url).pathname).toBe('/games');
    const manifest = JSON.parse((await get('manifest.json')).text);
    const paths: string[] = manifest.files.map(
      (file: { path: string }) => file.path,
    );
    expect(paths).toContain('api/gamedata/move/offset/200/index.json');
    const different: string[] = [];
    for (const file of paths) {
      const response = await fetch(`${expected.url}/${file}`);
      const { text } = await get(file);
      if ((await response.text()) !== text) different.push(file);
    }
    expect(different).toEqual([]);
    const listed = await fetch(`${expected.url}/manifest.json`);
    const { files } = (await listed.json()) as { files: { path: string }[] };
    const servedPaths = files.map((file) => file.path);
    expect(paths).toEqual(servedPaths.filter((file) => !file.startsWith('_hosts/')));
  });

  it('serves icons and hand-written files from the folder', async () => {
    const folder = path.join(temporaryFolder(), 'site');
    await publishWithIcon(folder, 3);
    const { get } = await serveElsewhere(folder);
    expect(await get(ICON)).toEqual({ status: 200, text: 'an icon' });
    expect(await get('added.txt')).toEqual({ status: 200, text: 'added' });
    expect((await get('_headers')).status).toBe(404);
  });

  it('serves the new site under the other base URL after the next build', async () => {
    const folder = path.join(temporaryFolder(), 'site');
    await publishWithIcon(folder, 3);
    const { get, baseUrl } = await serveElsewhere(folder);
    await publishWithIcon(folder, 4);
    const readCount = async () => JSON.parse((await get('meta.json')).text);
    await expect
      .poll(readCount, waitUntil('the new site is served'))
      .toMatchObject({ counts: { move: 4 }, base_url: baseUrl });
  });
});
