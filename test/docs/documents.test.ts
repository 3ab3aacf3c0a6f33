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
import { createConfigSchema } from '../../src/cli/config.ts';
import { exitCodes } from '../../src/cli/print-error.ts';
import { createProgram, loadCommands } from '../../src/cli/program.ts';
import { recordSchemas } from '../../src/contract/records.ts';
import { warningCodes } from '../../src/data/data-set.ts';
import { hostNames } from '../../src/hosts/index.ts';
import { temporaryFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const commands = await loadCommands();
const { commands: parsedCommands } = await createProgram();
const { scripts, dependencies } = JSON.parse(read('package.json'));

interface Document {
  /** The path in the project, such as `docs/CLI.md`. */
  readonly name: string;
  readonly text: string;
}

const documents = listDocuments();
const allText = documents.map(({ text }) => text).join('\n');

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

function exists(file: string): boolean {
  return existsSync(path.join(ROOT, file));
}

function listDocuments(): Document[] {
  const found: Document[] = [];
  for (const folder of ['.', 'docs']) {
    for (const file of readdirSync(path.join(ROOT, folder))) {
      const name = path.join(folder, file);
      if (name.endsWith('.md')) found.push({ name, text: read(name) });
    }
  }
  return found;
}

/**
 * Returns the anchor of a heading:
 * https://docs.github.com/en/get-started/writing-on-github
 */
function getAnchor(heading: string): string {
  const words = heading.toLowerCase().replaceAll(/[^\w\- ]/g, '');
  return words.replaceAll(' ', '-');
}

function hasHeading(file: string, anchor: string): boolean {
  const headings = read(file).matchAll(/^#+ (.*)$/gm);
  for (const [, title = ''] of headings) {
    if (getAnchor(title) === anchor) return true;
  }
  return false;
}

it.each(documents)(
  '$name links only to files and headings that exist',
  ({ name, text }) => {
    const brokenLinks: string[] = [];
    const links = text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g);
    for (const [link, file = '', anchor] of links) {
      const target = file === '' ? name : path.join(path.dirname(name), file);
      const isBroken =
        anchor === undefined ? !exists(target) : !hasHeading(target, anchor);
      if (isBroken) brokenLinks.push(link);
    }
    expect(brokenLinks).toEqual([]);
  },
);

it.each(documents)('$name mentions only source files that exist', ({ text }) => {
  const files =
    text.match(/(?<=`)(?:src|test|scripts|deploy|docs)\/[\w./-]+(?=`)/g) ?? [];
  // The section "How to add" omits `src/` from paths.
  const shortened =
    text.match(
      /(?<=`)(?:contract|sources|site|hosts|cli|verify)\/[\w./-]+\.ts(?=`)/g,
    ) ?? [];
  const completed = shortened.map((file) => `src/${file}`);
  const missing = [...files, ...completed].filter((file) => !exists(file));
  expect(missing).toEqual([]);
});

/** Returns all different texts in the documents that match the expression. */
function findAll(pattern: RegExp): string[] {
  return [...new Set(allText.match(pattern))];
}

it('the documents mention only scripts that exist', () => {
  const mentioned = findAll(/(?<=npm run )[a-z:-]+/g);
  expect(mentioned.length).toBeGreaterThan(0);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(mentioned));
});

it('the documents mention only options that exist', () => {
  const calls = findAll(/(?:gamedata(?:\.mjs)?|npm run build --) [a-z-].*/g);
  const mentioned = calls.join('\n').match(/(?<![\w-])--[a-z][a-z-]+/g) ?? [];
  // The last three options belong to other programs in the same lines.
  const known = ['--help', '--version', '--directory', '--now', '--write'];
  for (const { options } of parsedCommands) {
    for (const { long } of options) known.push(String(long));
  }
  expect(mentioned.length).toBeGreaterThan(0);
  expect(known).toEqual(expect.arrayContaining(mentioned));
});

