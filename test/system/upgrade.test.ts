/** The first build of this version in the folder of an operator whose site another version has built. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Comparison } from '../../src/contract/changes.ts';
import { otherKinds } from '../support/kinds.ts';
import { callCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

/**
 * The working folder after two builds by version 0.1.0, between which move 2 was renamed: the site, and the cache. Of the site's
 * files those that depend on no record are missing, scripts, styles and specification, to keep the archive small.
 */
const VERSION_0_1_0 = fileURLToPath(new URL('version-0.1.0.tar.gz', import.meta.url));

it('takes over records, redirects and history of the site, and leaves nothing behind', async () => {
  const answers = tinyUpstream(8);
  Object.assign(answers.move[1] ?? {}, { name: 'renamed' });
  const { url } = await serveUpstream(upstreamOf(answers));
  const cwd = temporaryFolder();
  execFileSync('tar', ['xzf', VERSION_0_1_0, '-C', cwd]);
  const json = (file: string) => JSON.parse(readFileSync(path.join(cwd, 'build', file), 'utf8'));
  const build = async () => {
    const options = ['--base-url', 'https://gamedata.test', '--host', 'nginx', '--verify', '--json'];
    const args = ['build', '--source', 'rest', '--upstream', url, ...options];
    const { code, stdout, stderr } = await callCli(args, { cwd });
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };

  const kinds = ['move', 'item'] as const;
  const fieldsNow = () =>
    kinds.flatMap((kind) => Object.keys(json(`api/gamedata/${kind}/${kind}-1/index.json`)));
  const fields = fieldsNow();
  const { steps, ...report } = await build();
  expect(report).toMatchObject({ changed: true, counts: { move: 8, item: 2 } });
  // A kind that it did not have yet, and values of fields that it did not have, are all that may be new.
  for (const { changes } of steps as Comparison[])
    for (const { changed, ...others } of kinds.map((kind) => changes[kind])) {
      expect(others).toEqual({ added: [], removed: [], renamed: [] });
      for (const { field } of changed.flatMap((record) => record.fields)) expect(fields).not.toContain(field);
    }
  expect(json('changes.json').steps).toHaveLength(1 + steps.length);
  expect(json('moved.json')).toEqual({ '/api/gamedata/move/move-2/': '/api/gamedata/move/renamed/' });
  if (otherKinds.length === 0 && fieldsNow().length === fields.length) {
    expect(steps).toEqual([]);
    expect(json('meta.json').captured).toBe('2026-11-22');
  }
  expect(await build()).toMatchObject({ changed: false });
  expect(readdirSync(cwd).sort()).toEqual(['.cache', 'build']);
});
