import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { callCli } from '../support/run-cli.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { sharedFolder } from '../support/temporary.ts';

const cwd = sharedFolder();
beforeAll(async () => {
  const { move, item } = rawRecords(120, 5);
  await smallSource({ move, item }, path.join(cwd, 'data'));
  await smallSource({ move: move.slice(0, 100), item }, path.join(cwd, 'fewer'));
});

/** Runs a command and returns its output without times, sizes and numbers of files. */
async function type(line: string): Promise<string> {
  const { code, stderr } = await callCli(line.split(' '), { cwd });
  return `${stderr}exit code ${code}`
    .replaceAll(/[\d.]+ [kM]?B\b/g, '… B')
    .replaceAll(/in [\d.]+ s/g, 'in … s')
    .replaceAll(/\d{3} (?=files|written|kept)/g, '… ');
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

it('prints an error and a hint if too many records are missing', async () => {
  expect(await type(`${build} fewer`)).toMatchInlineSnapshot(`
    "error: move: 20 of 120 records are gone, expected at most 1%: move-101, move-102, move-103
    hint: If the new data is right, allow this once with --max-shrink 17.
    exit code 4"
  `);
  expect(await type('verify site')).toMatchInlineSnapshot(`
    "site: … files, 120 moves, 5 items: no problems found
    exit code 0"
  `);
});
