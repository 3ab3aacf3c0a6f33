import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveFolder } from '../support/loopback.ts';
import { callCli } from '../support/run-cli.ts';
import { rawItem, rawMove, rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { sharedFolder } from '../support/temporary.ts';

const cwd = sharedFolder();
let server: Awaited<ReturnType<typeof serveFolder>>;
beforeAll(async () => {
  const { move, item } = rawRecords(120, 5);
  const renamed = [
    rawMove(1, { slug: 'pound', englishName: 'Pound' }),
    ...move.slice(1),
  ];
  await smallSource({ move, item }, path.join(cwd, 'data'));
  await smallSource(
    { move: renamed, item: [...item, rawItem(6)] },
    path.join(cwd, 'newer'),
  );
  await smallSource({ move: move.slice(0, 100), item }, path.join(cwd, 'fewer'));
  server = await serveFolder(path.join(cwd, 'site'));
});
afterAll(() => server.stop());

/**
 * Runs a command and returns its output without times, sizes, ports and the number
 * of files. Progress lines are removed, because they appear only on a slow machine.
 */
async function type(line: string): Promise<string> {
  const args = line.replaceAll('<url>', server.url).split(' ');
  const env = { SOURCE_DATE_EPOCH: String(Date.parse('2026-01-03') / 1000) };
  const { code, stdout, stderr } = await callCli(args, { cwd, env });
  const text = `${stderr}${stdout.replaceAll(/^(?=.)/gm, 'stdout: ')}exit code ${code}`;
  return text
    .replaceAll(server.url, '<url>')
    .replaceAll(/[\d.]+ [kM]?B\b/g, '… B')
    .replaceAll(/in [\d.]+ s/g, 'in … s')
    .replaceAll(/\d{3} (?=files|written|kept)/g, '… ')
    .replaceAll(/^(?:\d+ of \d+ read|waiting for the upstream) .*\n/gm, '');
}

const build =
  'build --source snapshot --base-url https://example.test --out site --upstream';

it('prints the summary for a first build', async () => {
  expect(await type(`${build} data`)).toMatchInlineSnapshot(`
    "data: 120 moves, 5 items from https://upstream.test/api/v2, captured 2026-01-02
    site: https://example.test, host netlify
    site: … files, … B: … written, 0 kept, 0 removed, in … s
    next: npx gamedata serve site
    exit code 0"
  `);
});

it('prints the records that changed since the last build', async () => {
  expect(await type(`${build} newer`)).toMatchInlineSnapshot(`
    "records: 1 move renamed; 1 item added
      renamed: move/move-1 → pound
    names: 1 name changed in en
    data: 120 moves, 6 items from https://upstream.test/api/v2, captured 2026-01-02
    site: https://example.test, host netlify
    site: … files, … B: 32 written, … kept, 1 removed, in … s
    next: npx gamedata serve site
    exit code 0"
  `);
  expect(await type(`${build} newer`)).toMatchInlineSnapshot(`
    "site: … files, … B: nothing changed, in … s; 120 moves, 6 items, captured 2026-01-02
    exit code 0"
  `);
});

it('prints an error and a hint if too many records are missing', async () => {
  expect(await type(`${build} fewer`)).toMatchInlineSnapshot(`
    "error: move: 20 of 120 records are gone, expected at most 1%: move-101, move-102, move-103; item: 1 of 6 records are gone, expected at most 1%: item-6
    hint: If the new data is right, allow this once with --max-shrink 17.
    exit code 4"
  `);
  expect(await type('verify site')).toMatchInlineSnapshot(`
    "site: … files, 120 moves, 6 items: no problems found
    exit code 0"
  `);
});

it('prints the summary for a mirrored site', async () => {
  expect(await type('mirror <url> copy')).toMatchInlineSnapshot(`
    "data: 120 moves, 6 items from https://upstream.test/api/v2, captured 2026-01-02
    fetched: 9 requests · … B · 0 from cache
    site: https://example.test, host netlify
    copy: … files, … B: … written, 0 kept, 0 removed, in … s
    next: npx gamedata serve copy
    exit code 0"
  `);
  expect(await type('mirror <url> copy')).toMatchInlineSnapshot(`
    "copy: … files, … B: nothing changed, in … s; 120 moves, 6 items, captured 2026-01-02
    exit code 0"
  `);
  expect(await type('diff data copy')).toMatchInlineSnapshot(`
    "stdout: 1 move renamed; 1 item added

    stdout: 2026-01-02 (sha256:dc53a4e1827e…) → 2026-01-02 (sha256:f9b08ebb2832…)

    stdout: Moves renamed:
    stdout:   move-1 → pound (id 1); name "Move 1" → "Pound"

    stdout: Items added:
    stdout:   item-6 (id 6): "Item 6"
    exit code 0"
  `);
});

it('prints the problems found in a damaged folder', async () => {
  rmSync(path.join(cwd, 'site/404.json'));
  writeFileSync(path.join(cwd, 'site/api/gamedata/move/pound/index.json'), '{}');
  expect(await type('verify site')).toMatchInlineSnapshot(`
    "site/404.json: does not exist
    site/api/gamedata/move/pound/index.json: has 2 bytes, expected 118, as listed
    site: 2 problems found
    exit code 1"
  `);
  expect(await type('verify data')).toMatchInlineSnapshot(`
    "error: data: is not a gamedata site, because it has no manifest.json
    exit code 1"
  `);
});
