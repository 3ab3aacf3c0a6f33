import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { type CliOptions, runCli } from '../support/run-cli.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

/** A working folder with a configuration. */
function configured(config: unknown, name = 'gamedata.config.json') {
  const cwd = temporaryFolder();
  writeFileSync(path.join(cwd, name), typeof config === 'string' ? config : JSON.stringify(config));
  return { cwd, run: (args: readonly string[], options?: CliOptions) => runCli(args, { cwd, ...options }) };
}

/** What `--print-config` says of an option: its value and where that comes from. */
async function settings(run: ReturnType<typeof configured>['run'], args: string[], options?: CliOptions) {
  const { code, stdout, stderr } = await run([...args, '--print-config', '--json'], options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, { value?: unknown; origin: string }>;
}

const metaOf = (folder: string) => JSON.parse(readFileSync(path.join(folder, 'meta.json'), 'utf8'));

describe('gamedata.config.json', () => {
  it('says what the command line leaves open', async () => {
    const { upstream } = await smallSource();
    const build = {
      source: 'snapshot',
      upstream,
      out: 'site',
      host: ['nginx', 'caddy'],
      'base-url': 'https://file.test',
    };
    const { cwd, run } = configured({
      build: { ...build, downloads: false, cache: false, 'max-shrink': 100 },
    });
    const { code, stderr } = await run(['build', '--host', 'apache']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(metaOf(path.join(cwd, 'site'))).toMatchObject({
      base_url: 'https://file.test',
      hosts: ['apache'],
      downloads: false,
    });
    // What is built is what is packed.
    expect((await run(['archive'])).stderr).toMatch(/^site: \d+ files packed into/);
    expect((await run(['archive', 'elsewhere'])).stderr).toContain('elsewhere');
  });

  it('comes after the command line and the environment, and before the defaults', async () => {
    const { run } = configured({ build: { 'base-url': 'https://file.test', retries: 1, cache: false } });
    const environment = { env: { BASE_URL: 'https://env.test' } };
    expect(await settings(run, ['build'])).toMatchObject({
      'base-url': { value: 'https://file.test', origin: 'gamedata.config.json' },
      retries: { value: 1, origin: 'gamedata.config.json' },
      cache: { value: false, origin: 'gamedata.config.json' },
      concurrency: { value: 16, origin: 'default' },
      'max-age': { origin: 'not set' },
    });
    expect(await settings(run, ['build', '--retries', '2'], environment)).toMatchObject({
      'base-url': { value: 'https://env.test', origin: 'BASE_URL' },
      retries: { value: 2, origin: 'command line' },
    });
    const typed = await settings(run, ['build', '--base-url', 'https://typed.test'], environment);
    expect(typed['base-url']).toEqual({ value: 'https://typed.test', origin: 'command line' });
  });

  it('prints what counts as a table, and then does nothing', async () => {
    const { cwd, run } = configured({ build: { host: ['nginx', 'caddy'] } });
    const { code, stdout } = await run(['build', '--print-config']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^host +nginx caddy +gamedata\.config\.json$/m);
    expect(stdout).toMatch(/^out +build +default$/m);
    expect(stdout).toMatch(/^root +- +not set$/m);
    expect(() => readFileSync(path.join(cwd, 'build', 'meta.json'))).toThrow('ENOENT');
  });

  it('may be another file: relative paths count from its folder, upstream URLs and commands are no paths', async () => {
    const { cwd } = configured({
      build: { out: 'site', cache: '/tmp/cache', upstream: 'https://x.test/api', 'on-change': 'true' },
      snapshot: { data: '../data' },
    });
    const run = (args: readonly string[]) => runCli(args, { cwd: path.dirname(cwd) });
    const file = path.join(path.basename(cwd), 'gamedata.config.json');
    expect(await settings(run, ['build', '--config', file])).toMatchObject({
      out: { value: path.join(path.basename(cwd), 'site'), origin: file },
      cache: { value: '/tmp/cache' },
      upstream: { value: 'https://x.test/api' },
      'on-change': { value: 'true' },
    });
    expect(await settings(run, ['snapshot', '--config', file])).toMatchObject({ data: { value: 'data' } });
  });

  it.each<[string, unknown, string]>([
    [
      'an unknown option',
      { build: { base_url: 'x' } },
      'gamedata.config.json › build: got "base_url": expected an option of gamedata build; did you mean "base-url"?',
    ],
    [
      'an option of another command',
      { serve: { keep: 2 } },
      'gamedata.config.json › serve: got "keep": expected an option of gamedata serve; did you mean',
    ],
    [
      'an unknown command',
      { biuld: {} },
      'gamedata.config.json: got "biuld": expected an option of a command; did you mean "build"?',
    ],
    [
      'an option outside of its command',
      { 'base-url': 'x' },
      'gamedata.config.json: got "base-url": expected an option of a command; did you mean "base-url" in "build"?',
    ],
    [
      'an option of the command line',
      { build: { config: 'x' } },
      'gamedata.config.json › build: got "config"',
    ],
    [
      'another type',
      { build: { keep: '5' } },
      'gamedata.config.json › build › keep: got "5": expected number',
    ],
    [
      'another choice',
      { build: { source: 'magic' } },
      'gamedata.config.json › build › source: got "magic": expected one of',
    ],
    [
      'another host',
      { build: { host: ['geocities'] } },
      'gamedata.config.json › build › host › 0: got "geocities"',
    ],
    ['a cache that is on', { build: { cache: true } }, 'gamedata.config.json › build › cache: got true'],
    ['a value out of range', { build: { concurrency: 0 } }, '--concurrency: got 0, expected an integer'],
    ['text', 'build', 'gamedata.config.json: got text that is not JSON'],
    ['a list', [], 'gamedata.config.json: got []: expected object'],
  ])('with %s is refused, with exit code 2, whichever command reads it', async (_, config, problem) => {
    const { run } = configured(config);
    const { code, stdout, stderr } = await run(['build']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`error: ${problem}`);
    expect(stderr).toMatch(/\nusage: gamedata build /);
  });

  it('has to be there if it is named', async () => {
    const { run } = configured({}, 'other.json');
    const { code, stderr } = await run(['hosts', '--config', 'nowhere.json']);
    expect(code).toBe(2);
    expect(stderr).toContain('error: nowhere.json: cannot be read (ENOENT), expected a configuration');
    expect((await run(['hosts'])).code).toBe(0);
  });
});

describe('the schema of gamedata.config.json', () => {
  const schema = JSON.parse(readFileSync(new URL('../../dist/config.schema.json', import.meta.url), 'utf8'));
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);

  it('describes every command, and every option that its help lists', async () => {
    const { run } = configured({});
    for (const [name, section] of Object.entries<{ properties?: object }>(schema.properties)) {
      if (name === '$schema') continue;
      const { stdout } = await run([name, '--help']);
      const flags = [...stdout.matchAll(/^ {2}(?:-h, )?--(?:no-)?([\w-]+)/gm)].map(([, flag = '']) => flag);
      const typed = ['config', 'print-config', 'help'];
      expect([name, ...Object.keys(section.properties ?? {})]).toEqual([
        name,
        ...flags.filter((flag) => !typed.includes(flag)),
      ]);
    }
  });

  it.each<[boolean, unknown]>([
    [true, {}],
    [true, { $schema: './dist/config.schema.json', build: { cache: false, host: ['nginx'], keep: 3 } }],
    [false, { build: { cache: true } }],
    [false, { build: { keep: 'x' } }],
    [false, { build: { 'base-ulr': 'x' } }],
    [false, { biuld: {} }],
  ])('says %s to %j', (isValid, config) => {
    expect(validate(config)).toBe(isValid);
  });
});

describe('help', () => {
  it('of each command fits on 40 lines of 80 columns, in groups', async () => {
    const { run } = configured({});
    const commands = ['build', 'snapshot', 'verify', 'mirror', 'rebase', 'archive', 'diff', 'hosts', 'serve'];
    for (const command of commands) {
      const { stdout } = await run([command, '--help']);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.length, command).toBeLessThanOrEqual(40);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      expect(lines).toContain('Common:');
    }
    const { stdout } = await run(['build', '--help']);
    for (const group of ['Common:', 'Data:', 'Guards:', 'Output:', 'Hosts:']) expect(stdout).toContain(group);
  });
});
