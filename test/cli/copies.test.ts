/** The command line about copies: mirror a deployment, rebase the copy, archive it. */

import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyFolder } from '../../src/verify/folder.ts';
import { deploy } from '../support/deployed.ts';
import { callCli, startCli } from '../support/run-cli.ts';
import { sharedSite } from '../support/shared-site.ts';
import { temporaryFolder } from '../support/temporary.ts';

const { site } = sharedSite({ baseUrl: 'https://origin.test' });

/** A deployed site of some 170 files, two of them a host's, and an empty folder to work in. */
async function ground() {
  const cwd = temporaryFolder();
  const server = await deploy(site);
  return { cwd, server, run: (...args: string[]) => callCli(args, { cwd }) };
}

describe('mirror', () => {
  it('says how many files downloaded, into a folder named like the host', async () => {
    const { cwd, server, run } = await ground();
    const folder = `127.0.0.1-${server.port}`;
    const first = await run('mirror', server.url);
    expect(first.stderr).toMatch(
      /^excluded, as host configuration: _edge\/gamedata-browsers\.js, .*_headers, _redirects$/m,
    );
    expect(first.stderr).toMatch(/^(\d+) files downloaded, [\d.]+ [kM]B$/m);
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(readdirSync(cwd)).toEqual([folder]);
    const second = await run('mirror', server.url, '--json');
    expect(second.stderr).toMatch(/^0 files downloaded, /m);
    expect(JSON.parse(second.stdout)).toMatchObject({
      out: folder,
      changed: false,
      downloaded: { files: 0, resumed: 0 },
      fetched: [],
    });
    expect((await run('mirror', server.url, '--quiet')).stderr).toBe('');
  });

  it('killed at any moment, leaves no copy or a whole one, and the next run fetches what is missing', async () => {
    const { cwd, server, run } = await ground();
    const asked = () => server.requests.length;
    server.faults.set('meta.json', () => {});
    const { child, finished } = startCli(['mirror', server.url, 'copy', '--concurrency', '1'], { cwd });
    await expect.poll(() => server.paths(), { interval: 10, timeout: 60_000 }).toContain('meta.json');
    child.kill('SIGKILL');
    await finished;
    expect(existsSync(path.join(cwd, 'copy'))).toBe(false);
    const before = asked();
    server.faults.clear();
    const { code, stdout } = await run('mirror', server.url, 'copy', '--json');
    expect(code).toBe(0);
    const { downloaded, fetched } = JSON.parse(stdout);
    expect(downloaded.resumed).toBeGreaterThan(100);
    expect(downloaded.files + downloaded.resumed).toBe(fetched.length);
    expect(asked() - before).toBe(downloaded.files + 1);
    expect(verifyFolder(path.join(cwd, 'copy')).problems).toEqual([]);
    expect(readdirSync(cwd)).toEqual(['copy']);
  });

  it('exits with 1 if the deployment is none, and says so', async () => {
    const { server, run } = await ground();
    const { code, stderr } = await run('mirror', `${server.url}/elsewhere`);
    expect(stderr).toMatch(/^error: GET \S+\/elsewhere\/manifest.json: got 404, expected 200\n/);
    expect(stderr).toMatch(/\n127\.0\.0\.1-\d+-elsewhere: nothing was published\n$/);
    expect(code).toBe(1);
  });
});

describe('an address inside of a site', () => {
  it.each(['mirror', 'verify', 'diff site'])('is no base URL, which is named: %s', async (command) => {
    const { server, run, cwd } = await ground();
    symlinkSync(site, path.join(cwd, 'site'));
    const { code, stderr } = await run(...command.split(' '), `${server.url}/api/gamedata/`);
    expect(stderr).toMatch(new RegExp(`^hint: expected the base URL of a site, such as ${server.url}$`, 'm'));
    expect(code).toBe(1);
  });
});

it('the commands for a copy run twice in one folder', async () => {
  const { server, run } = await ground();
  const rebase = [
    'rebase',
    'copy',
    '--out',
    'offline',
    '--base-url',
    'http://localhost:8000',
    '--links',
    'file',
  ];
  for (const files of [/^1\d\d files downloaded/m, /^0 files downloaded/m]) {
    const mirrored = await run('mirror', server.url, 'copy', '--json');
    expect(mirrored.stderr).toMatch(files);
    expect([mirrored.code, (await run(...rebase)).code]).toEqual([0, 0]);
  }
});

describe('rebase and archive', () => {
  it('rebase says the old and new base URL, archive what it packed', async () => {
    const { cwd, server, run } = await ground();
    await run('mirror', server.url, 'copy');
    const options = ['--base-url', 'http://localhost:8000/', '--links', 'file', '--host', 'caddy'];
    const rebased = await run('rebase', 'copy', ...options);
    expect(rebased.stderr).toMatch(
      /^links: from https:\/\/origin\.test to http:\/\/localhost:8000, style file; hosts: caddy\ncopy: \d{3} files, .*\n$/,
    );
    const archived = await run('archive', 'copy', '--json');
    expect(archived.stderr).toMatch(/^copy: \d{3} files packed into \.: gamedata\.tar\.gz, [\d.]+ kB; /);
    const { archives } = JSON.parse(archived.stdout);
    const sums = readFileSync(path.join(cwd, 'gamedata.sha256'), 'utf8');
    expect(sums).toContain(`${archives[0].sha256}  gamedata.tar.gz\n`);
    expect([rebased.code, archived.code]).toEqual([0, 0]);
    for (const out of ['copy', 'copy/download']) {
      const inside = await run('archive', 'copy', '--out', out);
      expect(inside).toMatchObject({ code: 2, stdout: '' });
      expect(inside.stderr).toContain(`error: --out: got "${out}", inside "copy": expected another folder`);
    }
    expect(await run('verify', 'copy')).toMatchObject({ code: 0 });
  });
});
