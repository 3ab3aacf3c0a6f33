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
import { buildPageSite, removePageSite } from '../support/page-site.ts';
import { tablesOf, writeTables } from '../support/tables.ts';
import { sharedFolder, temporaryFolder } from '../support/temporary.ts';
import { compile } from '../support/typescript.ts';
import { handMadeUpstream } from '../support/upstream-data.ts';

const demandsAll = process.env.ENGINES === 'all';
const works = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args).status === 0;
/** Debian installs pandas for its own Python only. */
const pandas = ['python3', '/usr/bin/python3'].find((python) =>
  works(python, '-c', 'import pandas'),
);
const DUCKDB = '@duckdb/node-api/lib/index.js';

/** Prints the rows of the last statement. */
const withDuckDb = (code: string): string => `
const { DuckDBInstance } = await import(${JSON.stringify(engineFile(DUCKDB))});
const connection = await (await DuckDBInstance.create('items.duckdb')).connect();
const reader = await connection.runAndReadAll(${JSON.stringify(code)});
for (const row of reader.getRows()) console.log(row.join(' '));
`;

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
  // The links of the site resolve to the server.
  const port = await freePort();
  folder = await buildPageSite({ baseUrl: `http://127.0.0.1:${port}` });
  server = await serve({ dir: folder, port });
  writeFileSync(path.join(work, 'package.json'), '{"type":"module"}');
  copyFileSync(path.join(folder, 'types.d.ts'), path.join(work, 'types.d.ts'));
  mkdirSync(path.join(work, 'node_modules/@types'), { recursive: true });
  symlinkSync(
    path.join(PACKAGE_ROOT, 'node_modules/@types/node'),
    path.join(work, 'node_modules/@types/node'),
  );
});
afterAll(async () => {
  await server?.close();
  if (folder) removePageSite(folder);
});

/** Returns the output of the code, or of the compiler for TypeScript. */
async function run(
  language: string,
  code: string,
): Promise<{ stdout: string; stderr: string }> {
  if (language === 'ts') {
    writeFileSync(path.join(work, 'block.ts'), code);
    const outputs = moduleOptions.map((options) =>
      // The types of Node include `fetch`.
      compile(work, { lib: ['es2023'], types: ['node'], noEmit: true, ...options }),
    );
    return { stdout: outputs.join(''), stderr: '' };
  }
  writeFileSync(
    path.join(work, 'block.mjs'),
    language === 'sql' ? withDuckDb(code) : code,
  );
  const python = (code.includes('pandas') && pandas) || 'python3';
  const programs: Record<string, [string, string[]]> = {
    sh: ['sh', ['-c', code]],
    python: [python, ['-c', code]],
  };
  const [program, args] = programs[language] ?? [process.execPath, ['block.mjs']];
  const env = { ...process.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
  return promisify(execFile)(program, args, { cwd: work, env, maxBuffer: 2 ** 24 });
}

const recipes = readFileSync(path.join(PACKAGE_ROOT, 'docs/RECIPES.md'), 'utf8');

const blocks = recipes.split(/^## /m).flatMap((section) => {
  const [heading = ''] = section.split('\n');
  const found = [...section.matchAll(/^```(sh|js|python|sql|ts)\n(.*?)^```$/gms)];
  return found.map(([, language = '', code = ''], at) => {
    const isRepeated = found.slice(0, at).some(([, other]) => other === language);
    return {
      title: `${heading}, in ${language}${isRepeated ? ', again' : ''}`,
      language,
      code,
    };
  });
});

/** Block → its output. */
const expected: Readonly<Record<string, string | RegExp>> = {
  'Every record of a kind, in js': '746 Pound\n',
  'One record and its icon, in sh': /^http:\S+\/sprites\/items\/master-ball\.png\n$/,
  'Everything in one request, in sh': /^ *746\n$/,
  'Everything in one request, in python': '954 master-ball\n',
  'Search, in sh': /^(?:\{.*\}\n){33}$/,
  'Search, in js': '32\n',
  'SQLite, in sh': '954|309\n',
  'SQLite, in sh, again': '954|309|integer\n',
  'pandas, in python': '954 309 Int64\n',
  'DuckDB, in sql': '954 309 BIGINT\n',
  'jq, in sh': /^622\tBreakneck Blitz\n(?:\d+\t.+\n){106}$/,
  'Names in another language, in js': 'Écras’Face\n',
  'Names in another language, in sh': 'Pound|Écras’Face\n',
  'Has anything changed?, in js': /^sha256:[0-9a-f]{64} \d{4}-\d\d-\d\d\n$/,
  'Has anything changed?, in js, again': '746 954\n',
  'Has anything changed?, in sh': '200\n304\n',
  'With types, in ts': '',
};

it('RECIPES.md contains only tested code', () => {
  expect(blocks.map(({ title }) => title)).toEqual(Object.keys(expected));
});

