/** Kills at exact moments: before each call that the swap is made of, and before some of those of the stage. */

import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../../test/support/random.ts';
import { demand, leftovers, run, siteDigest, temporary, writeDataSet } from './ground.ts';

const DIE_AT = new URL('./die-at.mjs', import.meta.url).href;

/**
 * Where little changes, the first rename makes the commit record, the next ones put the staged files into place. Where all
 * does, the first moves the old site aside, the second puts the new one in its place. The first write fills the lock.
 */
const moments = {
  data: [
    ...['writeSync:1', 'mkdirSync:2', 'writeFileSync:1', 'writeFileSync:30', 'fsyncSync:1', 'fsyncSync:30'],
    ...['renameSync:1', 'renameSync:2', 'renameSync:30', 'renameSync:60', 'unlinkSync:1', 'rmSync:1'],
  ],
  base: [
    ...['writeSync:1', 'mkdirSync:2', 'mkdirSync:9', 'writeFileSync:2', 'writeFileSync:30', 'linkSync:1'],
    ...['linkSync:9', 'renameSync:1', 'renameSync:2', 'renameSync:3', 'rmSync:1', 'rmSync:2'],
  ],
};

const all = (['data', 'base'] as const).flatMap((differs) =>
  moments[differs].map((moment) => ({ differs, moment })),
);

/** @returns how many kills there were, as many as told at most. Throws with the first one that was not survived. */
export async function killExactly(count: number, random: Random): Promise<number> {
  const folder = temporary();
  try {
    const data = [1, 2].map((variant) => writeDataSet(path.join(folder, `data-${variant}`), 60, variant));
    const out = path.join(folder, 'site');
    /** Four sites, of two data sets and for two base URLs. */
    const args = (site: number) => [
      ...['build', '--source', 'snapshot', '--upstream', data[site % 2] ?? ''],
      ...['--base-url', `https://site-${site < 2 ? 1 : 2}.test`, '--quiet', '--out', out],
    ];
    const digests: (string | undefined)[] = [];
    for (const site of [3, 2, 1, 0]) {
      demand((await run(args(site))).code === 0, 'the first builds fail');
      digests[site] = siteDigest(out);
    }
    let kills = 0;
    for (const { differs, moment } of random.sample(all, count)) {
      const present = digests.indexOf(siteDigest(out));
      const next = differs === 'data' ? present ^ 1 : present ^ 2;
      const env = { NODE_OPTIONS: `--import=${DIE_AT}`, DIE_AT: moment };
      const { code } = await run(args(next), { env });
      demand(code === null, `${moment}: was not killed`);
      kills++;
      const { code: verified, stderr } = await run(['verify', out, '--quiet']);
      demand(verified === 0, `${moment}: verify ended with ${verified}: ${stderr}`);
      demand(
        [digests[present], digests[next]].includes(siteDigest(out)),
        `${moment}: neither the old site nor the new one`,
      );
      demand((await run(args(next))).code === 0, `${moment}: the next build fails`);
      demand(siteDigest(out) === digests[next], `${moment}: the next build made another site`);
      demand(leftovers(out).length === 0, `${moment}: left ${leftovers(out).join(', ')}`);
    }
    return kills;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
