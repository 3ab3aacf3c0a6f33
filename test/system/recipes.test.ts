import { execFile, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SiteServer, serve } from '../../src/cli/commands/serve.ts';
import { kindNames } from '../../src/contract/kinds.ts';
import { capitalize } from '../../src/contract/words.ts';
import { PACKAGE_ROOT } from '../../src/package.ts';
import { engineFile, missingEngine } from '../support/engines/npm-engines.ts';
import { freePort } from '../support/engines/process.ts';
import { buildPageSite } from '../support/page-site.ts';
import { tablesOf, writeTables } from '../support/tables.ts';
import { sharedFolder, temporaryFolder } from '../support/temporary.ts';
import { compile } from '../support/typescript.ts';
import { handMadeUpstream } from '../support/upstream-data.ts';

const demandsAll = process.env.ENGINES === 'all';
/** Debian installs pandas only for its own Python. */
const PYTHONS = ['python3', '/usr/bin/python3'];
const pandasPython = PYTHONS.find((python) => works(python, '-c', 'import pandas'));
const DUCKDB = '@duckdb/node-api/lib/index.js';
const EXAMPLE_URL = 'https://gamedata.example';

function works(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0;
}

/** Creates a script that runs SQL, and prints the rows of the last statement. */
function createDuckDbScript(sql: string): string {
  return `
const { DuckDBInstance } = await import(${JSON.stringify(engineFile(DUCKDB))});
const connection = await (await DuckDBInstance.create('items.duckdb')).connect();
const reader = await connection.runAndReadAll(${JSON.stringify(sql)});
for (const row of reader.getRows()) console.log(row.join(' '));
`;
}

/** Each way in which a compiler finds an imported file. */
const moduleOptions = [
  { module: 'nodenext' },
  { module: 'preserve' },
  { module: 'esnext', moduleResolution: 'bundler' },
];

const work = sharedFolder();
let folder = '';
let server: SiteServer | undefined;
beforeAll(async () => {
  // The site's links resolve to the server.
  const port = await freePort();
  folder = await buildPageSite(work, { baseUrl: `http://127.0.0.1:${port}` });
  server = await serve({ dir: folder, port });
  writeFileSync(path.join(work, 'package.json'), '{"type":"module"}');
  copyFileSync(path.join(folder, 'types.d.ts'), path.join(work, 'types.d.ts'));
  mkdirSync(path.join(work, 'node_modules/@types'), { recursive: true });
  symlinkSync(
    path.join(PACKAGE_ROOT, 'node_modules/@types/node'),
    path.join(work, 'node_modules/@types/node'),
  );
});
afterAll(() => server?.close());

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Compiles TypeScript with each set of module options. Returns the compiler's
 * output.
 */
function compileBlock(code: string): Output {
  writeFileSync(path.join(work, 'block.ts'), code);
  let stdout = '';
  for (const options of moduleOptions) {
    // Node's types include `fetch`.
    const types = { lib: ['es2023'], types: ['node'] };
    stdout += compile(work, { ...types, noEmit: true, ...options });
  }
  return { stdout, stderr: '' };
}

