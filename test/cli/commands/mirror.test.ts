import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { mirror } from '../../../src/cli/commands/mirror.ts';
import { mapKinds } from '../../../src/contract/kinds.ts';
import { deploy } from '../../support/deployed.ts';
import { listAsTheyAre } from '../../support/listed.ts';
import { readTree } from '../../support/publishing.ts';
import { callCli } from '../../support/run-cli.ts';
import { rawRecords } from '../../support/sites.ts';
import { sharedSite, smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const { outputFileSync: outputFile } = fsExtra;

const FROM = 'https://origin.test';
const TO = 'http://localhost:8080/offline';

const { site, described, copied } = sharedSite(
  { baseUrl: FROM, hosts: ['netlify'] },
  rawRecords(8, 5),
);

const newFolder = (): string => path.join(temporaryFolder(), 'copy');
const readJson = (folder: string, file: string) =>
  JSON.parse(readFileSync(path.join(folder, file), 'utf8'));

/** Changes a file of a site, and lists it in the manifest as it is now. */
function edit(
  folder: string,
  file: string,
  change: (json: Record<string, unknown>) => unknown,
): void {
  const json = change(readJson(folder, file));
  writeFileSync(path.join(folder, file), JSON.stringify(json));
  listAsTheyAre(folder);
}

describe('mirror', () => {
  it('creates an identical copy of a site from its deployment or its folder', async () => {
    const { url } = await deploy(site);
    for (const from of [url, site]) {
      const out = newFolder();
      expect(await mirror({ from, out })).toMatchObject({
        address: from,
        changed: true,
        site: { baseUrl: FROM },
      });
      expect(readTree(out)).toEqual(readTree(site));
    }
  });

  it('creates the same site as the build command if both get the same options', async () => {
    const built = newFolder();
    const options = {
      baseUrl: TO,
      links: 'file',
      hosts: ['nginx'],
      root: '/srv/x',
    } as const;
    await build({ ...described, ...options, out: built });
    const copy = newFolder();
    await mirror({ from: site, out: copy, ...options });
    expect(readTree(copy)).toEqual(readTree(built));
  });

  it('refuses to replace a published site with a copy that has far fewer records', async () => {
    const { move, item } = rawRecords(31, 5);
    const out = newFolder();
    await build({
      ...(await smallSource({ move, item })),
      maxShrink: 100,
      out,
      baseUrl: FROM,
    });
    const { code, stderr } = await callCli(['mirror', site, out]);
    expect(code).toBe(4);
    expect(stderr).toContain('move: 23 of 31 records are gone');
    expect(stderr).toContain('--max-shrink 75');
  });
});

describe('mirror, for a site from an untrusted author,', () => {
  /** Copies a site after changing its `meta.json`. */
  async function copyEdited(change: Record<string, unknown>) {
    const [from, out] = [copied(), newFolder()];
    edit(from, 'meta.json', (json) => ({ ...json, ...change }));
    await mirror({ from, out });
    return readTree(out);
  }

  it("ignores settings and texts in the copied site's meta.json", async () => {
    const tree = await copyEdited({
      fallback: '\u001b[2J\u202eevil',
      warnings: mapKinds(() => ({ 'no-text': 7 })),
      hosts: ['nginx'],
      archive: true,
      generator: 'evil/1',
      skipped: mapKinds(() => [17]),
    });
    expect(tree).toEqual(readTree(site));
  });

  it('does not copy pages or unknown files from a site', async () => {
    const copy = copied();
    for (const name of ['browse.html', 'style.css', 'evil.html', 'data/evil.json']) {
      outputFile(path.join(copy, name), '{}');
    }
    listAsTheyAre(copy);
    const out = newFolder();
    await mirror({ from: copy, out });
    expect(readTree(out)).toEqual(readTree(site));
  });
});

describe('build, for a published site,', () => {
  it('refuses to build if the published data set is damaged', async () => {
    const out = copied();
    const options = { ...described, ...(await smallSource(rawRecords(3, 5))), out };
    writeFileSync(path.join(out, 'data/dataset.json'), '{');
    const building = build(options);
    await expect(building).rejects.toThrow(/data\/dataset\.json/);
    await expect(building).rejects.toMatchObject({
      hint: 'Restore the file from a copy, or build into a new folder.',
    });
  });
});
