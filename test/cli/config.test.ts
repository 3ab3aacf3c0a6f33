import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { configure } from '../../src/cli/config.ts';
import { createProgram, loadCommands } from '../../src/cli/program.ts';
import { callCli } from '../support/run-cli.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const program = await createProgram();

/** A configuration in a folder of its own. */
function configured(config: unknown, name = 'gamedata.config.json') {
  const cwd = temporaryFolder();
  const file = path.join(cwd, name);
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  /** The options of a command, as its code gets them. */
  const optionsOf = async ([name = '', ...flags]: string[], environment = {}) => {
    const program = await createProgram();
    const command = program.commands.find((candidate) => candidate.name() === name) ?? program;
    command.parseOptions(flags);
    configure(await loadCommands(), command, file, environment);
    return command.opts();
  };
  return { cwd, optionsOf, run: (...args: string[]) => callCli(args, { cwd }) };
}

describe('gamedata.config.json', () => {
  it('says what the command line leaves open', async () => {
    const { upstream } = await smallSource();
    const build = { source: 'snapshot', upstream, out: 'site', host: ['nginx', 'caddy'], downloads: false };
    const { cwd, run } = configured({ build: { ...build, 'base-url': 'https://file.test', cache: false } });
    expect(await run('build', '--host', 'apache')).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(path.join(cwd, 'site', 'meta.json'), 'utf8'))).toMatchObject({
      base_url: 'https://file.test',
      hosts: ['apache'],
      downloads: false,
    });
    // What is built is what is packed.
    expect((await run('archive')).stderr).toMatch(/^site: \d+ files packed into/);
    expect((await run('archive', 'elsewhere')).stderr).toContain('elsewhere');
  });

  it('comes after the command line and the environment, and before the defaults', async () => {
    const { optionsOf } = configured({
      build: { 'base-url': 'https://file.test', retries: 1, cache: false },
    });
    const environment = { BASE_URL: 'https://env.test' };
    expect(await optionsOf(['build'])).toMatchObject({
      baseUrl: 'https://file.test',
      retries: 1,
      cache: false,
      concurrency: 16,
    });
    const typed = await optionsOf(['build', '--retries', '2'], environment);
    expect(typed).toMatchObject({ retries: 2 });
    // The build asks the environment itself.
    expect(typed).not.toHaveProperty('baseUrl');
    expect(await optionsOf(['build', '--base-url', 'https://typed.test'], environment)).toMatchObject({
      baseUrl: 'https://typed.test',
    });
  });

  it('leaves a wrong variable of the environment to the build, which tells it as JSON, too', async () => {
    const { cwd } = configured({ build: { 'base-url': 'https://file.test' } });
    const { code, stdout } = await callCli(['build', '--json'], { cwd, env: { BASE_URL: 'x' } });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.message).toBe('BASE_URL: got "x", expected an http or https URL');
  });

  it('may name a host of former versions, as the command line may', async () => {
    const { optionsOf } = configured({ build: { host: ['netlify-edge'] } });
    expect(await optionsOf(['build'])).toMatchObject({ host: ['netlify-edge'] });
    const typed = await optionsOf(['build', '--host', 'nginx', 'netlify-edge']);
    expect(typed).toMatchObject({ host: ['nginx', 'netlify-edge'] });
  });

  it('has relative paths that count from its folder; upstream URLs and commands are no paths', async () => {
    const { cwd, optionsOf } = configured({
      build: { out: 'site', cache: '/tmp/cache', upstream: 'https://x.test/api', 'on-change': 'true' },
      snapshot: { data: '../data' },
    });
    expect(await optionsOf(['build'])).toMatchObject({
      out: path.join(cwd, 'site'),
      cache: '/tmp/cache',
      upstream: 'https://x.test/api',
      onChange: 'true',
    });
    expect(await optionsOf(['snapshot'])).toMatchObject({ data: path.join(path.dirname(cwd), 'data') });
  });

  it.each<[string, unknown, string]>([
    [
      'an unknown option',
      { build: { base_url: 'x' } },
      ' › build: got "base_url": expected an option of gamedata build; did you mean "base-url"?',
    ],
    [
      'an option of another command',
      { serve: { keep: 2 } },
      ' › serve: got "keep": expected an option of gamedata serve; did you mean',
    ],
    [
      'an unknown command',
      { biuld: {} },
      ': got "biuld": expected an option of a command; did you mean "build"?',
    ],
    [
      'an option outside of its command',
      { 'base-url': 'x' },
      ': got "base-url": expected an option of a command; did you mean "base-url" in "build"?',
    ],
    ['an option of the command line', { build: { config: 'x' } }, ' › build: got "config"'],
    ['another type', { build: { keep: '5' } }, ' › build › keep: got "5": expected number'],
    ['another choice', { build: { source: 'magic' } }, ' › build › source: got "magic": expected one of'],
    ['another host', { build: { host: ['geocities'] } }, ' › build › host › 0: got "geocities"'],
    ['a cache that is on', { build: { cache: true } }, ' › build › cache: got true'],
    ['text', 'build', ": line 1: invalid JSON: Unexpected token 'b'"],
    ['no value', '{\n  "build": }', ": line 2: invalid JSON: Unexpected token '}'"],
    ['no end', '{\n  "build": ', ': line 2: invalid JSON: Unexpected end of JSON input'],
    ['a comma too many', '{\n  "build": {\n    "keep": 5,\n  }\n}', ': line 4: invalid JSON: Expected'],
    [
      'an option that is negated',
      { build: { 'no-downloads': true } },
      ' › build: got "no-downloads": expected an option of gamedata build; did you mean "downloads"?',
    ],
    ['a list', [], ': got []: expected object'],
  ])('with %s is refused', async (_, config, problem) => {
    const { cwd, optionsOf } = configured(config);
    await expect(optionsOf(['build'])).rejects.toThrow(path.join(cwd, 'gamedata.config.json') + problem);
  });

  it.each<[string, string, object, string]>([
    ['an unknown command', 'build', { biuld: {} }, 'gamedata.config.json: got "biuld"'],
    ['an unknown command', 'archive', { biuld: {} }, 'gamedata.config.json: got "biuld"'],
    [
      'a value out of range',
      'build',
      { build: { concurrency: 0 } },
      'gamedata.config.json › build › concurrency: got 0, expected an',
    ],
    [
      'a bad address',
      'build',
      { build: { 'base-url': 'x' } },
      'gamedata.config.json › build › base-url: got "x", expected an http',
    ],
  ])('with %s is a usage error of %s', async (_, command, config, problem) => {
    const { code, stdout, stderr } = await configured(config).run(command);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.startsWith(`error: ${problem}`)).toBe(true);
    expect(stderr).toContain(`\nusage: gamedata ${command} `);
  });

  it('is not blamed for what was typed', async () => {
    const { stderr } = await configured({ build: { 'base-url': 'x' } }).run('build', '--base-url', 'y');
    expect(stderr).toMatch(/^error: --base-url: got "y"/);
  });

  it('has to be there if it is named, and does not count if another one is', async () => {
    const { run } = configured({ biuld: {} });
    const { code, stderr } = await run('archive', '--config', 'nowhere.json');
    expect(code).toBe(2);
    expect(stderr).toContain('error: nowhere.json: cannot be read (ENOENT), expected a configuration');
  });
});

