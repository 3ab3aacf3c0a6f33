/** What is read back from a site, a copy or a data set is input from outside, whoever wrote it. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { mirror } from '../../../src/cli/commands/mirror.ts';
import { PUBLIC_FOLDER } from '../../../src/cli/commands/package-files.ts';
import { rebase } from '../../../src/cli/commands/rebase.ts';
import { snapshot } from '../../../src/cli/commands/snapshot.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { deploy } from '../../support/deployed.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { listAsTheyAre } from '../../support/listed.ts';
import { callCli } from '../../support/run-cli.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { rawRecords } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';

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
    const own = readFileSync(file('front.js'), 'utf8');
    for (const name of ['front.js', 'browse.html', 'style.css']) writeFileSync(file(name), 'evil()');
    writeFileSync(file('note.txt'), 'mine');
    listAsTheyAre(out);
    await rebase(out, { baseUrl: 'https://elsewhere.test' });
    expect(readFileSync(file('front.js'), 'utf8')).toBe(own);
    for (const name of ['browse.html', 'style.css'])
      expect(readFileSync(file(name), 'utf8')).not.toContain('evil');
    expect(readFileSync(file('note.txt'), 'utf8'), 'what no build makes is kept').toBe('mine');
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
});

describe('a folder of the other kind', () => {
  it('is not replaced: a site by a data set', async () => {
    const { out } = builtSite();
    const before = fingerprint(out);
    await expect(snapshot({ ...source, data: out })).rejects.toMatchObject({
      message: `${out}: holds a site, which a data set would replace`,
      hint: 'Choose another folder with --data.',
    });
    expect(fingerprint(out)).toEqual(before);
  });

  it('is not replaced: a data set by a site, a copy or a rebased copy', async () => {
    const { out } = builtSite();
    const { upstream: data } = source;
    const before = fingerprint(data);
    const message = `${data}: holds a data set, which a site would replace`;
    await expect(build({ ...source, out: data })).rejects.toMatchObject({ message });
    await expect(rebase(out, { baseUrl: 'https://example.test', out: data })).rejects.toMatchObject({
      message,
    });
    const server = await deploy(out);
    await expect(mirror(server.url, { out: data })).rejects.toMatchObject({ message });
    expect(fingerprint(data)).toEqual(before);
  });

  it('is not part of every site from then on', async () => {
    const out = path.join(PUBLIC_FOLDER, 'nested');
    await expect(build({ ...source, out })).rejects.toThrow('which would become part of every site');
  });

  it('is not the one that the command runs in', async () => {
    const { upstream } = source;
    const here = temporaryFolder();
    mkdirSync(path.join(here, 'below'));
    const args = ['build', '--source', 'snapshot', '--upstream', upstream, '--quiet', '--out'];
    for (const [cwd, out] of [
      [here, '.'],
      [path.join(here, 'below'), '..'],
    ] as const) {
      const { code, stderr } = await callCli([...args, out], { cwd });
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^error: \.\.?: is the working folder, or contains it, and cannot be replaced\nhint: /,
      );
    }
    expect((await callCli([...args, 'site'], { cwd: here })).code).toBe(0);
  });
});
