import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { mirror } from '../../../src/cli/commands/mirror.ts';
import { mapKinds } from '../../../src/contract/kinds.ts';
import { listPageFile } from '../../../src/contract/paths.ts';
import {
  digestLines,
  encodeLine,
  removeUrl,
} from '../../../src/dataset/data-set.ts';
import { keepArchive } from '../../../src/pipeline/keep-archive.ts';
import type { Progress } from '../../../src/upstream/source.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { deploy } from '../../support/deployed.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { listAsTheyAre } from '../../support/listed.ts';
import { startServer, status } from '../../support/local-server.ts';
import { readTree } from '../../support/publishing.ts';
import { callCli } from '../../support/run-cli.ts';
import { rawRecords } from '../../support/sites.ts';
import { sharedSite, smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const { outputFileSync: outputFile } = fsExtra;

const FROM = 'https://origin.test';
const TO = 'http://localhost:8080/offline';

const { site, described, copied } = sharedSite({ baseUrl: FROM }, rawRecords(8, 5));
let packed = '';
beforeAll(async () => {
  packed = await keepArchive(site, 1);
});

const newFolder = (): string => path.join(temporaryFolder(), 'copy');
const readJson = (dir: string, file: string) =>
  JSON.parse(readFileSync(path.join(dir, file), 'utf8'));

function edit(
  dir: string,
  file: string,
  change: (json: Record<string, unknown>) => unknown,
): void {
  writeFileSync(path.join(dir, file), JSON.stringify(change(readJson(dir, file))));
  listAsTheyAre(dir);
}

/**
 * Tests that change the working folder are skipped in mutation tests, whose workers
 * cannot do so.
 */
const inFolder = it.skipIf(process.env.MUTATED !== undefined);

describe('mirror', () => {
  it('rebuilds the same site from a deployment, an archive and a folder', async () => {
    const { url } = await deploy(site);
    for (const from of [url, packed, site]) {
      const out = newFolder();
      expect(await mirror({ from, out })).toMatchObject({
        address: from,
        changed: true,
        site: { baseUrl: FROM, baseUrlFrom: 'source' },
        leftBehind: { files: [], kinds: [] },
      });
      expect(readTree(out)).toEqual(readTree(site));
    }
  });

  it('reports progress while reading a deployment', async () => {
    const { url, paths } = await deploy(site);
    const seen: string[] = [];
    const onProgress = ({ done, total }: Progress) =>
      seen.push(`${done} of ${total}`);
    await mirror({ from: url, out: newFolder(), onProgress });
    const total = paths().length - 1;
    expect([seen[0], seen.at(-1)]).toEqual(['0 of 0', `${total} of ${total}`]);
  });

  it('creates the same site as a build with the same options', async () => {
    const built = newFolder();
    const host = { hosts: ['nginx'], root: '/srv/x' } as const;
    const options = {
      baseUrl: TO,
      links: 'file',
      downloads: false,
      ...host,
    } as const;
    await build({ ...described, ...options, out: built });
    const copy = copied();
    await mirror({ from: copy, ...options });
    expect(readTree(copy)).toEqual(readTree(built));
  });

  inFolder('names the folder of a copy after the host in the URL', async () => {
    const { url } = await startServer(status(400));
    const from = url.replace('http://127.0.0.1', 'HTTP://LOCALHOST');
    const cwd = temporaryFolder();
    outputFile(
      path.join(cwd, new URL(from).host.replace(':', '-'), 'manifest.json'),
      '',
    );
    const { stderr } = await callCli(['mirror', from, '--no-cache'], { cwd });
    expect(stderr).toMatch(/\nlocalhost-\d+: unchanged\n$/);
  });

  it('requests only manifest.json and meta.json from an unchanged deployment', async () => {
    const server = await deploy(site);
    const out = newFolder();
    await mirror({ from: server.url, out, baseUrl: TO, hosts: ['caddy'] });
    const asked = server.requests.length;
    const before = fingerprint(out);
    expect(await mirror({ from: server.url, out })).toMatchObject({
      changed: false,
      site: { hosts: ['caddy'] },
    });
    expect(server.paths().slice(asked)).toEqual(['manifest.json', 'meta.json']);
    expect(fingerprint(out)).toEqual(before);
  });

  it('rejects a call of mirror() without a site to copy', async () => {
    await expect(mirror({} as never)).rejects.toThrow(
      'from: got nothing, expected the URL',
    );
  });

  it('rejects a redirect to another host', async () => {
    const server = await deploy(site);
    server.faults.set('former.json', (response) =>
      response.writeHead(301, { location: 'http://other.test/' }).end(),
    );
    await expect(mirror({ from: server.url, out: newFolder() })).rejects.toThrow(
      'a redirect to "http://other.test/", expected 200',
    );
  });
});

describe('mirror, for a site from an untrusted author,', () => {
  /**
   * Mirrors a site after changing its `meta.json`. Returns the report and the
   * `meta.json` of the copy.
   */
  async function copyEdited(change: Record<string, unknown>) {
    const [from, out] = [copied(), newFolder()];
    edit(from, 'meta.json', (json) => ({ ...json, ...change }));
    const report = await mirror({ from, out });
    return { from, report, meta: readJson(out, 'meta.json'), tree: readTree(out) };
  }

  it("ignores forged settings and texts in the copied site's meta.json", async () => {
    const { from, tree } = await copyEdited({
      sprites: { mode: 'link', upstream: 'https://evil.test' },
      fallback: '\u001b[2J\u202eevil',
      warnings: mapKinds(() => ({ '\u001b[2J\u202e': 7 })),
      hosts: ['nginx', '../x'],
      downloads: false,
      archive: true,
      generator: 'evil/1',
      skipped: mapKinds(() => [17]),
    });
    expect(tree).toEqual(readTree(site));
    expect(await mirror({ from })).toMatchObject({ site: { hosts: ['netlify'] } });
  });

  it('does not keep the hosts if the output folder is a symlink to the mirrored site', async () => {
    const out = copied();
    edit(out, 'meta.json', (json) => ({ ...json, hosts: ['nginx'] }));
    const link = path.join(newFolder(), 'link');
    fsExtra.ensureSymlinkSync(out, link);
    expect(await mirror({ from: link, out })).toMatchObject({
      site: { hosts: ['netlify'] },
    });
  });

  it('drops implausible provenance from the copied site', async () => {
    const { meta, report } = await copyEdited({
      upstream: 'npm\u001b[2J\u202e',
      captured: '2099-01-01',
      edition: { hash: 'a'.repeat(40), deployed: '2099-01-01T00:00:00Z' },
    });
    const today = new Date().toISOString().slice(0, 10);
    expect(meta).toMatchObject({
      upstream: 'unknown',
      captured: today,
      edition: null,
    });
    expect(report.notices).toEqual([
      "dropped the source's upstream, which is not a URL",
      `the source was captured on 2099-01-01, which is in the future; using ${today} instead`,
      "dropped the source's edition from 2099-01-01T00:00:00Z, which is in the future",
    ]);
  });

  it('keeps plausible provenance and known warnings from the copied site', async () => {
    const edition = {
      hash: 'a'.repeat(40),
      deployed: new Date(Date.now() + 80_000_000).toISOString(),
    };
    const kept = { move: { 'missing-name': 2 }, item: { 'no-icon': 1 } };
    const warnings = {
      ...mapKinds(() => ({})),
      ...kept,
    };
    const { meta } = await copyEdited({ edition, warnings });
    expect(meta).toMatchObject({ edition, warnings: kept });
  });

  it.each([
    ['"name":"Move 7"', '"name":"\\u001b[2J"', 'expected text without control'],
    ['"id":7', '"id":5', 'id: got 5, expected ascending ids'],
    ['"id":7,"slug":"move-7"', '"slug":"move-7","id":7', 'got fields out of order'],
  ])(
    'rejects a site with %s replaced by %s, even if all digests are correct',
    async (from, to, problem) => {
      const copy = copied();
      const page = path.join(copy, listPageFile('move', 0));
      writeFileSync(page, readFileSync(page, 'utf8').replace(from, to));
      const digest = digestLines((kind) =>
        readJson(copy, listPageFile(kind, 0))
          .results.map(removeUrl)
          .map(encodeLine)
          .join(''),
      );
      edit(copy, 'meta.json', (json) => ({ ...json, digest }));
      await expect(mirror({ from: copy })).rejects.toThrow(problem);
    },
  );

  inFolder('lists the pages, scripts and kinds that were not copied', async () => {
    const copy = copied();
    const kind = 'api/gamedata/unknown-kind';
    const files = [
      'browse.html',
      'style.css',
      'evil.html',
      `${kind}/index.json`,
      `${kind}/x/index.json`,
    ];
    for (const name of files) outputFile(path.join(copy, name), '{}');
    listAsTheyAre(copy);
    const cwd = temporaryFolder();
    const { code, stderr } = await callCli(['restore', copy, 'copy'], { cwd });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^not copied: kinds unknown-kind\nnot copied: 3 files: api\/gamedata\/unknown-kind\/index\.json, /m,
    );
    expect(stderr).toContain(`base URL: ${FROM}, as in the source\n`);
    expect(readTree(path.join(cwd, 'copy'))).toEqual(readTree(site));
  });
});

