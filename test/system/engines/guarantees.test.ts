/**
 * Tests that every engine keeps the contract's guarantees and serves each file as
 * built.
 */

import { mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import {
  type GuaranteeName,
  guaranteeNames,
  guarantees,
} from '../../../src/contract/guarantees.ts';
import { mapKinds } from '../../../src/contract/kinds.ts';
import type { ManifestEntry } from '../../../src/contract/meta.ts';
import {
  bulkFolders,
  DATA_FOLDER,
  isServed,
  parseRecordPath,
  toPath,
} from '../../../src/contract/paths.ts';
import { getMediaType } from '../../../src/contract/responses.ts';
import { findMismatch } from '../../../src/data/entries.ts';
import { isHostConfig } from '../../../src/hosts/index.ts';
import { PACKAGE_ROOT } from '../../../src/package.ts';
import { openSite, type SiteFolder } from '../../../src/site-folder.ts';
import { verifyDeployment } from '../../../src/verify/deployment.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import { engines } from '../../support/engines/index.ts';
import { serveStatic } from '../../support/engines/static.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { sharedFolder } from '../../support/temporary.ts';

/** ENGINES is set to `all` where `scripts/install-engines.sh` has run. */
const demandsAll = process.env.ENGINES === 'all';
const HOSTS = path.join(PACKAGE_ROOT, 'docs/HOSTS.md');
const RECORDS = 205;

/** Lists the files that hosts serve. The guarantees check the records. */
function listServed({ manifest }: SiteFolder): ManifestEntry[] {
  return manifest.files.filter(({ path }) => {
    const isRecord = parseRecordPath(toPath(path)) !== undefined;
    return isServed(path, '') && !isHostConfig(path) && !isRecord;
  });
}

/** Only gamedata reads `data/`, and hosts have their own media types for `.ico`. */
function hasAnyType(file: string): boolean {
  return file.startsWith(DATA_FOLDER) || file.endsWith('.ico');
}

function expectFileHeaders(file: string, headers: Headers): void {
  const type = getMediaType(file);
  // CDNs add a charset to JSON and use the older media type for scripts.
  const types = [
    type,
    `${type}; charset=utf-8`,
    type.replace('text/javascript', 'application/javascript'),
  ];
  expect(types, file).toContain(headers.get('content-type'));
  const isDownload = bulkFolders.some((folder) => file.startsWith(folder));
  const disposition = isDownload ? 'attachment' : null;
  expect(headers.get('content-disposition'), file).toBe(disposition);
  // CDNs may compress text, but must not declare an archive as compressed.
  if (file.endsWith('.gz')) expect(headers.get('content-encoding')).toBeNull();
}

const folder = sharedFolder();
const upstream = path.join(folder, 'data');
beforeAll(async () => {
  await renamedSnapshot(upstream, RECORDS);
});

for (const { engine, links, unsupported } of engines) {
  const missing = engine.missing();
  const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

  describe.skipIf(reason !== '').each(['', '/games/v2.1'])(
    `${engine.name}${reason} at https://example.test%s`,
    (below) => {
      const baseUrl = `https://example.test${below}`;
      // Other users can read a folder only if a build created it.
      const out = path.join(mkdtempSync(path.join(folder, 'site-')), 'site');
      const isAtRoot = below === '';
      let running: RunningEngine;
      beforeAll(async () => {
        expect(missing).toBeUndefined();
        await build({
          source: 'snapshot',
          upstream,
          baseUrl,
          out,
          links,
          hosts: engine.host ? [engine.host] : [],
          maxShrink: 100,
          archive: isAtRoot,
        });
        running = await engine.start(out);
      });
      afterAll(() => running?.stop());

      test('the host meets every guarantee except those listed as unsupported', async () => {
        const { guarantees: checked, counts } = await verifyDeployment(running.url, {
          guarantees: guaranteeNames,
          concurrency: engine.concurrency ?? 16,
          expectedSite: openSite(out),
        });
        const failed = checked.filter(({ failures }) => failures.length > 0);
        const unexpected = failed.filter(
          ({ guarantee }) => !unsupported.includes(guarantee),
        );
        expect(unexpected).toEqual([]);
        const failedNames = failed.map(({ guarantee }) => guarantee);
        expect(failedNames).toEqual(expect.arrayContaining([...unsupported]));
        expect(counts).toEqual(mapKinds(() => RECORDS));
      });

      // `serve` redirects `browse.html` to `browse`, which is a folder.
      test.runIf(isAtRoot && engine !== serveStatic)(
        'serves every file exactly as it was built',
        async () => {
          for (const entry of listServed(openSite(out))) {
            const response = await fetch(`${running.url}/${entry.path}`);
            const body = new Uint8Array(await response.arrayBuffer());
            expect(findMismatch(entry, body), entry.path).toBeUndefined();
            const hasType = links === 'query' && !hasAnyType(entry.path);
            if (hasType) expectFileHeaders(entry.path, response.headers);
          }
        },
      );
    },
  );
}

test('HOSTS.md lists which hosts keep each guarantee (npm run readme:guarantees updates it)', async () => {
  const generated =
    /(?<=<!-- generated by `npm run readme:guarantees` -->\n).*(?=\n<!-- \/generated -->)/s;
  const text = readFileSync(HOSTS, 'utf8').replace(generated, renderGroups);
  await expect(text).toMatchFileSnapshot(HOSTS);
});

/** Guarantees that the same hosts keep. */
interface Group {
  readonly keepers: readonly string[];
  /** The hosts that do not keep them. */
  readonly others: readonly string[];
  readonly titles: string[];
}

/** The tests above prove that an engine keeps all other guarantees. */
function listOthers(name: GuaranteeName): string[] {
  const rows = engines.filter(({ unsupported }) => unsupported.includes(name));
  return [...new Set(rows.map(({ host }) => host))];
}

function listGroups(): Group[] {
  const groups = new Map<string, Group>();
  const hosts = [...new Set(engines.map(({ host }) => host))];
  for (const name of guaranteeNames) {
    const { title } = guarantees[name];
    const others = listOthers(name);
    const keepers = hosts.filter((host) => !others.includes(host));
    const key = keepers.join();
    const group = groups.get(key);
    if (group) group.titles.push(title);
    else groups.set(key, { keepers, others, titles: [title] });
  }
  return [...groups.values()];
}

/** Describes the hosts that keep a group's guarantees, in as few names as possible. */
function describeKeepers({ keepers, others }: Group): string {
  const format = new Intl.ListFormat('en-GB');
  if (others.length === 0) return 'All hosts';
  if (others.length < keepers.length) {
    return `All hosts except ${format.format(others)}`;
  }
  return `Only ${format.format(keepers)}`;
}

/** Renders a list for each group of guarantees. */
function renderGroups(): string {
  const lists: string[] = [];
  for (const group of listGroups()) {
    const items = group.titles.map((title) => `- ${title}\n`);
    lists.push(`${describeKeepers(group)}:\n\n${items.join('')}`);
  }
  return lists.join('\n');
}
