/**
 * Every engine keeps the guarantees of the contract and serves each file as built.
 */

import { mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSite } from '../../../src/built/site.ts';
import { folderStorage } from '../../../src/built/storage.ts';
import { build } from '../../../src/cli/commands/build.ts';
import { archiveFiles, bulkFiles } from '../../../src/contract/files.ts';
import {
  type GuaranteeName,
  guaranteeNames,
  guarantees,
} from '../../../src/contract/guarantees.ts';
import { mapKinds } from '../../../src/contract/kinds.ts';
import { getMediaType } from '../../../src/contract/responses.ts';
import { PACKAGE_ROOT } from '../../../src/package.ts';
import { awaitSite } from '../../../src/verify/await-site.ts';
import {
  selectGuarantees,
  verifyDeployment,
} from '../../../src/verify/deployment.ts';
import type { RunningEngine } from '../../support/engines/engine.ts';
import { engines } from '../../support/engines/index.ts';
import { serveStatic } from '../../support/engines/static.ts';
import { renamedSnapshot } from '../../support/renamed-snapshot.ts';
import { sharedFolder } from '../../support/temporary.ts';

/** Set where `scripts/install-engines.sh` has run. */
const demandsAll = process.env.ENGINES === 'all';
const HOSTS = path.join(PACKAGE_ROOT, 'docs/HOSTS.md');
const RECORDS = 205;
const typedFiles = [
  ...[
    ...bulkFiles,
    ...archiveFiles,
    'types.d.ts',
    'schemas/move.json',
    'openapi.json',
    'changes.atom',
  ],
  ...[
    'mark.svg',
    'sprites/items/unknown.png',
    'front.js',
    'style.css',
    'robots.txt',
  ],
];

/** Column of HOSTS.md → unsupported guarantees. */
const results = new Map<string, Set<GuaranteeName>>();
const folder = sharedFolder();
const upstream = path.join(folder, 'data');
beforeAll(() => {
  renamedSnapshot(upstream, RECORDS);
});

for (const { engine, links, unsupported, column = engine.name } of engines) {
  const missing = engine.missing();
  const reason = missing === undefined || demandsAll ? '' : ` (skipped: ${missing})`;

  describe.skipIf(reason !== '').each(['', '/games/v2.1'])(
    `${engine.name}${reason} at https://example.test%s`,
    (below) => {
      const baseUrl = `https://example.test${below}`;
      // Only a folder that a build creates is readable for other users.
      const out = path.join(mkdtempSync(path.join(folder, 'site-')), 'site');
      let running: RunningEngine;
      beforeAll(async () => {
        expect(missing).toBeUndefined();
        const hosts = engine.host ? [engine.host] : [];
        const made = { links, hosts, maxShrink: 100, archive: below === '' };
        await build({ source: 'snapshot', upstream, baseUrl, out, ...made });
        running = await engine.start(out);
      });
      afterAll(() => running?.stop());

      // Below a path, the deployment is compared with the folder instead of its own
      // lists.
      test('meets every guarantee except those listed as unsupported', async () => {
        const { guarantees: checked, counts } = await verifyDeployment(running.url, {
          level: 'full',
          concurrency: engine.concurrency ?? 16,
          ...(below === ''
            ? { linkBase: baseUrl }
            : { site: openSite(folderStorage(out)) }),
        });
        const failed = checked.filter(({ failures }) => failures.length > 0);
        const names = failed.map(({ guarantee }) => guarantee);
        expect(
          failed.filter(({ guarantee }) => !unsupported.includes(guarantee)),
        ).toEqual([]);
        expect(
          unsupported.filter((guarantee) => !names.includes(guarantee)),
        ).toEqual([]);
        expect(counts).toEqual(mapKinds(() => RECORDS));
        expect(
          selectGuarantees('static', links).filter((name) => names.includes(name)),
        ).toEqual([]);
        results.set(column, new Set([...(results.get(column) ?? []), ...names]));
      });

      // `serve` redirects `browse.html` to `browse`, which is a folder.
      test.runIf(below === '' && engine !== serveStatic)(
        'serves every file as built',
        async () => {
          const site = openSite(folderStorage(out));
          await awaitSite(running.url, {
            site,
            concurrency: engine.concurrency ?? 8,
            deadline: 0,
          });
        },
      );

      test.runIf(below === '' && links === 'query')(
        'serves every file with its media type',
        async () => {
          for (const file of typedFiles) {
            const response = await fetch(`${running.url}/${file}`, {
              headers: { Accept: 'text/html' },
            });
            // Not canceled, because workerd would report a broken pipe.
            await response.arrayBuffer();
            const headers = Object.fromEntries(response.headers);
            const type = getMediaType(file);
            const disposition = file.startsWith('download/')
              ? 'attachment'
              : undefined;
            const fields = [
              headers['content-language'],
              headers['content-disposition'],
            ];
            expect([file, ...fields]).toEqual([file, undefined, disposition]);
            // CDNs add the charset of JSON and use the older type of scripts.
            const other = type.replace('text/javascript', 'application/javascript');
            expect([type, `${type}; charset=utf-8`, other]).toContain(
              headers['content-type'],
            );
            // CDNs may compress text.
            if (file.endsWith('.gz')) {
              expect(headers).not.toHaveProperty('content-encoding');
            }
          }
        },
      );
    },
  );
}

test.runIf(engines.every(({ engine }) => engine.missing() === undefined))(
  'HOSTS.md is generated from these results: npm run readme:guarantees',
  async () => {
    const generated =
      /(?<=<!-- generated by `npm run readme:guarantees` -->\n).*(?=\n<!-- \/generated -->)/s;
    const text = readFileSync(HOSTS, 'utf8').replace(generated, renderTable);
    await expect(text).toMatchFileSnapshot(HOSTS);
  },
);

/**
 * Renders a table with a row per guarantee. Engines that kept the same guarantees
 * share a column.
 */
function renderTable(): string {
  const groups = new Map<
    string,
    { names: string[]; broken: ReadonlySet<GuaranteeName> }
  >();
  for (const [name, broken] of results) {
    const key = guaranteeNames.filter((guarantee) => broken.has(guarantee)).join();
    groups.set(key, { names: [...(groups.get(key)?.names ?? []), name], broken });
  }
  const columns = [...groups.values()];
  const isUniversal = (name: GuaranteeName): boolean =>
    columns.every(({ broken }) => !broken.has(name));
  const rows = guaranteeNames
    .filter((name) => !isUniversal(name))
    .map((name) => {
      const marks = columns.map(({ broken }) => (broken.has(name) ? '' : '●'));
      return `| ${[guarantees[name].title, ...marks].join(' | ')} |`;
    });
  const lines = [
    'Every host keeps these:\n',
    ...guaranteeNames
      .filter(isUniversal)
      .map((name) => `- ${guarantees[name].title}`),
    '\nHosts marked with ● also keep these:\n',
    `| guarantee | ${columns.map(({ names }) => names.join(', ')).join(' | ')} |`,
    `|---|${':-:|'.repeat(columns.length)}`,
  ];
  return `${[...lines, ...rows].join('\n')}\n`;
}
