import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { configSchema } from '../../src/cli/config.ts';
import { createProgram, loadCommands } from '../../src/cli/program.ts';
import { hostNames } from '../../src/hosts/names.ts';
import { temporaryFolder } from '../support/temporary.ts';

const program = await createProgram();
const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const readme = read('README.md');
const operating = read('docs/OPERATING.md');
const units = ['gamedata.service', 'gamedata-refresh.service', 'gamedata-refresh.timer'];
const unitOf = (name: string): string => read(`deploy/systemd/${name}`);
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it.each([
  ['serve', 'gamedata.service', ['DynamicUser=yes', 'ProtectSystem=strict', 'NoNewPrivileges=yes']],
  ['build', 'gamedata-refresh.service', ['User=gamedata', 'ProtectSystem=full', 'NoNewPrivileges=yes']],
])('has a unit that runs %s with as few rights as it needs', (name, file, lines) => {
  const unit = unitOf(file);
  const [, command = ''] = /^ExecStart=\/usr\/bin\/node \S+gamedata\.mjs (.*)$/m.exec(unit) ?? [];
  const [called, ...options] = command.split(' ');
  expect(called).toBe(name);
  const known = program.commands
    .find((candidate) => candidate.name() === name)
    ?.options.map(({ long }) => long);
  expect(known).toEqual(expect.arrayContaining(options.filter((option) => option.startsWith('--'))));
  for (const line of lines) expect(unit).toContain(`\n${line}\n`);
});

it.skipIf(!hasSystemd)('has units that systemd accepts', () => {
  const folder = temporaryFolder();
  // Programs have to exist to be verified, and units read a percent sign in a path as their own.
  const clone = path.join(folder, 'clone');
  symlinkSync(ROOT, clone);
  for (const name of units) {
    const unit = unitOf(name).replace('/usr/bin/node', process.execPath).replaceAll('/opt/gamedata', clone);
    writeFileSync(path.join(folder, name), unit);
  }
  for (const name of units) {
    const args = ['verify', '--man=no', path.join(folder, name)];
    const { status, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect([name, status, stderr.split('\n').filter((line) => line.includes('gamedata'))]).toEqual([
      name,
      0,
      [],
    ]);
  }
});

it('has a configuration that the schema accepts', async () => {
  const [, text = ''] = /```json\n(\{\n {2}"\$schema"[\s\S]*?)```/.exec(readme) ?? [];
  const { success, error } = configSchema(await loadCommands()).safeParse(JSON.parse(text));
  expect([success, error?.message]).toEqual([true, undefined]);
});

it('names options and hosts as the command line does', () => {
  const { commands } = program;
  const known = new Set(commands.flatMap(({ options }) => options.map(({ long }) => long)));
  const foreign = [
    '--directory',
    '--build-arg',
    '--now',
    '--help',
    '--system',
    '--delay-updates',
    '--delete-after',
  ];
  const texts = readme + operating;
  const named = new Set(texts.match(/(?<![\w-])--[a-z][a-z-]+/g));
  expect([...named].filter((option) => !known.has(option) && !foreign.includes(option))).toEqual([]);
  for (const [, host = ''] of texts.matchAll(/--host ([a-z-]+)/g)) expect(hostNames).toContain(host);
});
