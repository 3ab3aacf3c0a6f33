/** The operator's folder for tests of second steps: a site of variants, each built over the one before, in a world of others. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { fingerprint } from './fingerprint.ts';
import { type Commands, killAtFile, startCommands } from './installed.ts';
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
      /** Expects that a guard refuses a command, changes nothing, and says all of this. */
      async expectRefused(args: readonly string[], ...says: string[]): Promise<void> {
        const before = fingerprint(out);
        const { code, stdout, stderr } = await run([...args, '--json']);
        expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringMatching(/^hint: /m) });
        expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'guard' } });
        for (const words of says) expect(stderr).toContain(words);
        expect(fingerprint(out)).toEqual(before);
      },
    };
  }

  return {
    folder,
    build,
    buildOf,
    other,
    siteOf,
    /** Runs a command in the world's own folder, where it has to succeed. */
    prepare: (...args: string[]) => must(commands, args, { cwd: folder }),
    kill: (cwd: string, args: readonly string[]) =>
      killAtFile(world.cli, args, { cwd, folder: path.join(cwd, 'site'), nth: 4 }),
  };
}
