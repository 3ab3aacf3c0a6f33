/** The recipes: each block of code is run as it stands, against a site that is served, and says what it should. */

import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SiteServer, serve } from '../../src/cli/commands/serve.ts';
import { PACKAGE_ROOT } from '../../src/version.ts';
import { engineFile, missingEngine } from '../support/engines/npm-engines.ts';
import { freePort } from '../support/engines/process.ts';
import { buildPageSite, removePageSite } from '../support/page-site.ts';
import { sharedFolder } from '../support/temporary.ts';
import { compile, linkNodeTypes, NODE_ONLY } from '../support/typescript.ts';

const run = promisify(execFile);
const recipes = readFileSync(path.join(PACKAGE_ROOT, 'docs/RECIPES.md'), 'utf8');

/** The blocks that are run, in their order, under the headings that they have. */
const blocks = recipes.split(/^## /m).flatMap((section) => {
  const titles = new Set<string>();
  return [...section.matchAll(/^```(sh|js|python|sql|ts)\n(.*?)^```$/gms)].map(
    ([, language = '', code = '']) => {
      const first = `${section.split('\n')[0]}, in ${language}`;
      const title = titles.has(first) ? `${first}, again` : first;
      titles.add(title);
      return { title, language, code };
    },
  );
});

/** What each block has to print. A block that is not listed here is not a tested one. */
const expected: Readonly<Record<string, string | RegExp>> = {
  'Every record of a kind, in sh': /^ *8\n$/,
  'Every record of a kind, in js': '746 Pound\n',
  'Every record of a kind, in python': '954 Master Ball\n',
  'One record, and its icon, in sh': /^http:\S+\/sprites\/items\/master-ball\.png\n$/,
  'Everything in one request, in sh': /^ *746\n$/,
  'Everything in one request, in python': '954 master-ball\n',
  'SQLite, in sh': '954|309\n',
  'SQLite, in sh, again': '954|309|integer\n',
  'pandas, in python': '954 309 Int64\n',
  'DuckDB, in sql': '954 309 BIGINT\n',
  'jq, in sh': /^622\tBreakneck Blitz\n(?:\d+\t.+\n){106}$/,
  'Only the names, in js': '746 Pound\n',
  'Names in another language, in js': 'Écras’Face\n',
  'Names in another language, in sh': 'Pound|Écras’Face\n',
  'Names in another language, in python': 'Pound Écras’Face\n',
  'Has anything changed?, in js': /^sha256:[0-9a-f]{64} \d{4}-\d\d-\d\d\n$/,
  'Has anything changed?, in sh': '200\n304\n',
  'With types, in ts': '',
};

/** Set if everything has to be there, as it is after `scripts/install-engines.sh`. */
const demandsAll = process.env.ENGINES === 'all';
const works = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
/** Debian's packages are not seen by every Python. */
const pandas = ['python3', '/usr/bin/python3'].find((python) => works(python, '-c', 'import pandas'));

/** What has to be installed for a recipe, and is not. */
function missingFor(title: string): string | undefined {
  const names = 'Names in another language';
  if ((title.startsWith('SQLite') || title === `${names}, in sh`) && !works('sqlite3', '--version'))
    return 'sqlite3 is not installed';
  if (title.startsWith('jq') && !works('jq', '--version')) return 'jq is not installed';
  if ((title.startsWith('pandas') || title === `${names}, in python`) && pandas === undefined)
    return 'pandas is not installed';
  return title.startsWith('DuckDB') ? missingEngine(DUCKDB) : undefined;
}
const DUCKDB = '@duckdb/node-api/lib/index.js';

/** Runs statements with DuckDB, and prints the rows of the last one as SQLite does. */
const withDuckDb = (code: string): string => `
const { DuckDBInstance } = await import(${JSON.stringify(engineFile(DUCKDB))});
const connection = await (await DuckDBInstance.create('items.duckdb')).connect();
const reader = await connection.runAndReadAll(${JSON.stringify(code)});
for (const row of reader.getRows()) console.log(row.join(' '));
`;

const NO_PROXY = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };

describe('the recipe', () => {
  /** Where all of them run, one after the other. */
  const work = sharedFolder();
  let folder = '';
  let server: SiteServer | undefined;
  beforeAll(async () => {
    // The links of the site lead to if it is served.
    const port = await freePort();
    folder = await buildPageSite({ baseUrl: `http://127.0.0.1:${port}` });
    server = await serve({ dir: folder, port });
  });
  afterAll(async () => {
    await server?.close();
    if (folder) removePageSite(folder);
  });

  it('is one that is listed here', () => {
    expect(blocks.map(({ title }) => title)).toEqual(Object.keys(expected));
  });

  const rounds = ['is true', 'is true again'].flatMap((round) =>
    blocks.map((block) => ({ round, ...block })),
  );
  it.for(rounds)('$round: $title', async ({ title, language, code }, { skip }) => {
    // Not every site has every file: bulk files may be omitted.
    for (const [, file = ''] of code.matchAll(/gamedata\.example\/(download\/[\w.]+)/g))
      skip(!existsSync(path.join(folder, file)), `the site has no ${file}`);
    const missing = demandsAll ? undefined : missingFor(title);
    skip(missing !== undefined, missing);
    if (language === 'sql') {
      const file = 'download/item.ndjson';
      skip(!existsSync(path.join(folder, file)), `the site has no ${file}`);
      copyFileSync(path.join(folder, file), path.join(work, 'item.ndjson'));
    }
    if (language === 'ts') skip(!existsSync(path.join(folder, 'types.d.ts')), 'the site has no types.d.ts');
    const text = code.replaceAll('https://gamedata.example', server?.url ?? '');
    const { stdout, stderr } = await runBlock(language, text);
    const wanted = expected[title];
    if (wanted instanceof RegExp) expect(stdout).toMatch(wanted);
    else expect(stdout).toBe(wanted);
    expect(stderr).toBe('');
    if (title.endsWith('changed?, in sh')) expect(existsSync(path.join(work, 'second.json'))).toBe(false);
  });

  async function runBlock(language: string, code: string) {
    const options = { cwd: work, env: { ...process.env, ...NO_PROXY } };
    if (language === 'sh') return run('sh', ['-c', code], options);
    if (language === 'python')
      return run((code.includes('pandas') && pandas) || 'python3', ['-c', code], options);
    if (language === 'js' || language === 'sql') {
      writeFileSync(path.join(work, 'recipe.mjs'), language === 'sql' ? withDuckDb(code) : code);
      return run(process.execPath, ['recipe.mjs'], options);
    }
    writeFileSync(path.join(work, 'recipe.ts'), code);
    writeFileSync(path.join(work, 'types.d.ts'), readFileSync(path.join(folder, 'types.d.ts')));
    writeFileSync(path.join(work, 'package.json'), '{"type":"module"}');
    if (!existsSync(path.join(work, 'node_modules'))) linkNodeTypes(work);
    return { stdout: compile(work, { ...NODE_ONLY, noEmit: true }), stderr: '' };
  }
});
