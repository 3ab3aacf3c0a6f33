import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A package whose compiled code may be changed, and the files that V8's is in. */
function copyPackage() {
  const folder = temporaryFolder();
  for (const name of ['package.json', 'dist'])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  const dist = path.join(folder, 'dist');
  const caches = readdirSync(dist).filter((name) => name.endsWith('.cache'));
  const inDist = (name: string): string => path.join(dist, name);
  return { cli: inDist('cli.cjs'), digest: inDist('code.sha256'), caches: caches.map(inDist) };
}

/** The help of a command, and whether V8 refused what it made of the code; null where there is nothing. */
function help(cli: string) {
  const program = `
    const { scripts } = require(${JSON.stringify(cli)});
    process.on('exit', () => console.log(JSON.stringify([...scripts.values()].map((one) => one.cachedDataRejected ?? null))));`;
  const stdout = execFileSync(process.execPath, ['-e', program, 'build', '--help'], { encoding: 'utf8' });
  const [json = '', ...text] = stdout.trimEnd().split('\n').reverse();
  return { refused: [...new Set(JSON.parse(json) as (boolean | null)[])], text: text.reverse() };
}

it('uses what V8 made of the code, and does without where it is missing, damaged or another version’s', () => {
  const { cli, caches, digest } = copyPackage();
  expect(caches.length).toBeGreaterThan(5);
  const { refused, text } = help(cli);
  expect(refused).toEqual([false]);
  expect(text[0]).toMatch(/^Usage: gamedata build/);

  const own = readFileSync(digest, 'utf8');
  writeFileSync(digest, `0000000${own}`);
  expect(help(cli), 'other code').toEqual({ refused: [null], text });
  writeFileSync(digest, own);

  const forAll = (damage: (file: string) => void) => {
    caches.forEach(damage);
    return help(cli);
  };
  expect(forAll((file) => writeFileSync(file, readFileSync(file).fill(1, 4, 8)))).toEqual({
    refused: [true],
    text,
  });
  expect(forAll((file) => truncateSync(file, 1000))).toEqual({ refused: [true], text });
  expect(forAll((file) => truncateSync(file))).toEqual({ refused: [true], text });
  expect(forAll((file) => rmSync(file))).toEqual({ refused: [null], text });
});
