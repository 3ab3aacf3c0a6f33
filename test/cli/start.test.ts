import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { bin, engines } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));

function checkout(): string {
  const folder = temporaryFolder();
  for (const name of ['package.json', bin.gamedata]) cpSync(path.join(ROOT, name), path.join(folder, name));
  return folder;
}

const start = (folder: string, ...node: string[]) =>
  promisify(execFile)(process.execPath, [...node, path.join(folder, bin.gamedata), '--version']);

it.each(['nothing', 'half'])('asks for npm run compile if %s is compiled', async (how) => {
  const folder = checkout();
  mkdirSync(path.join(folder, 'dist'));
  if (how === 'half') writeFileSync(path.join(folder, 'dist/cli.js'), 'throw new Error()');
  await expect(start(folder)).rejects.toMatchObject({
    code: 1,
    stderr: 'error: gamedata is not compiled: run "npm run compile" in its folder, after "npm ci"\n',
  });
});

it.each([
  ['20.18.9', false],
  ['20.19.0', true],
  ['22.11.0', false],
  ['26.0.0', true],
])('checks whether the Node version is supported: %s', async (version, isSupported) => {
  const folder = checkout();
  const [disguise, dist] = [path.join(folder, 'disguise.mjs'), path.join(folder, 'dist')];
  const versions = `{ ...process.versions, node: '${version}' }`;
  writeFileSync(disguise, `Object.defineProperty(process, 'versions', { value: ${versions} });`);
  mkdirSync(dist);
  writeFileSync(path.join(dist, 'code.sha256'), '');
  writeFileSync(path.join(dist, 'cli.js'), 'console.log("runs")');
  const started = start(folder, '--import', pathToFileURL(disguise).href);
  if (isSupported) return expect(started).resolves.toMatchObject({ stdout: 'runs\n' });
  const stderr = `error: got Node ${version}: gamedata needs ${engines.node}\n`;
  return expect(started).rejects.toMatchObject({ code: 1, stderr });
});
