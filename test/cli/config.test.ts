import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/cli/config.ts';
import { createProgram, loadCommands } from '../../src/cli/program.ts';
import { callCli } from '../support/run-cli.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

const program = await createProgram();
const commands = await loadCommands();
const hosts =
  'netlify, netlify-rules, cloudflare, github-pages, nginx, caddy, apache';

function configure(config: unknown) {
  const cwd = temporaryFolder();
  const file = path.join(cwd, 'gamedata.config.json');
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
  return {
    cwd,
    file,
    read: (name: string, environment = {}) =>
      readConfig(commands, name, file, environment),
    run: (...args: string[]) => callCli(args, { cwd }),
  };
}

describe('gamedata.config.json', () => {
  it('gives options on the command line precedence over the configuration file', async () => {
    const { upstream } = await smallSource(rawRecords(3, 2));
    const build = {
      source: 'snapshot',
      upstream,
      out: 'site',
      host: ['nginx', 'caddy'],
      archive: true,
    };
    const { cwd, run } = configure({
      build: { ...build, 'base-url': 'https://file.test', cache: false },
    });
    expect(await run('build', '--host', 'apache')).toMatchObject({ code: 0 });
    expect(
      JSON.parse(readFileSync(path.join(cwd, 'site', 'meta.json'), 'utf8')),
    ).toMatchObject({
      base_url: 'https://file.test',
      hosts: ['apache'],
      archive: true,
    });
  });

  it('ignores the base URL in the configuration file if BASE_URL is set', () => {
    const { read } = configure({
      build: { 'base-url': 'https://file.test', 'max-shrink': 1 },
    });
    expect(read('build').options).toEqual({
      baseUrl: 'https://file.test',
      maxShrink: 1,
    });
    expect(read('build', { BASE_URL: 'https://env.test' }).options).toEqual({
      maxShrink: 1,
    });
  });

  it("uses build's configured output folder in other commands", () => {
    const { cwd, read } = configure({ build: { out: 'site' } });
    expect(read('serve')).toMatchObject({
      buildFolder: path.join(cwd, 'site'),
      options: {},
    });
  });

  it('applies the section of build to a command that inherits it', () => {
    const config = {
      build: { 'max-shrink': 1, concurrency: 2, out: 'x' },
      mirror: { 'max-shrink': 3 },
    };
    const { read } = configure(config);
    expect(read('mirror').options).toEqual({ maxShrink: 3, concurrency: 2 });
  });

  it('resolves folders relative to the configuration file', () => {
    const { cwd, read } = configure({
      build: {
        out: 'site',
        cache: '/tmp/cache',
        upstream: 'https://x.test/api',
        root: 'srv',
      },
      snapshot: { data: '../data' },
    });
    expect(read('build').options).toMatchObject({
      out: path.join(cwd, 'site'),
      cache: '/tmp/cache',
      upstream: 'https://x.test/api',
    });
    expect(read('snapshot').options).toEqual({
      data: path.join(path.dirname(cwd), 'data'),
    });
  });

  const inBuild = ', expected an option of gamedata build';
  it.each<[unknown, string, hint?: string]>([
    [
      { build: { base_url: 'x' } },
      ` › build: got "base_url"${inBuild}`,
      expect.stringMatching(
        /^The options of build are json, .*, base-url, .*, keep\.$/,
      ),
    ],
    [
      { build: { dir: 'x' } },
      ` › build: got "dir"${inBuild}`,
      expect.stringMatching(/^The options of build are /),
    ],
    [
      { biuld: {} },
      ': got "biuld", expected a command',
      'The commands are build, snapshot, verify, mirror, diff, serve.',
    ],
    [
      { root: 'x' },
      ': got "root", expected a command',
      'Move "root" into the section "build".',
    ],
    [
      { build: { keep: '5' } },
      ' › build › keep: got "5", expected an integer from 0 to 1000',
    ],
    [{ build: { verify: 1 } }, ' › build › verify: got 1, expected boolean'],
    [
      { build: { host: ['x'] } },
      ` › build › host › 0: got "x", expected one of ${hosts}`,
    ],
    [
      { build: { cache: true } },
      ' › build › cache: got true, expected a folder, or false for none',
    ],
    [
      { build: { 'base-url': 'x' } },
      ' › build › base-url: got "x", expected an http or https URL',
    ],
    ['build', ': got "build" in line 1, column 1, expected JSON'],
    [
      '\uFEFF{\n  "build": }',
      String.raw`: got "{\n  \"build\": }" in line 2, column 12, expected JSON`,
    ],
    ['\uFEFF{"build": 7}', ' › build: got 7, expected object'],
  ])('rejects the configuration %j', (config, problem, hint) => {
    const { file, read } = configure(config);
    expect(() => read('serve')).toThrow(
      expect.objectContaining({ code: 'usage', message: file + problem, hint }),
    );
  });

  it('names the configuration file only in errors about options that it sets', async () => {
    const { run } = configure({ build: { root: '/srv' } });
    const problem =
      'got no host that uses it, expected --host nginx, caddy or apache\n';
    expect((await run('build')).stderr).toContain(
      `error: gamedata.config.json › build › root: ${problem}`,
    );
    expect((await run('build', '--root', '/srv')).stderr).toContain(
      `error: --root: ${problem}`,
    );
  });

  it('prints errors as JSON if it contains "json": true', async () => {
    const { run } = configure({ build: { json: true, root: '/srv' } });
    const { stdout } = await run('build');
    const { error } = JSON.parse(stdout);
    expect(error.message).toMatch(
      /^gamedata\.config\.json › build › root: got no host/,
    );
  });

  it('rejects a missing --config file instead of reading the default one', async () => {
    const { run } = configure({ biuld: {} });
    const { code, stderr } = await run('serve', '--config', 'nowhere.json');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'error: nowhere.json: does not exist, expected a configuration',
    );
    const empty = await run('serve', '--config', '');
    expect(empty.stderr).toContain('error: --config: got "", expected a file\n');
  });
});

