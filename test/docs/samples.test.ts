/** The code on the docs page: every sample is run as it stands, and reads what is served. */

import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SiteServer, serve } from '../../src/cli/commands/serve.ts';
import { freePort } from '../support/engines/process.ts';
import { buildPageSite, removePageSite } from '../support/page-site.ts';
import { sharedFolder } from '../support/temporary.ts';
import { compile, linkNodeTypes, NODE_ONLY } from '../support/typescript.ts';

const run = promisify(execFile);
const env = { ...process.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };
const LANGUAGES = ['curl', 'JavaScript', 'Python', 'TypeScript'];
const ENDPOINTS = [
  'getRoot',
  'getMovePage',
  'getMove',
  'getItemPage',
  'getItem',
  'getNamesIndex',
  'getNames',
];

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const textOf = (markup: string): string =>
  markup.replaceAll(/<[^>]+>/g, '').replaceAll(/&(#?\w+);/g, (_, name) => entities[name] ?? '');

/** Endpoint → language → code. */
function samplesOf(page: string): Map<string, Record<string, string>> {
  const sections = page.matchAll(/<section class="endpoint" id="(\w+)">(.*?)<\/fieldset>/gs);
  return new Map(
    [...sections].map(([, id = '', section = '']) => {
      const names = [...section.matchAll(/type="radio"[^>]* value="(\w+)"/g)].map(([, name = '']) => name);
      const codes = [...section.matchAll(/<pre><code>(.*?)<\/code><\/pre>/gs)].map(([, code = '']) =>
        textOf(code),
      );
      return [id, Object.fromEntries(names.map((name, at) => [name, codes[at] ?? '']))];
    }),
  );
}

describe('a sample of the docs', () => {
  const work = sharedFolder();
  let folder = '';
  let server: SiteServer | undefined;
  let samples = new Map<string, Record<string, string>>();
  let compiled = '';

  const sampleOf = (endpoint: string, language: string): string => samples.get(endpoint)?.[language] ?? '';
  /** What the sample has read, as its last line. */
  const variableIn = (code: string): string => /(\w+) = [^=]+$/.exec(code)?.[1] ?? 'none';

  beforeAll(async () => {
    const port = await freePort();
    folder = await buildPageSite({ baseUrl: `http://127.0.0.1:${port}` });
    server = await serve({ dir: folder, port });
    samples = samplesOf(readFileSync(path.join(folder, 'docs/index.html'), 'utf8'));
    writeFileSync(path.join(work, 'package.json'), '{"type":"module"}');
    copyFileSync(path.join(folder, 'types.d.ts'), path.join(work, 'types.d.ts'));
    linkNodeTypes(work);
    for (const endpoint of ENDPOINTS) {
      const code = sampleOf(endpoint, 'TypeScript');
      const print = `console.log(JSON.stringify(${variableIn(code)}));`;
      writeFileSync(path.join(work, `${endpoint}.ts`), `${code}\n${print}\n`);
    }
    compiled = compile(work, { ...NODE_ONLY, outDir: 'out' });
  });
  afterAll(async () => {
    await server?.close();
    if (folder) removePageSite(folder);
  });

  it('is there for every endpoint, in every language', () => {
    expect([...samples.keys()].sort()).toEqual([...ENDPOINTS].sort());
    for (const sample of samples.values()) expect(Object.keys(sample)).toEqual(LANGUAGES);
  });

  it('compiles, in a strict project with the types of Node and no others', () => {
    expect(compiled).toBe('');
  });

  /** Runs it, and returns what it has read. */
  async function read(code: string, endpoint: string, language: string): Promise<unknown> {
    const variable = variableIn(code);
    const [program, args] = {
      curl: ['sh', ['-c', `${code} --silent --show-error --fail`]],
      JavaScript: [
        process.execPath,
        ['--input-type=module', '--eval', `${code}\nconsole.log(JSON.stringify(${variable}));`],
      ],
      Python: ['python3', ['-c', `${code}\nprint(json.dumps(${variable}))`]],
      TypeScript: [process.execPath, [`out/${endpoint}.js`]],
    }[language] as [string, string[]];
    return JSON.parse((await run(program, args, { cwd: work, env, maxBuffer: 2 ** 24 })).stdout);
  }

  const all = ENDPOINTS.flatMap((endpoint) => LANGUAGES.map((language) => ({ endpoint, language })));
  it.each(all)('reads what is served: $endpoint in $language', async ({ endpoint, language }) => {
    const code = sampleOf(endpoint, language);
    const [url = ''] = /http:[^'"]+/.exec(code) ?? [];
    const served = await (await fetch(url)).json();
    expect(served).toBeTypeOf('object');
    expect(await read(code, endpoint, language)).toEqual(served);
  });
});
