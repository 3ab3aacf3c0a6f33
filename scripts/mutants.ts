/** Takes each guard out of a copy of the code, and says which of them no test misses: `npm run mutants -- [part of a name]`. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Mutant, mutants } from './mutants/table.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COPIES = 2;
/** Where a guard is gone, waiting may never end. */
const TEST_MS = 20_000;

/** A copy of what git knows, with the packages and the compiled code of the original. */
function copyProject(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-mutants-'));
  const { status } = spawnSync(
    'sh',
    [
      '-c',
      'git ls-files -z --cached --others --exclude-standard | tar c --null -T - | tar x -C "$0"',
      folder,
    ],
    {
      cwd: ROOT,
    },
  );
  if (status !== 0) throw new Error(`the project cannot be copied to ${folder}`);
  for (const name of ['node_modules', 'dist']) symlinkSync(path.join(ROOT, name), path.join(folder, name));
  return folder;
}

/** Resolves to the name of the first test that failed; undefined where none did. */
async function tryMutant(folder: string, mutant: Mutant): Promise<string | undefined> {
  const { file, code, without, tests, named } = mutant;
  const target = path.join(folder, file);
  const original = readFileSync(target, 'utf8');
  if (original.split(code).length !== 2) throw new Error(`${file} does not have once: ${code}`);
  writeFileSync(
    target,
    original.replace(code, () => without),
  );
  try {
    const names = named === undefined ? [] : ['--testNamePattern', literal(named)];
    const { passed, output } = await vitest(folder, [...tests, ...names]);
    if (!/Tests .*(?:passed|failed)/.test(output))
      throw new Error(`no test was run for ${mutant.guard}: ${output}`);
    return passed ? undefined : (/FAIL\s+(.+)/.exec(output)?.[1] ?? 'a test file that does not load');
  } finally {
    writeFileSync(target, original);
  }
}

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

function vitest(cwd: string, args: readonly string[]): Promise<{ passed: boolean; output: string }> {
  const child = spawn('npx', ['vitest', 'run', '--bail=1', `--testTimeout=${TEST_MS}`, ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: '1' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ passed: code === 0, output }));
  });
}

const wanted = mutants.filter(({ guard }) => guard.includes(process.argv[2] ?? ''));
const left = [...wanted];
const survivors: string[] = [];
await Promise.all(
  Array.from({ length: COPIES }, async () => {
    const folder = copyProject();
    try {
      for (let mutant = left.shift(); mutant; mutant = left.shift()) {
        const noticed = await tryMutant(folder, mutant);
        if (noticed === undefined) survivors.push(mutant.guard);
        console.log(
          `${noticed === undefined ? 'SURVIVED' : 'noticed'}: ${mutant.guard} (${noticed ?? mutant.file})`,
        );
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  }),
);
console.log(`mutants: ${wanted.length} guards taken out, ${survivors.length} not missed`);
process.exitCode = survivors.length > 0 ? 1 : 0;
