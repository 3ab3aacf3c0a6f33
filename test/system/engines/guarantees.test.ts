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
/** The guarantees that the engines in each column of HOSTS.md do not keep. */
const results = new Map<string, Set<GuaranteeName>>();

function addResults(column: string, names: readonly GuaranteeName[]): void {
  const allNames = results.get(column) ?? new Set();
  for (const name of names) allNames.add(name);
  results.set(column, allNames);
}

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

for (const { engine, links, unsupported, column } of engines) {
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
        addResults(column, failedNames);
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

test.runIf(engines.every(({ engine }) => engine.missing() === undefined))(
  'HOSTS.md contains the current results (npm run readme:guarantees updates them)',
  async () => {
    const generated =
      /(?<=<!-- generated by `npm run readme:guarantees` -->\n).*(?=\n<!-- \/generated -->)/s;
    const text = readFileSync(HOSTS, 'utf8').replace(generated, renderTable);
    await expect(text).toMatchFileSnapshot(HOSTS);
  },
);

/** A column of the table, for engines that keep the same guarantees. */
interface Column {
  readonly names: string[];
  readonly broken: ReadonlySet<GuaranteeName>;
}

function listColumns(): Column[] {
  const columns = new Map<string, Column>();
  for (const [name, broken] of results) {
    const key = guaranteeNames.filter((guarantee) => broken.has(guarantee)).join();
    const column = columns.get(key);
    if (column) column.names.push(name);
    else columns.set(key, { names: [name], broken });
  }
  return [...columns.values()];
}

/**
 * Renders a list of the guarantees that every engine keeps, and a table with a row
 * for each other guarantee.
 */
function renderTable(): string {
  const columns = listColumns();
  const heads = columns.map(({ names }) => names.join(', '));
  const universalLines: string[] = [];
  const rows: string[] = [];
  for (const name of guaranteeNames) {
    const { title } = guarantees[name];
    const isUniversal = columns.every(({ broken }) => !broken.has(name));
    if (isUniversal) {
      universalLines.push(`- ${title}`);
      continue;
    }
    const marks = columns.map(({ broken }) => (broken.has(name) ? '' : '●'));
    rows.push(`| ${title} | ${marks.join(' | ')} |`);
  }
  const lines = [
    'Every host keeps these:\n',
    ...universalLines,
    '\nHosts marked with ● also keep these:\n',
    `| guarantee | ${heads.join(' | ')} |`,
    `|---|${':-:|'.repeat(columns.length)}`,
    ...rows,
  ];
  return `${lines.join('\n')}\n`;
}