describe('the schema of gamedata.config.json', () => {
  const schema = JSON.parse(
    readFileSync(new URL('../../dist/config.schema.json', import.meta.url), 'utf8'),
  );
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    schema,
  );

  it('contains exactly the commands and options that the help lists', () => {
    const { $schema: _, ...sections } = schema.properties as Record<
      string,
      { properties: object }
    >;
    const described = Object.entries(sections).map(([name, { properties }]) => [
      name,
      ...Object.keys(properties),
    ]);
    const listed = program.commands.map((command) => {
      const flags = command
        .helpInformation()
        .matchAll(/^ {2}(?:-h, )?--(?:no-)?([\w-]+)/gm);
      const names = [...flags].map(([, flag = '']) => flag);
      return [
        command.name(),
        ...names.filter((name) => !['config', 'help'].includes(name)),
      ];
    });
    expect(described.map((names) => names.sort())).toEqual(
      listed.map((names) => names.sort()),
    );
  });

  it("contains an option's default and range", () => {
    const range = { type: 'integer', default: 16, minimum: 1, maximum: 256 };
    const description = 'limit of concurrent requests';
    expect(schema.properties.build.properties.concurrency).toEqual({
      ...range,
      description,
    });
    expect(schema.properties.snapshot.properties.data).toMatchObject({
      default: 'data',
    });
  });

  it.each<[boolean, unknown]>([
    [
      true,
      {
        $schema: './dist/config.schema.json',
        build: { cache: false, host: ['nginx'], keep: 3 },
      },
    ],
    [false, { build: { cache: true } }],
    [false, { build: { 'base-ulr': 'x' } }],
  ])('returns %s when validating %j', (isValid, config) => {
    expect(validate(config)).toBe(isValid);
  });
});

describe('help', () => {
  it.each(
    program.commands.map((command) => [command.name(), command.helpInformation()]),
  )(
    'fits into 40 lines of 80 columns, with the options in groups: %s',
    (name, help) => {
      const lines = help.trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(40);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      const groups =
        name === 'build' ? ['Data:', 'Guards:', 'Output:', 'Hosts:'] : [];
      for (const group of ['Common:', ...groups]) expect(lines).toContain(group);
    },
  );

  it("lists an option's choices and default", () => {
    const help = program.commands
      .find((command) => command.name() === 'build')
      ?.helpInformation();
    expect(help?.replaceAll(/\n {10,}/g, ' ')).toContain(
      `hosts to configure [netlify]: ${hosts}\n`,
    );
    expect(help).toContain('source: auto, rest, csv, snapshot [auto]\n');
  });
});
