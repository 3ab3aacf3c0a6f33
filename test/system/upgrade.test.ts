import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { callCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

/** The site and cache after two builds by version 146d34f, which renamed move 2. Files that depend on no record are missing. */
const ARCHIVE = fileURLToPath(new URL('version-146d34f.tar.gz', import.meta.url));

it("keeps the records, redirects, history and dates of an older version's site", async () => {
  const answers = tinyUpstream(8);
  Object.assign(answers.move[1] ?? {}, { name: 'renamed' });
  const { url } = await serveUpstream(upstreamOf(answers));
  const cwd = temporaryFolder();
  execFileSync('tar', ['xzf', ARCHIVE, '-C', cwd]);
  const read = (file: string) => readFileSync(path.join(cwd, 'build', file), 'utf8');
  const build = async () => {
    const options = [
      '--base-url',
      'https://gamedata.test',
      '--host',
      'nginx',
      '--verify',
      '--json',
    ];
    const args = ['build', '--source', 'rest', '--upstream', url, ...options];
    const { code, stdout, stderr } = await callCli(args, { cwd });
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  const kept = [
    'changes.json',
    'former.json',
    'moved.json',
    'names/fr.json',
    'api/gamedata/move/index.json',
  ];
  const before = kept.map(read);
  expect(await build()).toMatchObject({ changed: true, steps: [], counts: { move: 8, item: 2 } });
  expect(kept.map(read)).toEqual(before);
  expect(JSON.parse(read('moved.json'))).toEqual({
    '/api/gamedata/move/move-2/': '/api/gamedata/move/renamed/',
  });
  expect(JSON.parse(read('meta.json')).captured).toBe('2026-11-26');
  expect(await build()).toMatchObject({ changed: false });
  expect(readdirSync(cwd).sort()).toEqual(['.cache', 'build']);
});
