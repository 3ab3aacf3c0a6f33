import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { mirror } from '../../../src/cli/commands/mirror.ts';
import { rebase } from '../../../src/cli/commands/rebase.ts';
import { listFiles } from '../../../src/files.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { deploy } from '../../support/deployed.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const FROM = 'https://origin.test';
const TO = 'http://localhost:8080/offline';

const { site, described: source, copied } = sharedSite({ baseUrl: FROM });

const bytesOf = (folder: string) =>
  new Map(
    listFiles(folder)
      .sort()
      .map((name) => [name, readFileSync(path.join(folder, name), 'latin1')]),
  );

describe('rebase', () => {
  it('makes to the byte what a build with that address makes, whatever the links and hosts', async () => {
    const copy = path.join(temporaryFolder(), 'copy');
    await mirror((await deploy(site)).url, { out: copy });
    for (const options of [
      { baseUrl: TO },
      { baseUrl: TO, links: 'file' },
      { baseUrl: FROM, links: 'query', hosts: ['nginx', 'cloudflare'], root: '/srv/site' },
    ] as const) {
      const built = temporaryFolder();
      await build({ ...source, out: built, ...options });
      const report = await rebase(copy, options);
      expect(report).toMatchObject({ changed: true, to: options.baseUrl, leftBehind: [] });
      expect(bytesOf(copy)).toEqual(bytesOf(built));
    }
  });

  it('is not undone by the next mirror, unless it went into another folder', async () => {
    const { url } = await deploy(site);
    const copy = path.join(temporaryFolder(), 'copy');
    await mirror(url, { out: copy });
    await rebase(copy, { baseUrl: TO, out: `${copy}-rebased` });
    expect(await mirror(url, { out: copy })).toMatchObject({ changed: false });
    await rebase(copy, { baseUrl: TO });
    const before = fingerprint(copy);
    await expect(mirror(url, { out: copy })).rejects.toMatchObject({
      code: 'guard',
      message: `the published site has the base URL ${TO}, and would get ${FROM}, which nobody has named`,
      hint: 'Mirror into another folder, and rebase that one with --out.',
    });
    expect(fingerprint(copy)).toEqual(before);
  });

  it('changes nothing if nothing is to change, and keeps what holds no link', async () => {
    const copy = copied();
    const style = () => [...fingerprint(copy)].find(([name]) => name === 'style.css');
    const before = style();
    await rebase(copy, { baseUrl: TO });
    expect(style()).toEqual(before);
    const resolved = fingerprint(copy);
    expect(await rebase(copy, { baseUrl: TO })).toMatchObject({ changed: false });
    expect(fingerprint(copy)).toEqual(resolved);
  });

  it('writes into another folder and leaves the copy alone', async () => {
    const copy = copied();
    const before = fingerprint(copy);
    const out = path.join(temporaryFolder(), 'rebased');
    await rebase(copy, { baseUrl: TO, out });
    expect(fingerprint(copy)).toEqual(before);
    expect(verifyFolder(out).problems).toEqual([]);
    expect(readFileSync(path.join(out, 'meta.json'), 'utf8')).toContain(`"base_url":"${TO}"`);
  });

  it.each<[string, (copy: string) => void]>([
    ['an edited record', (copy) => edit(copy, 'api/gamedata/move/move-7/index.json', 'Move 7', 'Move 8')],
    ['an edited page of its own', (copy) => writeFileSync(path.join(copy, 'index.html'), 'mine')],
  ])('is made of the records alone: %s is no reason to refuse', async (_, damage) => {
    const copy = copied();
    damage(copy);
    await rebase(copy, { baseUrl: TO });
    expect(verifyFolder(copy).problems).toEqual([]);
  });

  it.each(['api/gamedata/move/index.json', 'meta.json', 'names/index.json', 'former.json'])(
    'rejects a copy in which %s is not as the manifest says, if it is read',
    async (file) => {
      const copy = copied();
      edit(copy, file, '"', ' "');
      const before = fingerprint(copy);
      const work = rebase(copy, { baseUrl: TO });
      if (file === 'names/index.json') await work;
      else await expect(work).rejects.toThrow(`${file}: has SHA-256`);
      if (file !== 'names/index.json') expect(fingerprint(copy)).toEqual(before);
    },
  );
});

function edit(folder: string, name: string, from: string, to: string): void {
  const file = path.join(folder, name);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}
