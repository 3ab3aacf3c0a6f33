import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withOutput } from '../../src/publish/publish.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { publishedSite, publishTree, readTree, type Tree } from '../support/publishing.ts';
import { rawRecords, siteOf } from '../support/sites.ts';

const old: Tree = { 'a.json': '1', 'b/c.json': '2' };
const fresh: Tree = { 'a.json': '10', 'b/c.json': '2' };

describe('a build that is told to stop', () => {
  it.each([10, undefined])('leaves the old site whole and nothing else: at file %s', async (abortAt) => {
    const { out, names } = await publishedSite(old);
    const before = fingerprint(out);
    const controller = new AbortController();
    let made = 0;
    // More files than a build writes in one go.
    function* manyFiles() {
      while (made < 2000) {
        made++;
        if (made === abortAt) controller.abort();
        yield { path: `many/${made}.json`, body: String(made) };
      }
    }
    const work = withOutput(out, (output) => output.publish(manyFiles(), { signal: controller.signal }));
    const refused = expect(work).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    // While it writes.
    await setImmediate();
    controller.abort();
    await refused;
    if (abortAt) expect(made).toBe(abortAt);
    else expect(made).toBeLessThan(2000);
    expect(names()).toEqual(['site']);
    expect(fingerprint(out)).toEqual(before);
  });
});

describe('what a killed build left', () => {
  const leftover = (out: string, role: string) => path.join(path.dirname(out), `.site.gamedata-${role}`);

  it('is removed by the next build', async () => {
    const { out, names } = await publishedSite(old);
    for (const role of ['new', 'old']) {
      mkdirSync(path.join(leftover(out, role), 'api'), { recursive: true });
      writeFileSync(path.join(leftover(out, role), 'api', 'x.json'), 'half');
    }
    expect(await publishTree(out, old)).toMatchObject({ changed: false });
    expect(names()).toEqual(['site']);
  });

  it('is restored by the next build if the site was moved aside', async () => {
    const { out, names } = await publishedSite(old);
    renameSync(out, leftover(out, 'old'));
    mkdirSync(leftover(out, 'new'));
    await expect(withOutput(out, () => Promise.reject(new RangeError('no data')))).rejects.toThrow('no data');
    expect(readTree(out), 'even if that build fails').toEqual(old);
    const ino = fingerprint(out).get('b/c.json');
    expect(await publishTree(out, fresh)).toMatchObject({ written: 2, kept: 1 });
    expect(readTree(out)).toEqual(fresh);
    expect(fingerprint(out).get('b/c.json')).toBe(ino);
    expect(names()).toEqual(['site']);
  });

  it('is restored by verifying the folder', async () => {
    const { out, names } = await publishedSite({});
    await withOutput(out, (output) => output.publish(siteOf(rawRecords(2, 2)).files()));
    renameSync(out, leftover(out, 'old'));
    expect(verifyFolder(out).problems).toEqual([]);
    expect(names()).toEqual(['site']);
  });

  it('is restored if a symbolic link leads', async () => {
    const { out, names } = await publishedSite(old);
    const links = path.join(path.dirname(out), 'links');
    mkdirSync(links);
    symlinkSync('../site', path.join(links, 'current'));
    renameSync(out, leftover(out, 'old'));
    await publishTree(path.join(links, 'current'), fresh);
    expect(readTree(out)).toEqual(fresh);
    expect(existsSync(path.join(links, 'current'))).toBe(true);
    expect(readdirSync(links)).toEqual(['current']);
    expect(names().sort()).toEqual(['links', 'site']);
  });
});
