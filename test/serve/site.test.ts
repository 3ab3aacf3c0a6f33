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
  return { site, get, count, problems };
}

function changeManifest(
  folder: string,
  change: (files: { path: string; bytes: number }[]) => object,
): void {
  const file = path.join(folder, 'manifest.json');
  const manifest = manifestReader.parse(JSON.parse(readFileSync(file, 'utf8')));
  writeFileSync(
    `${file}.new`,
    JSON.stringify({ ...manifest, ...change([...manifest.files]) }),
  );
  renameSync(`${file}.new`, file);
}

describe('watchSite', () => {
  it('loads all files in the manifest except for host configuration', async () => {
    const extras = [
      'style.css',
      '_headers',
      '_hosts/nginx.conf',
      'wrangler.jsonc',
      '.hidden.txt',
    ];
    const folder = await publishNewSite({
      extras: extras.map((path) => ({ path, body: 'x' })),
    });
    writeFileSync(path.join(folder, 'unlisted.txt'), 'x');
    const { site, get } = await open(folder);
    const files = [...site().files.keys()];
    expect(files).toEqual(
      expect.arrayContaining(['manifest.json', 'meta.json', 'style.css']),
    );
    expect(files).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/(?:^|\/)[._]|wrangler/)]),
    );
    expect((await get('/unlisted.txt')).status).toBe(404);
    expect((await get('/manifest.json')).text).toBe(
      readFileSync(path.join(folder, 'manifest.json'), 'utf8'),
    );
    rmSync(folder, { recursive: true });
    expect(await get('/style.css')).toEqual({ status: 200, text: 'x' });
  });

  it('keeps serving the previous site until the next build is complete', async () => {
    const folder = await publishNewSite({ moves: 250 });
    const { site, count, problems } = await open(folder);
    const before = site();
    changeManifest(folder, (files) => ({
      files: files.map((file) => ({ ...file, sha256: '0'.repeat(64) })),
    }));
    const waiting = [expect.stringMatching(/previous site is still served/)];
    await expect
      .poll(() => problems, waitUntil('the incomplete build is reported'))
      .toEqual(waiting);
    expect(await count()).toBe('250 250');
    await publishSite(folder, { moves: 251 });
    await expect.poll(count, waitUntil('the new site is served')).toBe('251 251');
    expect(problems).toEqual(waiting);
    const bodies = (file: string) =>
      [before, site()].map(({ files }) => files.get(file)?.body);
    const [page, samePage] = bodies('api/gamedata/move/move-7/index.json');
    expect(samePage).toBe(page);
    const [list, otherList] = bodies('api/gamedata/move/index.json');
    expect(otherList).not.toEqual(list);
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

  it('loads a different site if its symlink changes', async () => {
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

  it('waits for a complete site, and reports the wait once', async () => {
    async function check(
      name: string,
      body: string | undefined,
      describeProblem: (file: string) => string,
    ): Promise<void> {
      const folder = await publishNewSite();
      rmSync(path.join(folder, name));
      if (body !== undefined) writeFileSync(path.join(folder, name), body);
      const problems: string[] = [];
      const opened = watchSite(folder, {
        onProblem: (line) => problems.push(line),
        // Less than the test's limit, so that the error names the wait.
        signal: AbortSignal.timeout(25_000),
      });
      await expect
        .poll(() => problems, waitUntil(`the wait for ${name} is reported`))
        .toHaveLength(1);
      const problem = describeProblem(path.join(folder, name));
      expect(problems[0]).toContain(
        `there is no complete site in ${folder} (${problem}`,
      );
      expect(problems[0]).toContain(
        `run gamedata build --out ${folder} in another terminal`,
      );
      rmSync(folder, { recursive: true });
      await publishSite(folder);
      expect((await opened)().files.has('index.html')).toBe(true);
      expect(problems).toHaveLength(1);
    }
    await Promise.all([
      check('index.html', undefined, (file) => `${file}: does not exist`),
      check('index.html', 'other', (file) => `${file}: has 5 bytes, expected `),
      check('manifest.json', undefined, (_file) => 'is not a gamedata site'),
      check('manifest.json', '{"files":[', (file) => `${file}: got invalid JSON: `),
      check('manifest.json', '{"format":99}', (file) => `${file}: has format 99`),
    ]);
  });

  it('rejects a site that exceeds 1 GB', async () => {
    const folder = await publishNewSite();
    const large = Array.from({ length: 5 }, (_, at) => ({
      ...{ path: `large-${at}.bin`, bytes: 250_000_000, sha256: '0'.repeat(64) },
    }));
    changeManifest(folder, (files) => ({ files: [...files, ...large] }));
    await expect(open(folder)).rejects.toMatchObject({
      message: expect.stringMatching(
        / has 1250\.\d MB of files, expected at most 1000\.0 MB/,
      ),
      hint: expect.stringContaining('web server'),
    });
  });

  it('checks for the first site four times a second, and then for changes once a second', async () => {
    const folder = path.join(temporaryFolder(), 'site');
    const waits: number[] = [];
    async function wait(ms: number): Promise<void> {
      waits.push(ms);
      if (waits.length === 2) await publishSite(folder);
      if (waits.length > 4) throw new Error('stop');
    }
    const { signal } = new AbortController();
    await watchSite(folder, { onProblem() {}, signal, wait });
    await expect.poll(() => waits).toEqual([250, 250, 1000, 1000, 1000]);
  });

  it('stops waiting if the signal aborts', async () => {
    const controller = new AbortController();
    const opened = watchSite(path.join(temporaryFolder(), 'nowhere'), {
      onProblem: () => controller.abort(),
      signal: controller.signal,
    });
    await expect(opened).rejects.toMatchObject({ name: 'AbortError' });
  });
});