describe('mirror, for an archive,', () => {
  const { move, item } = rawRecords(31, 5);
  const renamed = {
    item,
    move: move.map((one) => (one.id === 7 ? { ...one, slug: 'seven' } : one)),
  };

  it('restores all records and URLs from an archive regardless of --max-shrink', async () => {
    const out = copied();
    await build({ ...described, ...(await smallSource(renamed)), out });
    // The guard still applies to folders and URLs.
    for (const from of [site, (await deploy(site)).url]) {
      await expect(mirror({ from, out })).rejects.toMatchObject({ code: 'guard' });
    }
    writeFileSync(path.join(out, 'former.json'), '{}');
    const { code, stderr } = await callCli(['restore', packed, out]);
    expect(code).toBe(0);
    expect(stderr.match(/^ {2}moves removed: move-\d+ /gm)).toHaveLength(20);
    expect(stderr).toContain('\n  … and 3 more\n');
    expect(readJson(out, 'moved.json')).toEqual({
      '/api/gamedata/move/seven/': '/api/gamedata/move/move-7/',
    });
    expect(readJson(out, 'changes.json').steps).toHaveLength(2);
    expect(readTree(path.join(out, 'api'))).toEqual(
      readTree(path.join(site, 'api')),
    );
  });

  it('names the archive in the error if it is truncated', async () => {
    const from = path.join(temporaryFolder(), 'damaged.tar.gz');
    writeFileSync(from, readFileSync(packed).subarray(0, 2000));
    await expect(mirror({ from, out: newFolder() })).rejects.toThrow(
      `${from}: cannot be read as an archive (`,
    );
  });
});

describe('build, for a published site,', () => {
  it('rejects a loss of records even if the published meta.json is missing or damaged', async () => {
    const out = copied();
    const file = path.join(out, 'meta.json');
    const options = { ...described, ...(await smallSource(rawRecords(3, 5))), out };
    for (const damage of [() => rmSync(file), () => writeFileSync(file, '{')]) {
      damage();
      await expect(build(options)).rejects.toThrow('got 5 of 8 records missing');
      await expect(build({ ...options, baseUrl: undefined })).rejects.toThrow(
        `the base URL of ${out} cannot be read`,
      );
    }
    expect(
      (await build({ ...options, maxShrink: 100 })).changes.missing.move,
    ).toHaveLength(5);
  });

  it('requires --forget-history to replace a site whose old slugs are damaged', async () => {
    const out = copied();
    writeFileSync(path.join(out, 'former.json'), '{');
    await expect(build({ ...described, out })).rejects.toThrow(
      'has old slugs that cannot be read',
    );
    await build({ ...described, out, forgetHistory: true });
    expect(verifyFolder(out).problems).toEqual([]);
  });
});
