/** The recipes: each block of code is run as it stands, against a site that is served, and says what it should. */

import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SiteServer, serve } from '../../src/commands/serve.ts';
import { PACKAGE_ROOT } from '../../src/version.ts';
import { freePort } from '../support/engines/process.ts';
import { buildPageSite, removePageSite } from '../support/page-site.ts';
import { temporaryFolder } from '../support/temporary.ts';

const run = promisify(execFile);
const recipes = readFileSync(path.join(PACKAGE_ROOT, 'RECIPES.md'), 'utf8');

/** The blocks that are run, in their order, under the headings that they have. */
const blocks = recipes.split(/^## /m).flatMap((section) =>
  [...section.matchAll(/^```(sh|js|python|ts)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    title: `${section.split('\n')[0]}, in ${language}`,
    language,
    code,
  })),
);

/** What each block has to print. A block that is not listed here is not a tested one. */
const expected: Readonly<Record<string, string | RegExp>> = {
  'Every record of a kind, in sh': /^ *8\n$/,
  'Every record of a kind, in js': '746 Pound\n',
  'Every record of a kind, in python': '954 Master Ball\n',
  'One record, and its icon, in sh': /^http:\S+\/sprites\/items\/master-ball\.png\n$/,
  'Everything in one request, in sh': /^ *746\n$/,
  'Everything in one request, in python': '954 master-ball\n',
  'Only the names, in js': '746 Pound\n',
  'Has anything changed?, in js': /^sha256:[0-9a-f]{64} \d{4}-\d\d-\d\d\n$/,
  'Has anything changed?, in sh': '200\n304\n',
  'With types, in ts': '',
};

const NO_PROXY = { NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };

describe('the recipe', () => {
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

  it.for(blocks)('is true: $title', async ({ title, language, code }, { skip }) => {
    const work = temporaryFolder();
    // Not every site has every file: bulk files may be omitted.
    for (const [, file = ''] of code.matchAll(/gamedata\.example\/(download\/[\w.]+)/g))
      skip(!existsSync(path.join(folder, file)), `the site has no ${file}`);
    if (language === 'ts') skip(!existsSync(path.join(folder, 'types.d.ts')), 'the site has no types.d.ts');
    const text = code.replaceAll('https://gamedata.example', server?.url ?? '');
    const { stdout, stderr } = await runBlock(language, text, work);
    const wanted = expected[title];
    if (wanted instanceof RegExp) expect(stdout).toMatch(wanted);
    else expect(stdout).toBe(wanted);
    expect(stderr).toBe('');
    if (title.endsWith('changed?, in sh')) expect(existsSync(path.join(work, 'second.json'))).toBe(false);
  });

  /** Runs a block in a folder of its own. */
  async function runBlock(language: string, code: string, work: string) {
    const options = { cwd: work, env: { ...process.env, ...NO_PROXY } };
    if (language === 'sh') return run('sh', ['-c', code], options);
    if (language === 'python') return run('python3', ['-c', code], options);
    if (language === 'js') {
      writeFileSync(path.join(work, 'recipe.mjs'), code);
      return run(process.execPath, ['recipe.mjs'], options);
    }
    writeFileSync(path.join(work, 'recipe.ts'), code);
    writeFileSync(path.join(work, 'types.d.ts'), readFileSync(path.join(folder, 'types.d.ts')));
    writeFileSync(path.join(work, 'package.json'), '{"type":"module"}');
    const tsc = createRequire(import.meta.url).resolve('typescript/package.json');
    const args = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--lib',
      'es2023,dom',
      '--types',
      '',
      'recipe.ts',
    ];
    return run(process.execPath, [path.join(path.dirname(tsc), 'bin', 'tsc'), ...args], options);
  }
});
