/** Who may read and write: what a published folder allows, and what others leave beside it. */

import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { recoverAbandoned } from '../../src/publish/publish.ts';
import { publishedSite, publishTree, readTree } from '../support/publishing.ts';

const isRoot = process.geteuid?.() === 0;
const STRANGER = 12_345;
const old = { 'a.json': '1' };
const fresh = { 'a.json': '2', 'b.json': '3' };

describe('a folder that is replaced as a whole', () => {
  it.skipIf(process.platform === 'win32')('keeps its mode', async () => {
    const { out } = await publishedSite(old);
    const { ino } = statSync(out);
    chmodSync(out, 0o2750);
    await publishTree(out, fresh);
    expect(statSync(out).ino, 'it is another folder').not.toBe(ino);
    expect(statSync(out).mode & 0o7777).toBe(0o2750);
  });

  it.runIf(isRoot)('keeps its owner and group', async () => {
    const { out } = await publishedSite(old);
    chownSync(out, STRANGER, STRANGER + 1);
    chmodSync(out, 0o2750);
    await publishTree(out, fresh);
    expect(statSync(out)).toMatchObject({ uid: STRANGER, gid: STRANGER + 1 });
    expect(statSync(out).mode & 0o7777).toBe(0o2750);
  });
});

describe.runIf(isRoot)('what another user left beside a site', () => {
  it.each(['fresh', 'retired', 'commit', 'received'] as const)('is not used: %s', async (role) => {
    const { out, folders } = await publishedSite(old);
    if (role === 'commit') writeFileSync(folders.commit, '{"place":[],"remove":["a.json"],"manifest":""}');
    else mkdirSync(folders[role]);
    chownSync(folders[role], STRANGER, STRANGER);
    await expect(publishTree(out, fresh)).rejects.toMatchObject({
      message: `${folders[role]}: belongs to another user (${STRANGER}), and is not used`,
      hint: expect.stringContaining('Remove it'),
    });
    expect(readTree(out)).toEqual(old);
    if (role === 'commit') expect(() => recoverAbandoned(out)).toThrow('belongs to another user');
  });

  it('is used if the site is theirs, too', async () => {
    const { out, folders } = await publishedSite(old);
    mkdirSync(folders.fresh);
    for (const folder of [out, folders.fresh]) chownSync(folder, STRANGER, STRANGER);
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
  });
});
