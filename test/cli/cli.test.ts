import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../support/fingerprint.ts';
import { callCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const version = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  .version as string;
const snapshotArgs = (...rest: string[]) => ['build', '--source', 'snapshot', ...rest];

describe('help', () => {
  it('and version go to stdout, with exit code 0', async () => {
    expect(await callCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    const { code, stdout, stderr } = await callCli(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const command of ['build', 'snapshot', 'verify']) expect(stdout).toContain(`\n  ${command} `);
  });

  it('of a build names every option', async () => {
    const { code, stdout } = await callCli(['build', '--help']);
    expect(code).toBe(0);
    const options = [
      'source',
      'upstream',
      'base-url',
      'out',
      'host',
      'concurrency',
      'cache',
      'on-change',
      'keep',
    ];
    for (const name of [
      ...options,
      'max-shrink',
      'max-age',
      'allow-missing',
      'allow-mixed-editions',
      'links',
      'json',
      'quiet',
    ])
      expect(stdout).toContain(`  --${name}`);
  });

  it('is shown before anything is loaded that only commands work with', () => {
    const dist = new URL('../../dist/', import.meta.url);
    const load = (file: string): string[] => {
      const code = readFileSync(new URL(file, dist), 'utf8');
      // A module that is loaded later is required inside a function.
      const required = code.matchAll(/(?:const|let) \w+=(?:[\w.]+\()?require\("(.+?)"\)/g);
      const imported = [...required].map(([, name = '']) => name);
      return imported.flatMap((name) => (name.startsWith('./') ? [name, ...load(name)] : [name]));
    };
    const loaded = new Set(load('main.cjs').filter((name) => !name.startsWith('node:')));
    expect([...loaded].map((name) => name.replace(/-.{8}\.cjs$/, ''))).toEqual([
      './rolldown-runtime',
      './names',
    ]);
  });
});

describe('wrong usage', () => {
  it.each<[string[], RegExp, string]>([
    [['build', '--wrong'], /unknown option '--wrong'/, 'build'],
    [['build', '--host', 'geocities'], /argument 'geocities' is invalid.*netlify/, 'build'],
    [['build', '--source', 'magic'], /argument 'magic' is invalid.*auto, rest, csv, snapshot/, 'build'],
    [['build', '--links', 'x'], /argument 'x' is invalid/, 'build'],
    [['build', '--concurrency', 'many'], /argument 'many' is invalid. Expected a number/, 'build'],
    [['build', '--concurrency', '0'], /--concurrency: got 0, expected an integer from 1 to 256/, 'build'],
    [['build', '--max-shrink', '101'], /--max-shrink: got 101, expected a percentage/, 'build'],
    [['build', '--allow-missing', 'pound'], /--allow-missing: got "pound", expected <kind>\/<slug>/, 'build'],
    [['build', '--max-age', '-1'], /argument '-1' is invalid. Expected a number/, 'build'],
    [['snapshot', '--max-age', '1.5'], /--max-age: got 1.5, expected an integer from 0 to 36500/, 'snapshot'],
    [['build', '--retries', '1.5'], /--retries: got 1.5, expected an integer/, 'build'],
    [['build', '--base-url', 'example.test'], /--base-url: got "example.test", expected an http/, 'build'],
    [
      ['build', '--source', 'rest', '--upstream', 'folder'],
      /--upstream: got folder, expected an http/,
      'build',
    ],
    [['build', '--out'], /option '--out <dir>' argument missing/, 'build'],
    [['build', 'extra'], /too many arguments/, 'build'],
    [['verify'], /missing required argument 'dir/, 'verify'],
    [['snapshot', '--out', 'x'], /unknown option '--out'/, 'snapshot'],
    [['publish'], /unknown command 'publish'/, ''],
    [[], /^Usage: gamedata/, ''],
  ])('%j is answered with the usage line, and exit code 2', async (args, problem, command) => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await callCli(args, { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines[0]).toMatch(problem);
    expect(lines.at(-1)).toMatch(new RegExp(`^usage: gamedata ${command}.*--help\\)$`));
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('of a command’s name is told in lines, with a suggestion', async () => {
    const { code, stderr } = await callCli(['biuld']);
    expect(code).toBe(2);
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      "error: unknown command 'biuld'",
      '(Did you mean build?)',
    ]);
  });

  it.each([
    ['--base-url', 'https://user:hunter2@example.test'],
    ['--upstream', 'https://user:hunter2@example.test/api/v2'],
  ])('of %s never shows the password in it', async (...option) => {
    const { code, stdout, stderr } = await callCli(['build', '--source', 'rest', '--json', ...option]);
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain('hunter2');
    expect(stderr).toContain(`${option[0]}: got a URL with credentials`);
  });

  it('inside the environment is told by the variable’s name', async () => {
    const { code, stderr } = await callCli(snapshotArgs(), {
      env: { BASE_URL: 'ftp://x' },
      cwd: temporaryFolder(),
    });
    expect(code).toBe(2);
    expect(stderr).toContain('BASE_URL: got "ftp://x", expected an http or https URL');
  });
});

describe('building from the bundled data', () => {
  it('fails if that is older than it may be', async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await callCli(snapshotArgs('--max-age', '30'), { cwd });
    expect(code).toBe(4);
    expect(stderr).toMatch(
      /^error: got data captured on 2017-12-08, \d+ days ago: expected at most 30, as set by --max-age\nbuild: nothing was published\n$/,
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('writes a site that verify finds right; results on stdout, the summary on stderr', async () => {
    const cwd = temporaryFolder();
    const built = await callCli(snapshotArgs('--json', '--out', 'site'), {
      cwd,
      env: { BASE_URL: 'https://env.test' },
    });
    expect(built.code).toBe(0);
    const report = JSON.parse(built.stdout);
    expect(built.stdout).toBe(`${JSON.stringify(report)}\n`);
    expect(report).toMatchObject({
      changed: true,
      out: 'site',
      source: 'snapshot',
      fallback: null,
      requests: null,
    });
    expect(built.stderr).toMatch(
      /^data: \d+ moves, [\d,]+ items from .*\nsite: [\d,]+ files, .* in [\d.]+ s\nnext: gamedata serve site, or deploy site\n$/,
    );
    expect(readFileSync(path.join(cwd, 'site', 'api', 'gamedata', 'index.json'), 'utf8')).toContain(
      '"https://env.test/api/gamedata/move/?format=api"',
    );
    expect(readdirSync(cwd)).toEqual(['site']);

    const verified = await callCli(['verify', 'site', '--json'], { cwd });
    expect(verified).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^site: .*: no problems found\n$/),
    });
    expect(JSON.parse(verified.stdout)).toEqual({
      files: report.files.files,
      counts: report.counts,
      problems: [],
    });

    expect(await callCli(['verify', 'site', '--quiet'], { cwd })).toEqual({ code: 0, stdout: '', stderr: '' });
    const again = snapshotArgs('--quiet', '--out', 'site', '--base-url', 'https://env.test');
    const before = fingerprint(cwd);
    expect(await callCli(again, { cwd, env: { BASE_URL: 'https://loses.test' } })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(fingerprint(cwd)).toEqual(before);

    rmSync(path.join(cwd, 'site', '404.json'));
    const damaged = await callCli(['verify', 'site', '--quiet', '--json'], { cwd });
    expect(damaged.code).toBe(1);
    expect(JSON.parse(damaged.stdout).problems).toContainEqual({ file: '404.json', problem: 'is missing' });
    expect(damaged.stderr).toBe('404.json: is missing\n404.json: is missing\nsite: 2 problems found\n');
  });

  it('names no folder of this machine, on screen or in the site', async () => {
    const cwd = temporaryFolder();
    const { stdout, stderr } = await callCli(snapshotArgs('--json', '--links', 'file'), { cwd });
    const texts = ['meta.json', 'manifest.json', '_redirects', '_headers'].map((file) =>
      readFileSync(path.join(cwd, 'build', file), 'utf8'),
    );
    for (const text of [stdout, stderr, ...texts]) {
      for (const folder of [cwd, process.cwd(), path.dirname(process.execPath)])
        expect(text).not.toContain(folder);
    }
  });
});

describe('an expected failure', () => {
  it.each<[string, string[], object]>([
    [
      'of a folder that holds something else',
      snapshotArgs('--out', 'mine'),
      {
        code: 'output',
        message: 'mine: contains files, but no manifest.json of a gamedata build',
        hint: 'It was left untouched. Choose a new or empty folder with --out.',
      },
    ],
    [
      'of a folder that is no site',
      ['verify', 'mine'],
      { code: 'output', message: 'mine: has no valid meta.json: ENOENT', hint: null },
    ],
    [
      'of a snapshot that is none',
      snapshotArgs('--upstream', 'mine'),
      {
        code: 'output',
        message: 'mine/provenance.json: cannot be read (ENOENT), expected a snapshot',
        hint: 'Create one with: gamedata snapshot --data <dir>',
      },
    ],
  ])('%s is exit code 1, one message, and one JSON object if requested', async (_, args, error) => {
    const cwd = temporaryFolder();
    mkdirSync(path.join(cwd, 'mine'));
    writeFileSync(path.join(cwd, 'mine', 'thesis.txt'), 'x');
    const { code, stdout, stderr } = await callCli([...args, '--json'], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ error });
    const { message, hint } = error as { message: string; hint: string | null };
    const kept =
      args[0] === 'build' ? `${args.includes('--out') ? 'mine' : 'build'}: nothing was published\n` : '';
    expect(stderr).toBe(`error: ${message}\n${hint === null ? '' : `hint: ${hint}\n`}${kept}`);
    expect(await callCli(args, { cwd })).toEqual({ code: 1, stdout: '', stderr });
    expect(readFileSync(path.join(cwd, 'mine', 'thesis.txt'), 'utf8')).toBe('x');
  });

  it('of an upstream names the request, and leaves the old site', async () => {
    const cwd = temporaryFolder();
    const answers = tinyUpstream();
    const server = await serveUpstream(upstreamOf(answers));
    const args = [
      'build',
      '--source',
      'rest',
      '--upstream',
      server.url,
      '--retries',
      '0',
      '--no-cache',
      '--json',
    ];
    expect(await callCli([...args, '--max-shrink', '100'], { cwd })).toMatchObject({ code: 0 });
    const before = fingerprint(cwd);
    answers.move[1] = { id: 2, name: 'a/b\u001b' };
    const { code, stdout, stderr } = await callCli(args, { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error.code).toBe('data');
    expect(stderr).toMatch(/error: move › /);
    expect(stderr).not.toContain('\u001b');
    expect(fingerprint(cwd)).toEqual(before);
  });
});
