import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withOutput } from '../../src/publish/publish.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { publishTree, readTree, type Tree } from '../support/publishing.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

const old: Tree = { 'a.json': '1', 'b/c.json': '2' };
const fresh: Tree = { 'a.json': '10', 'b/c.json': '2' };

async function publishedSite() {
  const parent = temporaryFolder();
  const out = path.join(parent, 'site');
  await publishTree(out, old);
  return { parent, out, before: fingerprint(parent) };
}

/** More files than a build writes in one go, and what happens before each of them. */
function* manyFiles(before: (at: number) => void) {
  for (let at = 1; at <= 2000; at++) {
    before(at);
    yield { path: `many/${at}.json`, body: String(at) };
  }
}

describe('a build that fails midway', () => {
  it.each([1, 2000])('at file %i leaves the old site whole and nothing else', async (failing) => {
    const { parent, out, before } = await publishedSite();
    const files = manyFiles((at) => {
      if (at === failing) throw new RangeError('no more');
    });
    await expect(withOutput(out, (output) => output.publish(files))).rejects.toThrow(
      new RangeError('no more'),
    );
    expect(readdirSync(parent)).toEqual(['site']);
    expect(fingerprint(out)).toEqual(
      new Map(
        [...before].flatMap(([name, state]) =>
          name === 'site' ? [] : [[name.slice('site/'.length), state]],
        ),
      ),
    );
  });

  it('before it publishes anything leaves nothing if nothing was', async () => {
    const parent = temporaryFolder();
    const work = withOutput(path.join(parent, 'site'), () => Promise.reject(new RangeError('no data')));
    await expect(work).rejects.toThrow('no data');
    expect(readdirSync(parent)).toEqual([]);
  });
});

describe('a build that is told to stop', () => {
  it('stops midway, and leaves the old site whole and nothing else', async () => {
    const { parent, out, before } = await publishedSite();
    const controller = new AbortController();
    let made = 0;
    const files = manyFiles((at) => {
      made = at;
      if (at === 10) controller.abort();
    });
    const work = withOutput(out, (output) => output.publish(files, { signal: controller.signal }));
    await expect(work).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    expect(made).toBe(10);
    expect(readdirSync(parent)).toEqual(['site']);
    expect(readTree(out)).toEqual(old);
    expect(fingerprint(out).get('a.json')).toBe(before.get('site/a.json'));
  });

  it('hears of it while it writes', async () => {
    const { out } = await publishedSite();
    const controller = new AbortController();
    let made = 0;
    const files = manyFiles((at) => {
      made = at;
    });
    const work = withOutput(out, (output) => output.publish(files, { signal: controller.signal }));
    await setImmediate();
    controller.abort();
    await expect(work).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    expect(made).toBeLessThan(2000);
  });
});

describe('what a killed build left', () => {
  const leftover = (parent: string, role: string) => path.join(parent, `.site.gamedata-${role}`);

  it('is removed by the next build', async () => {
    const { parent, out } = await publishedSite();
    for (const role of ['new', 'old']) {
      mkdirSync(path.join(leftover(parent, role), 'api'), { recursive: true });
      writeFileSync(path.join(leftover(parent, role), 'api', 'x.json'), 'half');
    }
    expect(await publishTree(out, old)).toMatchObject({ changed: false });
    expect(readdirSync(parent)).toEqual(['site']);
  });

  it('is restored by the next build if the site was moved aside', async () => {
    const { parent, out } = await publishedSite();
    renameSync(out, leftover(parent, 'old'));
    mkdirSync(leftover(parent, 'new'));
    await expect(withOutput(out, () => Promise.reject(new RangeError('no data')))).rejects.toThrow('no data');
    expect(readTree(out), 'even if that build fails').toEqual(old);
    const ino = fingerprint(out).get('b/c.json');
    expect(await publishTree(out, fresh)).toMatchObject({ written: 2, kept: 1 });
    expect(readTree(out)).toEqual(fresh);
    expect(fingerprint(out).get('b/c.json')).toBe(ino);
    expect(readdirSync(parent)).toEqual(['site']);
  });

  it('is restored by verifying the folder', async () => {
    const parent = temporaryFolder();
    const out = path.join(parent, 'site');
    await withOutput(out, (output) => output.publish(siteOf(rawRecords(2, 2)).files()));
    renameSync(out, leftover(parent, 'old'));
    expect(verifyFolder(out).problems).toEqual([]);
    expect(readdirSync(parent)).toEqual(['site']);
  });

  it('is restored if a symbolic link leads', async () => {
    const { parent, out } = await publishedSite();
    mkdirSync(path.join(parent, 'links'));
    const link = path.join(parent, 'links', 'current');
    symlinkSync('../site', link);
    renameSync(out, leftover(parent, 'old'));
    await publishTree(link, fresh);
    expect(readTree(out)).toEqual(fresh);
    expect(existsSync(link)).toBe(true);
    expect(readdirSync(path.join(parent, 'links'))).toEqual(['current']);
    expect(readdirSync(parent).sort()).toEqual(['links', 'site']);
  });
});
