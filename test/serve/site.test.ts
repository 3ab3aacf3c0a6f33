import {
  cpSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manifestReader } from '../../src/contract/meta.ts';
import { watchSite } from '../../src/serve/site.ts';
import { openAgain } from '../support/publishing.ts';
import { publishNewSite, publishSite, waitUntil } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary.ts';

async function open(folder: string) {
  const problems: string[] = [];
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const site = await watchSite(folder, {
    baseUrl: undefined,
    onProblem: (line) => problems.push(line),
    signal: controller.signal,
  });
  const get = async (path: string, search = '') => {
    const { status, body } = await site().respond({
      method: 'GET',
      path,
      search,
      headers: new Headers(),
    });
    return { status, text: Buffer.concat(body ?? []).toString() };
  };
  /**
   * Reads all records with a page range that has no built page. Returns the stated
   * and the actual number of records.
   */
  async function count(): Promise<string> {
    const { count, results } = JSON.parse(
      (await get('/api/gamedata/move/', '?limit=1000&offset=1')).text,
    );
    return `${count} ${results.length + 1}`;
  }
  return { get, count, problems };
}

/** Replaces the manifest with one whose hashes are wrong, as during an upload. */
function damageManifest(folder: string): void {
  const file = path.join(folder, 'manifest.json');
  const manifest = manifestReader.parse(JSON.parse(readFileSync(file, 'utf8')));
  const files = manifest.files.map((entry) => ({
    ...entry,
    sha256: '0'.repeat(64),
  }));
  writeFileSync(`${file}.new`, JSON.stringify({ ...manifest, files }));
  renameSync(`${file}.new`, file);
}

describe('watchSite', () => {
  it('loads every file in the manifest except the host configuration', async () => {
    const hidden = [
      '_headers',
      '_hosts/nginx.conf',
      'wrangler.jsonc',
      '.hidden.txt',
    ];
    const folder = await publishNewSite({
      extras: ['style.css', ...hidden].map((path) => ({ path, body: 'x' })),
    });
    writeFileSync(path.join(folder, 'unlisted.txt'), 'x');
    const manifest = readFileSync(path.join(folder, 'manifest.json'), 'utf8');
    const { get } = await open(folder);
    rmSync(folder, { recursive: true });
    expect(await get('/style.css')).toEqual({ status: 200, text: 'x' });
    expect(await get('/manifest.json')).toEqual({ status: 200, text: manifest });
    for (const file of [...hidden, 'unlisted.txt']) {
      expect((await get(`/${file}`)).status, file).toBe(404);
    }
  });

  it('keeps serving the previous site until the next build is complete', async () => {
    const folder = await publishNewSite({ moves: 250 });
    const { count, problems } = await open(folder);
    damageManifest(folder);
    const waiting = [
      expect.stringMatching(/^\S+: has .*\. The previous site is still served\.$/),
    ];
    await expect
      .poll(() => problems, waitUntil('the incomplete build is reported'))
      .toEqual(waiting);
    expect(await count()).toBe('250 250');
    await publishSite(folder, { moves: 251 });
    await expect.poll(count, waitUntil('the new site is served')).toBe('251 251');
    expect(problems).toEqual(waiting);
  });

  it('loads the next site as soon as a build has committed it', async () => {
    const folder = await publishNewSite({ moves: 250 });
    const nextSite = await publishNewSite({ moves: 251 });
    const { count, problems } = await open(folder);
    cpSync(nextSite, path.join(folder, '.gamedata/next'), { recursive: true });
    await expect.poll(count, waitUntil('the new site is served')).toBe('251 251');
    await openAgain(folder);
    expect(await count()).toBe('251 251');
    expect(problems).toEqual([]);
  });

  it('loads another site if the symlink to the site changes', async () => {
    const folder = temporaryFolder();
    const [link = '', one = '', two = ''] = ['current', 'one', 'two'].map((name) =>
      path.join(folder, name),
    );
    await publishSite(one, { moves: 1 });
    await publishSite(two, { moves: 2 });
    symlinkSync(one, link);
    const { count } = await open(link);
    expect(await count()).toBe('1 1');
    symlinkSync(two, `${link}.new`);
    renameSync(`${link}.new`, link);
    await expect.poll(count, waitUntil('the other site is served')).toBe('2 2');
  });

  it('rejects a folder without a site, and says how to build one', async () => {
    const folder = path.join(temporaryFolder(), 'nowhere');
    await expect(open(folder)).rejects.toMatchObject({
      message: `${folder}: contains no site`,
      hint: 'Build a site first with npm run build, or name its folder.',
    });
  });

  it('rejects an incomplete site', async () => {
    const folder = await publishNewSite();
    const file = path.join(folder, 'index.html');
    rmSync(file);
    await expect(open(folder)).rejects.toThrow(`${file}: does not exist`);
  });
});
