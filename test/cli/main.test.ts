import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createServer } from 'node:tls';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { makeCertificate, missingOpenssl } from '../support/certificate.ts';
import { runProgram } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { bin, engines, version } = JSON.parse(
  readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
);

it("prints the package's version", async () => {
  const command = [process.execPath, path.join(ROOT, bin.gamedata), '--version'];
  expect(await runProgram(command)).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  });
});

it.skipIf(missingOpenssl())("shows Node's own warnings", async () => {
  const { cert, key } = makeCertificate(temporaryFolder());
  const options = { cert: readFileSync(cert), key: readFileSync(key) };
  const server = createServer(options, (socket) => void socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const script = path.join(ROOT, bin.gamedata);
  const target = `https://127.0.0.1:${port}`;
  const { stderr } = await runProgram([process.execPath, script, 'verify', target], {
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  });
  expect(stderr).toContain('Warning: Setting the NODE_TLS_REJECT_UNAUTHORIZED');
});

/**
 * Imports the start script in a checkout with the given files, and returns its output.
 * Each file is a second older than the file after it.
 */
async function start(files: Record<string, string>): Promise<string> {
  const folder = temporaryFolder();
  for (const name of ['package.json', bin.gamedata]) {
    cpSync(path.join(ROOT, name), path.join(folder, name));
  }
  let time = 1e9;
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    utimesSync(file, time, time);
    time += 1;
  }
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => void vi.restoreAllMocks());
  await import(pathToFileURL(path.join(folder, bin.gamedata)).href);
  const { exitCode } = process;
  process.exitCode = undefined;
  expect(exitCode).toBe(printed.mock.calls.length);
  return printed.mock.calls.join('\n');
}

const source = { 'src/cli/main.ts': '' };
const compiled = {
  'dist/cli.js': 'process.exitCode = 0',
  'dist/sources.sha256': '',
};

it.each([
  ['if dist/ is missing', source, 'gamedata is not compiled'],
  [
    'if dist/ is incomplete',
    { 'dist/cli.js': 'throw new Error()' },
    'gamedata is not compiled',
  ],
  [
    'if a source file is newer than dist/',
    { ...compiled, ...source },
    "gamedata's src/ is newer than its dist/",
  ],
])('asks the user to run npm run compile %s', async (_, files, problem) => {
  expect(await start(files)).toBe(
    `error: ${problem}: run "npm ci" and "npm run compile" in its folder`,
  );
});

it.each([
  ['if dist/ is newer than the sources', { ...source, ...compiled }],
  ['without sources, as in an installed package', compiled],
  ['if an editor left a hidden file', { ...compiled, 'src/.main.ts.swp': '' }],
])('starts the program %s', async (_, files) => {
  expect(await start(files)).toBe('');
});

it.each([
  ['20.18.9', false],
  ['20.19.0', true],
  ['22.11.0', false],
  ['26.0.0', true],
])('checks whether the Node version is supported: %s', async (node, isSupported) => {
  vi.spyOn(process, 'versions', 'get').mockReturnValue({
    ...process.versions,
    node,
  });
  const started = start(compiled);
  expect(await started).toBe(
    isSupported ? '' : `error: got Node ${node}: gamedata needs ${engines.node}`,
  );
});