it('the documents mention only hosts that exist', () => {
  const mentioned = findAll(/(?<=--host )[a-z-]+/g);
  expect(mentioned.length).toBeGreaterThan(0);
  expect([...hostNames, 'netlify-edge']).toEqual(expect.arrayContaining(mentioned));
});

it.each(parsedCommands.map((command) => [command.name(), command] as const))(
  'lists the same arguments for %s in the README as in the help',
  (name, { registeredArguments }) => {
    let usage = name;
    for (const argument of registeredArguments) {
      const argumentName = argument.name();
      usage += argument.required ? ` <${argumentName}>` : ` [${argumentName}]`;
    }
    // The usage is in a table, so a vertical bar must be escaped.
    const cell = usage.replaceAll('|', '\\|');
    expect(read('README.md')).toContain(`\n| \`${cell}\``);
  },
);

it('the records in the README match their schemas', () => {
  const examples = read('README.md').match(/^\{"url":.*\}$/gm) ?? [];
  const [moveText = '', itemText = '', ...otherTexts] = examples;
  expect(otherTexts).toEqual([]);
  for (const [kind, text] of [
    ['move', moveText],
    ['item', itemText],
  ] as const) {
    const { url: _, ...record } = JSON.parse(text);
    expect(recordSchemas[kind].parse(record)).toEqual(record);
  }
});

it('the example configuration in docs/CLI.md matches its schema', () => {
  const example = /```json\n(\{\n {2}"\$schema"[\s\S]*?)```/;
  const [, text = ''] = example.exec(read('docs/CLI.md')) ?? [];
  const schema = createConfigSchema(commands);
  const config = JSON.parse(text);
  expect(() => schema.parse(config)).not.toThrow();
});

it.each([
  ['exit codes', 'docs/CLI.md', Object.values(exitCodes).map(String)],
  ['warnings', 'docs/DATA.md', warningCodes.map((code) => `\`${code}\``)],
  ['dependencies', 'docs/DEPENDENCIES.md', Object.keys(dependencies)],
])('documents all %s in %s', (_, file, names) => {
  const firstCells = read(file).match(/^\| .*? \|/gm) ?? [];
  const text = firstCells.join('\n');
  const missing = names.filter((name) => !text.includes(name));
  expect(missing).toEqual([]);
});

function readUnit(name: string): string {
  return read(`deploy/systemd/${name}`);
}

it.each([
  [
    'gamedata.service',
    /\.mjs serve [\s\S]*\nDynamicUser=yes\nNoNewPrivileges=yes\n/,
  ],
  [
    'gamedata-refresh.service',
    /\nUser=gamedata\n[\s\S]*\.mjs build\n[\s\S]*\nNoNewPrivileges=yes\n/,
  ],
])('runs %s as an unprivileged user', (file, pattern) => {
  expect(readUnit(file)).toMatch(pattern);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it.skipIf(!hasSystemd)('provides unit files that systemd accepts', () => {
  const folder = temporaryFolder();
  // systemd checks that the programs exist, and interprets a percent sign in a path,
  // so we use a symlink to the clone.
  const clone = path.join(folder, 'clone');
  symlinkSync(ROOT, clone);
  const files: string[] = [];
  for (const name of readdirSync(path.join(ROOT, 'deploy/systemd'))) {
    const text = readUnit(name)
      .replaceAll(/\/usr\/bin\/(?:node|curl)/g, process.execPath)
      .replaceAll('/opt/gamedata', clone);
    const file = path.join(folder, name);
    writeFileSync(file, text);
    files.push(file);
  }
  const args = ['verify', '--man=no', ...files];
  const result = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  expect(result.status).toBe(0);
  // It also reports problems with this machine's own units.
  const lines = result.stderr.split('\n');
  const problems = lines.filter((line) => line.includes('gamedata'));
  expect(problems).toEqual([]);
});
