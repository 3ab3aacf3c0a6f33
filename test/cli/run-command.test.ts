import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { callCli } from '../support/run-cli.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

it('prints the help to stdout', async () => {
  const { code, stdout, stderr } = await callCli(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const command of ['build', 'snapshot', 'verify']) {
    expect(stdout).toContain(`\n  ${command} `);
  }
});

describe('a usage error', () => {
  it.each<[string[], RegExp]>([
    [['build', '--wrong'], /unknown option '--wrong'/],
    [['build', '--out'], /option '--out <dir>' argument missing/],
    [
      ['snapshot', '--max-shrink', '-1.5'],
      /--max-shrink: got -1.5, expected number to be >=0/,
    ],
    [['verify'], /missing required argument 'dir\|url'/],
    [['biuld'], /^error: unknown command 'biuld'\n\(Did you mean build\?\)\n/],
  ])(
    'prints the usage and exits with code 2 for the arguments %j',
    async (args, problem) => {
      const cwd = temporaryFolder();
      const { code, stdout, stderr } = await callCli(args, { cwd });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(problem);
      const command = args[0] === 'biuld' ? '' : args[0];
      expect(stderr).toMatch(
        new RegExp(
          `\nusage: gamedata ${command}.* \\(--help explains the options\\)\n$`,
        ),
      );
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it('accepts lists that are separated by spaces or commas', async () => {
    const line = 'snapshot --skip item/1,item/2 item/3,x';
    const { stderr } = await callCli(line.split(' '), { cwd: temporaryFolder() });
    expect(stderr).toContain('--skip: got "x", expected <kind>/<id>');
  });

  it('prints the help and exits with code 2 if the command is missing', async () => {
    const { code, stdout, stderr } = await callCli([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Usage: gamedata/);
  });

  it.each<[string, message: string, hint: string | null]>([
    ['build --json --wrong', "unknown option '--wrong'", null],
    ['biuld --json', expect.stringContaining("unknown command 'biuld'"), null],
    ['build --json --keep x', '--keep: got "x", expected number', null],
  ])(
    'prints a usage error as JSON if the arguments contain --json: %s',
    async (line, message, hint) => {
      const { stdout } = await callCli(line.split(' '), { cwd: temporaryFolder() });
      expect(JSON.parse(stdout)).toEqual({
        error: { code: 'usage', message, hint },
      });
    },
  );

  const secret = 'https://user:hunter2@example.test';
  it.each([
    ['--base-url', ['build', '--source', 'rest', '--json', '--base-url', secret]],
    ['to', ['diff', 'data', secret]],
  ])('does not print the password in %s', async (name, args) => {
    const { code, stdout, stderr } = await callCli(args, { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain('hunter2');
    expect(stderr).toContain(`${name}: got a URL with credentials`);
  });
});

it('prints only the report to stdout with --json', async () => {
  const cwd = temporaryFolder();
  const { upstream } = await smallSource(rawRecords(3, 2), path.join(cwd, 'data'));
  const args = [
    'build',
    '--source',
    'snapshot',
    '--upstream',
    'data',
    '--json',
    '--out',
    'site',
  ];
  const { code, stdout } = await callCli(args, {
    cwd,
    env: { BASE_URL: 'https://env.test' },
  });
  expect(code).toBe(0);
  const report = JSON.parse(stdout);
  expect(stdout).toBe(`${JSON.stringify(report)}\n`);
  expect(report).toMatchObject({
    changed: true,
    out: 'site',
    data: { source: 'snapshot', fallback: null },
  });
  expect(readdirSync(cwd)).toEqual(['data', 'site']);
  const read = (file: string) => readFileSync(path.join(cwd, 'site', file), 'utf8');
  const written = ['meta.json', 'manifest.json', '_redirects', '_headers'].map(read);
  expect(written[0]).toContain('"https://env.test"');
  for (const text of [stdout, ...written]) {
    for (const folder of [
      upstream,
      cwd,
      process.cwd(),
      path.dirname(process.execPath),
    ])
      expect(text).not.toContain(folder);
  }
  const verified = await callCli(['verify', 'site', '--json'], { cwd });
  const { files, data } = report;
  expect(JSON.parse(verified.stdout)).toEqual({
    files: files.files,
    counts: data.counts,
    problems: [],
    unlisted: [],
    unfinished: false,
  });
});

it('prints only problems with --quiet', async () => {
  const cwd = temporaryFolder();
  const { upstream } = await smallSource(rawRecords(3, 2));
  const silent = { code: 0, stdout: '', stderr: '' };
  const args = [
    'build',
    '--source',
    'snapshot',
    '--upstream',
    upstream,
    '--quiet',
    '--out',
    'site',
  ];
  expect(await callCli(args, { cwd })).toEqual(silent);
  const verify = () => callCli(['verify', 'site', '--quiet'], { cwd });
  expect(await verify()).toEqual(silent);
  rmSync(path.join(cwd, 'site', '404.json'));
  const stderr = 'site/404.json: does not exist\nsite: 1 problem found\n';
  expect(await verify()).toEqual({ code: 1, stdout: '', stderr });
});

it('prints an error to stderr, and with --json also to stdout as JSON', async () => {
  const cwd = temporaryFolder();
  mkdirSync(path.join(cwd, 'mine'));
  writeFileSync(path.join(cwd, 'mine', 'thesis.txt'), 'x');
  const args = ['build', '--source', 'snapshot', '--out', 'mine'];
  const { code, stdout, stderr } = await callCli([...args, '--json'], { cwd });
  expect(code).toBe(1);
  const message = 'mine: contains files, but its manifest.json does not exist';
  const hint = 'Choose a new or empty folder.';
  expect(JSON.parse(stdout)).toEqual({ error: { code: 'output', message, hint } });
  expect(stderr).toBe(`error: ${message}\nhint: ${hint}\n`);
  expect(await callCli(args, { cwd })).toEqual({ code: 1, stdout: '', stderr });
});