function findMissing(code: string, language: string): string | undefined {
  for (const program of ['sqlite3', 'jq']) {
    if (
      language === 'sh' &&
      code.includes(`${program} `) &&
      !works(program, '--version')
    )
      return `${program} is not installed`;
  }
  if (code.includes('pandas') && pandas === undefined) {
    return 'pandas is not installed';
  }
  return language === 'sql' ? missingEngine(DUCKDB) : undefined;
}

it.for(blocks)(
  'a recipe prints the same output when run twice: $title',
  async ({ title, language, code }, { skip }) => {
    const missing = demandsAll ? undefined : findMissing(code, language);
    skip(missing !== undefined, missing);
    // The recipe reads a downloaded file.
    if (language === 'sql') {
      copyFileSync(
        path.join(folder, 'download/item.ndjson'),
        path.join(work, 'item.ndjson'),
      );
    }
    const text = code.replaceAll('https://gamedata.example', server?.url ?? '');
    const wanted = expected[title];
    for (const { stdout, stderr } of [
      await run(language, text),
      await run(language, text),
    ]) {
      expect(stdout).toEqual(
        wanted instanceof RegExp ? expect.stringMatching(wanted) : wanted,
      );
      expect(stderr).toBe('');
    }
    if (title.endsWith('changed?, in sh')) {
      expect(existsSync(path.join(work, 'second.json'))).toBe(false);
    }
  },
);

it.each([
  ['zh-Hans', '拍击'],
  ['zh-CN', '拍击'],
  ['de-AT', 'Pfund'],
  ['xx', 'Pound'],
])('a recipe reads the names of %s', async (tag, name) => {
  const [, code = ''] =
    /^## Names in another.*?^```js\n(.*?)^```$/ms.exec(recipes) ?? [];
  const own = code
    .replace('fr-CA', tag)
    .replaceAll('https://gamedata.example', server?.url ?? '');
  expect((await run('js', own)).stdout).toBe(`${name}\n`);
});

it('a recipe corrects a value in a clone of the tables and builds from it', async () => {
  const [, code = ''] =
    /^## Correct wrong data.*?^```bash\n(.*?)^```$/ms.exec(recipes) ?? [];
  const home = temporaryFolder();
  const git = (...args: string[]) =>
    promisify(execFile)('git', ['-C', home, ...args]);
  writeTables(path.join(home, 'data/v2/csv'), tablesOf(handMadeUpstream()));
  await git('init', '--quiet');
  await git('config', 'uploadpack.allowFilter', 'true');
  await git('add', '.');
  const author = ['-c', 'user.name=o', '-c', 'user.email=o@example.test'];
  await git(...author, 'commit', '--quiet', '--message', 'Add tables');

  const clone = path.join(temporaryFolder(), 'gamedata');
  mkdirSync(path.join(clone, 'node_modules/.bin'), { recursive: true });
  symlinkSync(
    path.join(PACKAGE_ROOT, 'scripts/gamedata.mjs'),
    path.join(clone, 'node_modules/.bin/gamedata'),
  );
  const env = {
    ...process.env,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.file://${home}.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://github.com/PokeAPI/pokeapi',
  };
  // The guard expects as many records as in the bundled data.
  const command = code.replace('gamedata build', '$& --max-shrink 100');
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

/** Reads the code blocks in a section of the docs. */
function readCode(id: string): string[] {
  const page = readFileSync(path.join(folder, 'docs/index.html'), 'utf8');
  const [section = ''] = page.slice(page.indexOf(`id="${id}"`)).split('</section>');
  return Array.from(
    section.matchAll(/<pre[^>]*><code[^>]*>(.*?)<\/code><\/pre>/gs),
    ([, code = '']) =>
      code
        .replaceAll('<wbr>', '')
        .replaceAll(/&(#?\w+);/g, (_, name) => entities[name] ?? ''),
  );
}

it('the docs read a first record in JavaScript, Python and TypeScript', async () => {
  const [js, python, ts] = readCode('first');
  const outputs = [
    await run('js', `${js}\nconsole.log(JSON.stringify(move));`),
    await run('python', `${python}\nprint(json.dumps(move))`),
  ];
  for (const { stdout } of outputs) {
    expect(JSON.parse(stdout)).toMatchObject({ slug: 'pound', generation: 1 });
  }
  expect(ts).toContain("import type { Move } from './types.d.ts';");
  expect(recipes).toContain("import type { Item } from './types.d.ts';");
  expect(
    (await run('ts', `${ts}\nexport const name: string = move.name;`)).stdout,
  ).toBe('');
});

const kinds = kindNames
  .map(capitalize)
  .flatMap((kind) => [`get${kind}Page`, `get${kind}`]);
it.each(['getRoot', ...kinds, 'getNamesIndex', 'getNames'])(
  'the docs request %s',
  async (endpoint) => {
    const [command = ''] = readCode(endpoint);
    const { stdout } = await run('sh', `${command} --silent --show-error --fail`);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  },
);
