/** What is read back from a site, a copy or a data set is input from outside, whoever wrote it. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { PUBLIC_FOLDER } from '../../../src/cli/commands/package-files.ts';
import { rebase } from '../../../src/cli/commands/rebase.ts';
import { snapshot } from '../../../src/cli/commands/snapshot.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { listAsTheyAre } from '../../support/listed.ts';
import { readTree } from '../../support/publishing.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { rawRecords } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';

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
        'has no valid meta.json: sprites.upstream: expected a URL of letters, digits, dots and hyphens',
      );
      expect(fingerprint(out)).toEqual(before);
      expect(() => verifyFolder(out)).toThrow('has no valid meta.json');
    }
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
    await rebase(out, options);
    expect(readTree(out), 'what no build makes is kept').toEqual({ ...own, 'note.txt': 'mine' });
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

  it('keeps its history, or says that it cannot be continued', async () => {
    const { out, file } = builtSite();
    const options = { ...source, out, maxShrink: 100 };
    await build({ ...options, upstream: await dataSetFolder(119, 5) });
    expect(JSON.parse(readFileSync(file('changes.json'), 'utf8')).steps).toHaveLength(1);
    rmSync(file('meta.json'));
    const next = { ...options, upstream: await dataSetFolder(118, 5) };
    await expect(build(next)).rejects.toMatchObject({
      message: expect.stringContaining('its history cannot be continued'),
      hint: expect.stringContaining('--forget-history'),
    });
    expect((await build({ ...next, forgetHistory: true })).changed).toBe(true);
  });

  it('starts a new history if told to, also where nothing of it can be read', async () => {
    const { out, file } = builtSite();
    for (const name of ['meta.json', 'changes.json']) writeFileSync(file(name), '{');
    const next = { ...source, out, maxShrink: 100 };
    await expect(build(next)).rejects.toThrow('has a history that cannot be read');
    expect((await build({ ...next, forgetHistory: true })).changed).toBe(true);
    expect(verifyFolder(out).problems).toEqual([]);
  });
});

describe('a folder of the other kind', () => {
  it('is not replaced: a site by a data set, nor a data set by a site', async () => {
    const { out } = builtSite();
    const { upstream: data } = source;
    const before = [fingerprint(out), fingerprint(data)];
    await expect(snapshot({ ...source, data: out })).rejects.toMatchObject({
      message: `${out}: holds a site, which a data set would replace`,
      hint: 'Choose another folder with --data.',
    });
    await expect(build({ ...source, out: data })).rejects.toThrow(
      `${data}: holds a data set, which a site would replace`,
    );
    expect([fingerprint(out), fingerprint(data)]).toEqual(before);
  });

  it('is not part of every site from then on', async () => {
    const out = path.join(PUBLIC_FOLDER, 'nested');
    await expect(build({ ...source, out })).rejects.toThrow('which would become part of every site');
  });
});
