/** What is read back from a site, a copy or a data set is input from outside, whoever wrote it. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { rebase } from '../../../src/cli/commands/rebase.ts';
import { PUBLIC_FOLDER } from '../../../src/cli/package-files.ts';
import { mapKinds } from '../../../src/contract/kinds.ts';
import { listPageFile } from '../../../src/contract/paths.ts';
import { unserved } from '../../../src/dataset/data-set.ts';
import { digestRecords } from '../../../src/dataset/digest.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { listAsTheyAre } from '../../support/listed.ts';
import { readTree } from '../../support/publishing.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { rawRecords } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';

const { outputFileSync: outputFile } = fsExtra;

const dataSetFolder = async (...raw: Parameters<typeof rawRecords>) =>
  (await smallSource(rawRecords(...raw))).upstream;

const { described: source, copied } = sharedSite({
  baseUrl: 'https://example.test',
  hosts: ['nginx', 'apache', 'caddy', 'netlify'],
});

function builtSite() {
  const out = copied();
  return { out, file: (name: string) => path.join(out, name) };
}

describe('a copy that somebody prepared', () => {
  it('puts nothing into the configuration of hosts', async () => {
    const { out, file } = builtSite();
    const meta = JSON.parse(readFileSync(file('meta.json'), 'utf8'));
    for (const upstream of [
      'https://icons.test\nlocation / { root /; }',
      'https://icons.test/"; return 200 "x',
      'https://icons.test/ evil',
      'javascript:alert(1)',
    ]) {
      writeFileSync(file('meta.json'), JSON.stringify({ ...meta, sprites: { mode: 'link', upstream } }));
      listAsTheyAre(out);
      const before = fingerprint(out);
      await expect(rebase(out, { baseUrl: 'https://elsewhere.test' })).rejects.toThrow(
        /has no valid meta.json: sprites.upstream: got .* expected a URL of letters, digits, dots and hyphens/,
      );
      expect(fingerprint(out)).toEqual(before);
      expect(() => verifyFolder(out)).toThrow('has no valid meta.json');
    }
  });

  it.each([
    [
      'a name that would disturb a terminal',
      '"name":"Move 7"',
      '"name":"\\u001b[2J"',
      'expected text without control',
    ],
    ['ids that are not in order', '"id":7', '"id":5', 'id: got 5: expected ascending ids'],
    [
      'fields that are not',
      '"id":7,"slug":"move-7"',
      '"slug":"move-7","id":7',
      ': got fields in another order',
    ],
    [
      'a slug that leads elsewhere',
      '"slug":"move-7"',
      '"slug":"../x"',
      'slug: got "../x": expected a safe slug',
    ],
  ])('is refused with %s, though every digest and hash is right', async (_, from, to, problem) => {
    const { out, file } = builtSite();
    const page = file('api/gamedata/move/index.json');
    writeFileSync(page, readFileSync(page, 'utf8').replace(from, to));
    const records = mapKinds((kind) =>
      [0, 100]
        .slice(0, kind === 'move' ? 2 : 1)
        .flatMap((offset) =>
          JSON.parse(readFileSync(file(listPageFile(kind, offset)), 'utf8')).results.map(unserved),
        ),
    );
    const meta = JSON.parse(readFileSync(file('meta.json'), 'utf8'));
    writeFileSync(file('meta.json'), JSON.stringify({ ...meta, digest: digestRecords(records) }));
    listAsTheyAre(out);
    const before = fingerprint(out);
    await expect(rebase(out, { baseUrl: 'https://elsewhere.test' })).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining(problem),
    });
    expect(fingerprint(out)).toEqual(before);
  });

  it('has this version’s own scripts and pages after a rebase', async () => {
    const { out, file } = builtSite();
    const options = { baseUrl: 'https://elsewhere.test' };
    await rebase(out, options);
    const own = readTree(out);
    for (const name of ['front.js', 'browse.html', 'style.css', 'docs/index.html'])
      writeFileSync(file(name), 'evil()');
    writeFileSync(file('note.txt'), 'mine');
    listAsTheyAre(out);
    for (const name of ['evil.html', 'functions/index.js', 'web.config']) outputFile(file(name), 'evil');
    listAsTheyAre(out);
    const { leftBehind } = await rebase(out, options);
    expect(leftBehind).toEqual(['evil.html', 'functions/index.js', 'note.txt', 'web.config']);
    expect(readTree(out), 'nothing else of the copy survives').toEqual(own);
    expect(verifyFolder(out).problems).toEqual([]);
  });
});

describe('a published site that does not describe itself any more', () => {
  it('still guards against data that lost records', async () => {
    const { out, file } = builtSite();
    const fewer = await dataSetFolder(10, 3);
    const options = { ...source, upstream: fewer, out };
    for (const text of [undefined, '{', '{"counts":{}}']) {
      rmSync(file('meta.json'), { force: true });
      if (text !== undefined) writeFileSync(file('meta.json'), text);
      await expect(build(options)).rejects.toThrow('got 10 records, the last build had 120');
    }
    expect((await build({ ...options, maxShrink: 100 })).missing.move).toHaveLength(110);
  });

  it('is refused if its former slugs cannot be read, unless they may be forgotten', async () => {
    const { out, file } = builtSite();
    const next = { ...source, out };
    writeFileSync(file('former.json'), '{}');
    await expect(build(next)).rejects.toThrow('has former slugs that cannot be read');
    expect((await build({ ...next, forgetHistory: true })).changed).toBe(true);
    expect(verifyFolder(out).problems).toEqual([]);
  });
});

describe('the folder of hand-written files', () => {
  it('is not part of every site from then on', async () => {
    const out = path.join(PUBLIC_FOLDER, 'nested');
    await expect(build({ ...source, out })).rejects.toThrow('which would become part of every site');
  });
});
