import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
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
    read: () => readConfig(commands, file),
    run: (args: string[], env = {}) => callCli(args, { cwd, env }),
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
      build: { ...build, 'base-url': 'https://file.test' },
    });
    expect(await run(['build', '--host', 'apache'])).toMatchObject({ code: 0 });
    expect(
      JSON.parse(readFileSync(path.join(cwd, 'site', 'meta.json'), 'utf8')),
    ).toMatchObject({
      base_url: 'https://file.test',
      hosts: ['apache'],
      archive: true,
    });
  });

  it('gives BASE_URL precedence over the configuration file', async () => {
    const { upstream } = await smallSource(rawRecords(3, 2));
    const { run } = configure({
      build: { source: 'snapshot', upstream, 'base-url': 'https://file.test' },
    });
    const env = { BASE_URL: 'https://env.test' };
    const { stdout } = await run(['build', '--json'], env);
    expect(JSON.parse(stdout).site.baseUrl).toBe('https://env.test');
  });

  it('other commands use the output folder that is configured for build', async () => {
    const { cwd, run } = configure({ build: { out: 'site' } });
    const { stderr } = await run(['serve', '--port', 'x']);
    expect(stderr).toContain('--port: got "x"');
    expect(
      readConfig(commands, path.join(cwd, 'gamedata.config.json')),
    ).toMatchObject({
      build: { out: path.join(cwd, 'site') },
    });
  });

  it('applies the options of the section "build" to mirror, unless the section "mirror" sets them', async () => {
    const source = await smallSource(rawRecords(3, 2));
    const { cwd, run } = configure({
      // Only builds can skip records.
      build: { 'base-url': 'https://file.test', host: ['nginx'], skip: ['item/1'] },
      mirror: { 'base-url': 'https://copy.test' },
    });
    await build({ ...source, out: path.join(cwd, 'site') });
    const { stdout } = await run(['mirror', 'site', 'copy', '--json']);
    expect(JSON.parse(stdout).site).toMatchObject({
      baseUrl: 'https://copy.test',
      hosts: ['nginx'],
    });
  });

  it('resolves folders relative to the configuration file', () => {
    const { cwd, read } = configure({
      build: { out: 'site', cache: '/tmp/cache', upstream: 'https://x.test/api' },
      snapshot: { data: '../data' },
    });
    expect(read()).toMatchObject({
      build: {
        out: path.join(cwd, 'site'),
        cache: '/tmp/cache',
        upstream: 'https://x.test/api',
      },
      snapshot: { data: path.join(path.dirname(cwd), 'data') },
    });
  });

  it.each<[unknown, string]>([
    [
      { build: { base_url: 'x' } },
      ' › build: got {"base_url":"x"}: Unrecognized key: "base_url"',
    ],
    [{ biuld: {} }, ': got {"biuld":{}}: Unrecognized key: "biuld"'],
    [{ build: { keep: '5' } }, ' › build › keep: got "5", expected number'],
    [
      { build: { host: ['x'] } },
      ' › build › host › 0: got "x", expected one of "netlify"|"netlify-rules"|',
    ],
    [
      { build: { out: '~/site' } },
      ' › build › out: got "~/site", expected a path without ~',
    ],
    ['{', ': got invalid JSON: '],
    ['\uFEFF{"build": 7}', ' › build: got 7, expected object'],
  ])('rejects the configuration %j', (config, problem) => {
    const { file, read } = configure(config);
    expect(read).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining(file + problem),
      }),
    );
  });

  it('prints errors as JSON if the configuration file contains "json": true', async () => {
    const { run } = configure({ build: { json: true, root: '/srv' } });
    const { stdout } = await run(['build']);
    const { error } = JSON.parse(stdout);
    expect(error.message).toMatch(/^--root: got no host/);
  });

  it('rejects a missing --config file instead of reading the default one', async () => {
    const { run } = configure({ biuld: {} });
    const { code, stderr } = await run(['serve', '--config', 'nowhere.json']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'error: nowhere.json: does not exist, expected a configuration',
    );
  });
});

describe('the schema of gamedata.config.json', () => {
  const schema = JSON.parse(
    readFileSync(new URL('../../dist/config.schema.json', import.meta.url), 'utf8'),
  );
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    schema,
  );

  it('the configuration schema contains exactly the commands and options that the help lists', () => {
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

  it('the configuration schema contains the default and the range of an option', () => {
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
        build: { cache: 'cache', host: ['nginx'], keep: 3 },
      },
    ],
    [false, { build: { cache: true } }],
    [false, { build: { 'base-ulr': 'x' } }],
  ])(
    'returns %s when the schema validates the configuration %j',
    (isValid, config) => {
      expect(validate(config)).toBe(isValid);
    },
  );
});

describe('help', () => {
  it.each(
    program.commands.map((command) => [command.name(), command.helpInformation()]),
  )('the help fits in 80 columns and groups the options: %s', (name, help) => {
    const lines = help.trimEnd().split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    const groups = name === 'build' ? ['Data:', 'Guards:', 'Output:', 'Hosts:'] : [];
    for (const group of ['Common:', ...groups]) expect(lines).toContain(group);
  });

  it('the help lists the choices and the default of an option', () => {
    const help = program.commands
      .find((command) => command.name() === 'build')
      ?.helpInformation();
    const unfolded = help?.replaceAll(/\n {10,}/g, ' ');
    expect(unfolded).toContain(`hosts to configure [netlify]: ${hosts}\n`);
    expect(unfolded).toContain(
      '(choices: "auto", "rest", "csv", "snapshot", default: "auto")\n',
    );
  });
});