describe('the schema of gamedata.config.json', () => {
  const schema = JSON.parse(readFileSync(new URL('../../dist/config.schema.json', import.meta.url), 'utf8'));
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);

  it('describes every command, and every option that its help lists', () => {
    const { $schema: _, ...sections } = schema.properties as Record<string, { properties: object }>;
    const described = Object.entries(sections).map(([name, { properties }]) => [
      name,
      ...Object.keys(properties),
    ]);
    const listed = program.commands.map((command) => {
      const flags = command.helpInformation().matchAll(/^ {2}(?:-h, )?--(?:no-)?([\w-]+)/gm);
      const names = [...flags].map(([, flag = '']) => flag);
      return [command.name(), ...names.filter((name) => !['config', 'help'].includes(name))];
    });
    expect(described.map((names) => names.sort())).toEqual(listed.map((names) => names.sort()));
  });

  it.each<[boolean, unknown]>([
    [true, {}],
    [true, { $schema: './dist/config.schema.json', build: { cache: false, host: ['nginx'], keep: 3 } }],
    [false, { build: { cache: true } }],
    [false, { build: { host: ['netlify-edge'] } }],
    [false, { build: { keep: 'x' } }],
    [false, { build: { 'base-ulr': 'x' } }],
    [false, { biuld: {} }],
  ])('says %s to %j', (isValid, config) => {
    expect(validate(config)).toBe(isValid);
  });
});

describe('help', () => {
  it.each(program.commands.map((command) => [command.name(), command.helpInformation()]))(
    'of %s fits on 40 lines of 80 columns, in groups',
    (name, help) => {
      const lines = help.trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(40);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      const groups = name === 'build' ? ['Data:', 'Guards:', 'Output:', 'Hosts:'] : [];
      for (const group of ['Common:', ...groups]) expect(lines).toContain(group);
    },
  );
});
