import { spawnSync } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { exitCodes } from '../../src/cli/command.ts';
import { createConfigSchema } from '../../src/cli/config.ts';
import { createProgram, loadCommands } from '../../src/cli/program.ts';
import { warningCodes } from '../../src/dataset/data-set.ts';
import { hostNames } from '../../src/hosts/index.ts';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const commands = await loadCommands();
const { commands: parsed } = await createProgram();
const { scripts, dependencies } = JSON.parse(read('package.json'));
const names = ['.', 'docs'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder)).map((name) => path.join(folder, name)),
);
const documents = names
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: read(name) }));
const everything = documents.map(({ text }) => text).join('\n');

/**
 * Returns the anchor of a heading:
 * https://docs.github.com/en/get-started/writing-on-github
 */
const getAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

it.each(documents)(
  '$name links only to files and headings that exist',
  ({ name, text }) => {
    const links = Array.from(
      text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g),
    );
    const broken = links.filter(([, file = '', heading]) => {
      const target = file === '' ? name : path.join(path.dirname(name), file);
      if (heading === undefined) return !existsSync(path.join(ROOT, target));
      const headings = Array.from(
        read(target).matchAll(/^#+ (.*)$/gm),
        ([, title = '']) => getAnchor(title),
      );
      return !headings.includes(heading);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
    const files =
      text.match(/(?<=`)(?:src|test|scripts|deploy|docs)\/[\w./-]+(?=`)/g) ?? [];
    // The section "How to add" omits `src/` from paths.
    const sources =
      text.match(
        /(?<=`)(?:contract|sources|site|hosts|cli|verify)\/[\w./-]+\.ts(?=`)/g,
      ) ?? [];
    const named = [...files, ...sources.map((file) => `src/${file}`)];
    expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  },
);

it('the documents mention only existing scripts, options and hosts', () => {
  const find = (pattern: RegExp): string[] => [
    ...new Set(everything.match(pattern)),
  ];
  expect(
    find(/(?<=npm run )[a-z:-]+/g).filter((script) => !(script in scripts)),
  ).toEqual([]);
  expect(scripts).toHaveProperty('start', 'node scripts/gamedata.mjs serve build');
  const known = parsed.flatMap(({ options }) => options.map(({ long }) => long));
  const others = ['--help', '--version', '--directory', '--now', '--write'];
  const calls = find(/(?:gamedata(?:\.mjs)?|npm run build --) [a-z-].*/g).join('\n');
  expect([...known, ...others]).toEqual(
    expect.arrayContaining(calls.match(/(?<![\w-])--[a-z][a-z-]+/g) ?? []),
  );
  expect([...hostNames, 'netlify-edge']).toEqual(
    expect.arrayContaining(find(/(?<=--host )[a-z-]+/g)),
  );
});

it.each(parsed.map((command) => [command.name(), command] as const))(
  'lists the same arguments of %s in the README as in the help',
  (name, { registeredArguments }) => {
    const names = registeredArguments.map((argument) =>
      argument.required ? ` <${argument.name()}>` : ` [${argument.name()}]`,
    );
    const usage = `${name}${names.join('')}`.replaceAll('|', '\\|');
    expect(read('README.md')).toContain(`\n| \`${usage}\``);
  },
);

it('shows examples in the README that are records of the bundled data', () => {
  const samples = Array.from(
    read('README.md').matchAll(/^\{"url":.*\}$/gm),
    ([text]) => JSON.parse(text),
  );
  expect(samples.map(({ slug }) => slug)).toEqual(['pound', 'master-ball']);
  for (const [at, kind] of (['move', 'item'] as const).entries()) {
    const { url: _, ...record } = samples[at];
    expect(read(`data/${kind}.ndjson`).split('\n')).toContain(
      JSON.stringify(record),
    );
  }
});

it('shows an example configuration that matches the schema', () => {
  const [, text = ''] =
    /```json\n(\{\n {2}"\$schema"[\s\S]*?)```/.exec(read('docs/CLI.md')) ?? [];
  expect(() => createConfigSchema(commands).parse(JSON.parse(text))).not.toThrow();
});

it.each([
  ['exit codes', 'docs/CLI.md', Object.values(exitCodes).map(String)],
  ['warnings', 'docs/DATA.md', warningCodes.map((code) => `\`${code}\``)],
  ['dependencies', 'docs/DEPENDENCIES.md', Object.keys(dependencies)],
])('documents all %s in %s', (_, file, all) => {
  const cells = [...(read(file).match(/^\| .*? \|/gm) ?? [])].join('\n');
  expect(all.filter((one) => !cells.includes(one))).toEqual([]);
});

const readUnit = (name: string): string => read(`deploy/systemd/${name}`);

it.each([
  [
    'gamedata.service',
    /\.mjs serve [\s\S]*\nDynamicUser=yes\nNoNewPrivileges=yes\n/,
  ],
  [
    'gamedata-refresh.service',
    /\nUser=gamedata\n[\s\S]*\.mjs build\n[\s\S]*\nNoNewPrivileges=yes\n/,
  ],
])('runs %s as an unprivileged user', (file, pattern) =>
  expect(readUnit(file)).toMatch(pattern),
);

it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)(
  'provides unit files that systemd accepts',
  () => {
    const folder = temporaryFolder();
    // systemd checks that the programs exist, and interprets a percent sign in a
    // path, so we use a symlink to the clone.
    const clone = path.join(folder, 'clone');
    symlinkSync(ROOT, clone);
    const units = readdirSync(path.join(ROOT, 'deploy/systemd'));
    for (const name of units) {
      const text = readUnit(name).replaceAll(
        /\/usr\/bin\/(?:node|curl)/g,
        process.execPath,
      );
      writeFileSync(
        path.join(folder, name),
        text.replaceAll('/opt/gamedata', clone),
      );
    }
    const args = [
      'verify',
      '--man=no',
      ...units.map((name) => path.join(folder, name)),
    ];
    const { status, stderr } = spawnSync('systemd-analyze', args, {
      encoding: 'utf8',
    });
    expect([
      status,
      stderr.split('\n').filter((line) => line.includes('gamedata')),
    ]).toEqual([0, []]);
  },
);
