import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { hostNames } from '../../src/hosts/names.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const [, unit = ''] = /```ini\n([\s\S]*?)```/.exec(readme) ?? [];
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it('has a unit that runs serve with as few rights as it needs', () => {
  const [, command = ''] = /^ExecStart=\/usr\/bin\/node \S+cli\.js (.*)$/m.exec(unit) ?? [];
  const [name, ...options] = command.split(' ');
  const serve = createProgram().commands.find((candidate) => candidate.name() === name);
  const known = serve?.options.map(({ long }) => long);
  expect(known).toEqual(expect.arrayContaining(options.filter((option) => option.startsWith('--'))));
  for (const line of ['DynamicUser=yes', 'ProtectSystem=strict', 'NoNewPrivileges=yes'])
    expect(unit).toContain(`\n${line}\n`);
});

it.skipIf(!hasSystemd)('has a unit that systemd accepts', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-unit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'gamedata.service');
  // Programs have to exist to be verified.
  writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
  expect([status, stderr.split('\n').filter((line) => line.includes('gamedata.service'))]).toEqual([0, []]);
});

it('names options and hosts as the command line does', () => {
  const commands = createProgram().commands;
  const known = new Set(commands.flatMap(({ options }) => options.map(({ long }) => long)));
  const foreign = ['--directory', '--build-arg', '--now', '--config', '--help'];
  const named = new Set(readme.match(/(?<![\w-])--[a-z][a-z-]+/g));
  expect([...named].filter((option) => !known.has(option) && !foreign.includes(option))).toEqual([]);
  for (const [, host = ''] of readme.matchAll(/--host ([a-z-]+)/g)) expect(hostNames).toContain(host);
});
