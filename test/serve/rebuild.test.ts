import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isBeingChanged } from '../../src/publish/publish.ts';
import { createReleases } from '../../src/serve/release.ts';
import { publishSite, serveFolder, serveSite } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** How many moves there are by a window that no file holds, everything but the first: by its count, and by its records. */
async function ask(url: string): Promise<string> {
  const response = await fetch(`${url}/api/gamedata/move/?limit=1000&offset=1`);
  if (response.status !== 200) return `${response.status}`;
  const { count, results } = (await response.json()) as { count: number; results: unknown[] };
  return `${count} ${results.length + 1}`;
}

/** A folder's state is looked at about once a second. */
const noticed = { timeout: 60_000 };

describe('a site that is rebuilt while it is served', () => {
  it('is noticed, and a client can tell by one small conditional request', async () => {
    const { url, folder } = await serveSite();
    const meta = (known = '') => fetch(`${url}/meta.json`, { headers: { 'If-None-Match': known } });
    const { headers } = await meta();
    const known = headers.get('ETag') ?? '';
    expect(Number(headers.get('Content-Length'))).toBeLessThan(1000);
    expect(await ask(url)).toBe('3 3');
    await publishSite(folder);
    expect([(await meta(known)).status, await ask(url)]).toEqual([304, '3 3']);
    await publishSite(folder, { moves: 120 });
    await expect.poll(() => ask(url), noticed).toBe('120 120');
    expect((await meta(known)).status).toBe(200);
  });

  it('is noticed behind a symbolic link as well', async () => {
    const folder = temporaryFolder();
    const [link = '', one = '', two = ''] = ['current', 'one', 'two'].map((name) => path.join(folder, name));
    await publishSite(one, { moves: 1 });
    await publishSite(two, { moves: 2 });
    symlinkSync(one, link);
    const { url } = await serveFolder(link);
    expect(await ask(url)).toBe('1 1');
    symlinkSync(two, `${link}.new`);
    renameSync(`${link}.new`, link);
    await expect.poll(() => ask(url), noticed).toBe('2 2');
  });

  it('never shows in a response that is made of both', async () => {
    const sizes = [101, 112, 123, 134];
    const { url, folder } = await serveSite({ moves: 101 });
    const seen = new Set<string>();
    let isBuilding = true;
    const asking = Array.from({ length: 8 }, async () => {
      while (isBuilding) seen.add(await ask(url));
    });
    try {
      for (const moves of sizes) {
        await publishSite(folder, { moves });
        await expect.poll(() => seen, noticed).toContain(`${moves} ${moves}`);
      }
    } finally {
      isBuilding = false;
      await Promise.all(asking);
    }
    // A client is told to come again if a build takes longer than one waits.
    seen.delete('503');
    expect([...seen].sort()).toEqual(sizes.map((moves) => `${moves} ${moves}`));
  });

  it('and is gone for good, is answered with what is in memory, and 503', async () => {
    const { url, folder, problems } = await serveSite();
    await ask(url);
    rmSync(folder, { recursive: true });
    expect(await ask(url)).toBe('3 3');
    const response = await fetch(`${url}/api/gamedata/item/`);
    expect([response.status, await response.json()]).toEqual([503, { detail: 'Service Unavailable.' }]);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(problems).toEqual(['GET /api/gamedata/item/: the site is being replaced']);
  });
});

describe('a release', () => {
  /** Asks the present release of a folder, which is looked at once only. */
  function releasesOf(folder: string, maxBytes: number) {
    const options = { maxBytes, checkIntervalMs: 3_600_000, isChanging: isBeingChanged, readBase: () => '' };
    const withRelease = createReleases(folder, options);
    return (path: string, search = '') =>
      withRelease(({ respond }) => respond({ method: 'GET', path, search, headers: new Headers() }));
  }

  it('is given up as soon as a file turns out to be of the next', async () => {
    const folder = temporaryFolder();
    await publishSite(folder, { moves: 150 });
    const respond = releasesOf(folder, 1e6);
    const ask = async (limit: number) => {
      const { body } = await respond('/api/gamedata/move/', `?limit=${limit}`);
      const { count, results } = JSON.parse(await new Response(body).text());
      return [count, results.length];
    };
    expect(await ask(7)).toEqual([150, 7]);
    await publishSite(folder, { moves: 190 });
    // The first page is in memory, the second is not.
    expect(await ask(7)).toEqual([150, 7]);
    expect(await ask(1000)).toEqual([190, 190]);
  });

  it('keeps no more bytes of files than it may, those requested last', async () => {
    const folder = temporaryFolder();
    await publishSite(folder);
    const respond = releasesOf(folder, 100);
    const get = async (name: string): Promise<number> => (await respond(`/${name}.txt`)).status;
    for (const name of ['a', 'b', 'c']) writeFileSync(path.join(folder, `${name}.txt`), 'x'.repeat(40));
    writeFileSync(path.join(folder, 'large.txt'), 'x'.repeat(101));
    for (const name of ['a', 'b', 'a', 'c']) expect(await get(name)).toBe(200);
    for (const name of ['a', 'b', 'c']) rmSync(path.join(folder, `${name}.txt`));
    expect(await Promise.all(['a', 'b', 'c', 'large'].map(get))).toEqual([200, 404, 200, 404]);
  });
});
