/** The operator's folder for tests of second steps: a site of variants, each built over the one before, in a world of others. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Commands, startCommands } from './installed.ts';
import { look } from './site-law.ts';
import { BASE } from './steps.ts';
import { createWorld, must, QUICK, type Variant, type World } from './steps-world.ts';
import { sharedFolder, temporaryFolder } from './temporary.ts';

/** Makes the world once for all tests of a file. */
export function useWorld() {
  const folder = sharedFolder();
  let world: World;
  let commands: Commands;
  beforeAll(async () => {
    world = await createWorld(folder);
    commands = startCommands(world.cli);
  });
  afterAll(async () => {
    commands.close();
    await world.close();
  });

  const other = (name: string) => world.others.find((site) => site.name === name) ?? { folder: '', url: '' };
  const data = (name: string) => path.join(folder, 'data', name);
  const build = (...source: string[]) => ['build', ...source, ...QUICK, '--base-url', BASE, '--out', 'site'];
  const buildOf = (name: string) => build('--source', 'snapshot', '--upstream', data(name));

  /** A site of variants that were built one after the other. */
  async function siteOf(...variants: Variant[]) {
    const cwd = temporaryFolder();
    const out = path.join(cwd, 'site');
    const run = (args: readonly string[], options: { umask?: number; env?: Record<string, string> } = {}) =>
      commands.run(args, { cwd, ...options });
    const succeed = (args: readonly string[], umask = 0o022) => must(commands, args, { cwd, umask });
    for (const variant of variants) await succeed(buildOf(variant));
    return {
      cwd,
      out,
      run,
      succeed,
      redirects: () =>
        JSON.parse(readFileSync(path.join(out, 'moved.json'), 'utf8')) as Record<string, string>,
      async expectWhole(): Promise<void> {
        expect([...look(out).wrong]).toEqual([]);
        expect(await run(['verify', 'site'])).toMatchObject({ code: 0 });
      },
    };
  }

  return { build, buildOf, other, siteOf };
}
