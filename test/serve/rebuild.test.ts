import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { serve } from '../../src/cli/commands/serve.ts';
import { isBeingChanged } from '../../src/publish/publish.ts';
import { createReleases } from '../../src/serve/release.ts';
import { publishSite, serveSite } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** Everything but the first move: a window that no file holds. */
async function ask(url: string): Promise<{ count: number; results: unknown[] }> {
  const response = await fetch(`${url}/api/gamedata/move/?limit=1000&offset=1`);
  return (await response.json()) as { count: number; results: unknown[] };
}

/** A folder's state is looked at about once a second. */
const noticed = (): Promise<void> => setTimeout(1100);

describe('a site that is rebuilt while it is served', () => {
  it('is noticed, and a client can tell by one small conditional request', async () => {
    const { url, folder } = await serveSite();
    const meta = (known = '') => fetch(`${url}/meta.json`, { headers: { 'If-None-Match': known } });
    const first = await meta();
    const known = first.headers.get('ETag') ?? '';
    expect(Number(first.headers.get('Content-Length'))).toBeLessThan(1000);
    expect((await ask(url)).count).toBe(3);
    await publishSite(folder);
    await noticed();
    expect([(await meta(known)).status, (await ask(url)).count]).toEqual([304, 3]);
    await publishSite(folder, { moves: 120 });
    await noticed();
    expect([(await meta(known)).status, (await ask(url)).results.length]).toEqual([200, 119]);
  });

  it('is noticed behind a symbolic link as well', async () => {
    const folder = temporaryFolder();
    const at = (name: string): string => path.join(folder, name);
    const [link, one, two] = [at('current'), at('one'), at('two')];
    await publishSite(one, { moves: 1 });
    await publishSite(two, { moves: 2 });
    symlinkSync(one, link);
    const server = await serve({ dir: link, port: 0 });
    expect((await ask(server.url)).count).toBe(1);
    symlinkSync(two, `${link}.new`);
    renameSync(`${link}.new`, link);
    await noticed();
    expect((await ask(server.url)).count).toBe(2);
    await server.close();
  });

  it('never shows in a response that is made of both', async () => {
    const { url, folder, problems } = await serveSite({ moves: 101 });
    let building = true;
    const asking = Array.from({ length: 8 }, async () => {
      const seen = new Set<string>();
      while (building) {
        const { count, results } = await ask(url);
        seen.add(`${count} ${results.length + 1}`);
      }
      return seen;
    });
    const sizes = Array.from({ length: 5 }, (_, at) => 101 + 11 * at);
    for (const moves of sizes) {
      await publishSite(folder, { moves });
      await setTimeout(200);
    }
    building = false;
    const seen = new Set((await Promise.all(asking)).flatMap((set) => [...set]));
    expect(seen.size).toBeGreaterThan(1);
    const whole = new Set(sizes.map((moves) => `${moves} ${moves}`));
    expect([...seen].filter((answer) => !whole.has(answer))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('and is gone for good, is answered with what is in memory, and 503', async () => {
    const { url, folder, problems } = await serveSite();
    await ask(url);
    rmSync(folder, { recursive: true });
    expect((await ask(url)).count).toBe(3);
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
    const ask = async (limit: number): Promise<{ count: number; results: unknown[] }> => {
      const { body } = await respond('/api/gamedata/move/', `?limit=${limit}`);
      return JSON.parse(await new Response(body).text());
    };
    expect(await ask(7)).toMatchObject({ count: 150 });
    await publishSite(folder, { moves: 190 });
    // The first page is in memory, the second is not.
    expect(await ask(7)).toMatchObject({ count: 150 });
    const { count, results } = await ask(1000);
    expect([count, results.length]).toEqual([190, 190]);
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