/** Runs code in the work folder. TypeScript is only compiled. */
async function run(language: string, code: string): Promise<Output> {
  if (language === 'ts') return compileBlock(code);
  let program = process.execPath;
  let args = ['block.mjs'];
  if (language === 'sh') {
    program = 'sh';
    args = ['-c', code];
  } else if (language === 'python') {
    const needsPandas = code.includes('pandas') && pandasPython !== undefined;
    program = needsPandas ? pandasPython : 'python3';
    args = ['-c', code];
  } else {
    const script = language === 'sql' ? createDuckDbScript(code) : code;
    writeFileSync(path.join(work, 'block.mjs'), script);
  }
  const env = { ...process.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
  return promisify(execFile)(program, args, { cwd: work, env, maxBuffer: 2 ** 24 });
}

/** Runs code that requests the example URL. */
function runOnServer(language: string, code: string): Promise<Output> {
  const serverUrl = server?.url ?? '';
  return run(language, code.replaceAll(EXAMPLE_URL, serverUrl));
}

const recipes = readFileSync(path.join(PACKAGE_ROOT, 'docs/RECIPES.md'), 'utf8');

interface Block {
  readonly title: string;
  readonly language: string;
  readonly code: string;
}

/** Lists the tested code blocks. Their titles name the section and the language. */
function listBlocks(): Block[] {
  const blocks: Block[] = [];
  const titles = new Set<string>();
  for (const section of recipes.split(/^## /m)) {
    const [heading = ''] = section.split('\n');
    const matches = section.matchAll(/^```(sh|js|python|sql|ts)\n(.*?)^```$/gms);
    for (const [, language = '', code = ''] of matches) {
      let title = `${heading}, in ${language}`;
      if (titles.has(title)) title += ', again';
      titles.add(title);
      blocks.push({ title, language, code });
    }
  }
  return blocks;
}

const blocks = listBlocks();

/** Returns the code of the first block in a section with the given language. */
function findCode(heading: string, language: string): string {
  const sections = recipes.split(/^## /m);
  const section = sections.find((text) => text.startsWith(heading)) ?? '';
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms');
  const [, code = ''] = block.exec(section) ?? [];
  return code;
}

/** The expected output of each block. */
const expected: Readonly<Record<string, string | RegExp>> = {
  'Every record of a kind, in js': '746 Pound\n',
  'One record and its icon, in sh': /^http:\S+\/sprites\/items\/master-ball\.png\n$/,
  'Everything in one request, in sh': /^ *746\n$/,
  'Everything in one request, in python': '954 master-ball\n',
  'Search, in sh': /^(?:\{.*\}\n){17}$/,
  'SQLite, in sh': '954|309\n',
  'pandas, in python': '954 309 Int64\n',
  'DuckDB, in sql': '954 309 BIGINT\n',
  'jq, in sh': /^622\tBreakneck Blitz\n(?:\d+\t.+\n){106}$/,
  'Names in another language, in js': 'Écras’Face\n',
  'Has anything changed?, in js': 'true\nfalse\n',
  'Has anything changed?, in sh': '200\n304\n',
};

it('RECIPES.md contains only tested code', () => {
  expect(blocks.map(({ title }) => title)).toEqual(Object.keys(expected));
});

function findMissing({ code, language }: Block): string | undefined {
  if (language === 'sql') return missingEngine(DUCKDB);
  if (code.includes('pandas') && pandasPython === undefined) {
    return 'pandas is not installed';
  }
  if (language !== 'sh') return undefined;
  for (const program of ['sqlite3', 'jq']) {
    const isMissing = code.includes(`${program} `) && !works(program, '--version');
    if (isMissing) return `${program} is not installed`;
  }
  return undefined;
}

it.for(blocks)(
  'a recipe prints the same output when run twice: $title',
  async (block, { skip }) => {
    const { title, language, code } = block;
    const missing = demandsAll ? undefined : findMissing(block);
    skip(missing !== undefined, missing);
    // The recipe reads a downloaded file.
    if (language === 'sql') {
      copyFileSync(
        path.join(folder, 'download/item.ndjson'),
        path.join(work, 'item.ndjson'),
      );
    }
    const text = expected[title];
    const stdout = text instanceof RegExp ? expect.stringMatching(text) : text;
    const firstOutput = await runOnServer(language, code);
    expect(firstOutput).toEqual({ stdout, stderr: '' });
    const secondOutput = await runOnServer(language, code);
    expect(secondOutput).toEqual({ stdout, stderr: '' });
    if (title.endsWith('changed?, in sh')) {
      expect(existsSync(path.join(work, 'second.json'))).toBe(false);
    }
  },
);

/** Commits the tables of an upstream into a new Git repository. */
async function createTablesRepository(home: string): Promise<void> {
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-C', home, ...args]);
  writeTables(path.join(home, 'data/v2/csv'), tablesOf(handMadeUpstream()));
  await git('init', '--quiet');
  await git('config', 'uploadpack.allowFilter', 'true');
  await git('add', '.');
  const author = ['-c', 'user.name=o', '-c', 'user.email=o@example.test'];
  await git(...author, 'commit', '--quiet', '--message', 'Add tables');
}

it('a recipe corrects a value in a clone of the tables and builds from it', async () => {
  const home = temporaryFolder();
  await createTablesRepository(home);
  const clone = path.join(temporaryFolder(), 'gamedata');
  mkdirSync(path.join(clone, 'node_modules/.bin'), { recursive: true });
  symlinkSync(
    path.join(PACKAGE_ROOT, 'scripts/gamedata.mjs'),
    path.join(clone, 'node_modules/.bin/gamedata'),
  );
  // Git clones the new repository instead of the upstream's.
  const env = {
    ...process.env,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.file://${home}.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://github.com/PokeAPI/pokeapi',
  };
  const code = findCode('Correct wrong data', 'bash');
  // The guard expects about the same records and names as in the bundled data.
  const command = code.replace(
    'gamedata build',
    '$& --max-shrink 100 --allow-missing names/en names/fr',
  );
  await promisify(execFile)('bash', ['-ec', command], { cwd: clone, env });
  const record = readFileSync(
    path.join(clone, 'build/api/gamedata/move/pound/index.json'),
    'utf8',
  );
  expect(JSON.parse(record)).toMatchObject({ id: 1, name: 'Slap' });
});

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
};

/** Reads the code blocks, or the requests, in a section of the docs. */
function readCode(id: string, start = '<pre[^>]*>'): string[] {
  const page = readFileSync(path.join(folder, 'docs/index.html'), 'utf8');
  const position = page.indexOf(`id="${id}"`);
  const [section = ''] = page.slice(position).split('</section>');
  const blocks: string[] = [];
  const code = new RegExp(`${start}<code[^>]*>(.*?)</code>`, 'gs');
  const matches = section.matchAll(code);
  for (const [, html = ''] of matches) {
    const escaped = html.replaceAll('<wbr>', '');
    blocks.push(escaped.replaceAll(/&(#?\w+);/g, (_, name) => entities[name] ?? ''));
  }
  return blocks;
}

it.each([
  { language: 'js', block: 0, print: 'console.log(JSON.stringify(move));' },
  { language: 'python', block: 1, print: 'print(json.dumps(move))' },
])(
  'the first example in the docs reads a record in $language',
  async ({ language, block, print }) => {
    const code = readCode('first')[block];
    const { stdout } = await run(language, `${code}\n${print}`);
    expect(JSON.parse(stdout)).toMatchObject({ slug: 'pound', generation: 1 });
  },
);

it('compiles the first TypeScript example in the docs', async () => {
  const [, , code = ''] = readCode('first');
  expect(code).toContain("import type { Move } from './types.d.ts';");
  const use = 'export const name: string = move.name;';
  const { stdout } = await run('ts', `${code}\n${use}`);
  expect(stdout).toBe('');
});

const endpoints = ['getRoot', 'names'];
for (const kind of kindNames) {
  const name = capitalize(kind);
  endpoints.push(`get${name}Page`, `get${name}`);
}

it.each(endpoints)('the curl command in the docs requests %s', async (endpoint) => {
  const [command = ''] = readCode(endpoint, '<p class="request-line">');
  const { stdout } = await run('sh', `${command} --silent --show-error --fail`);
  expect(JSON.parse(stdout)).toBeTypeOf('object');
});
