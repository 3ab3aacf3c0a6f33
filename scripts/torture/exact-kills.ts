/** Kills at exact moments: before each call that the swap is made of, and before some of those of the stage. */

import { rmSync } from 'node:fs';
import path from 'node:path';
import type { Random } from '../../test/support/random.ts';
import { demand, leftovers, run, siteDigest, temporary, writeDataSet } from './ground.ts';

const DIE_AT = new URL('./die-at.mjs', import.meta.url).href;

/** The first write fills the lock; the first rename moves the old site aside, the second puts the new one in its place. */
const moments = [
  ...[
    'writeSync:1',
    'renameSync:1',
    'renameSync:2',
    'rmSync:1',
    'rmSync:2',
    'rmSync:3',
    'rmSync:4',
    'rmSync:5',
  ],
  ...[
    'mkdirSync:2',
    'mkdirSync:9',
    'writeFileSync:1',
    'writeFileSync:2',
    'writeFileSync:30',
    'linkSync:1',
    'linkSync:40',
  ],
];

/** @returns how many kills there were, as many as told at most. Throws with the first one that was not survived. */
export async function killExactly(count: number, random: Random): Promise<number> {
  const folder = temporary();
  try {
    const data = [1, 2].map((variant) => writeDataSet(path.join(folder, `data-${variant}`), 60, variant));
    const out = path.join(folder, 'site');
    const args = (variant: number) => [
      'build',
      '--source',
      'snapshot',
      '--upstream',
      data[variant] ?? '',
      '--quiet',
      '--out',
      out,
    ];
    const digests: (string | undefined)[] = [];
    for (const variant of [1, 0]) {
      demand((await run(args(variant))).code === 0, 'the first builds fail');
      digests[variant] = siteDigest(out);
    }
    let kills = 0;
    for (const moment of random.sample(moments, count)) {
      const next = siteDigest(out) === digests[0] ? 1 : 0;
      const env = { NODE_OPTIONS: `--import=${DIE_AT}`, DIE_AT: moment };
      const { code } = await run(args(next), { env });
      demand(code === null, `${moment}: was not killed`);
      kills++;
      const { code: verified, stderr } = await run(['verify', out, '--quiet']);
      demand(verified === 0, `${moment}: verify ended with ${verified}: ${stderr}`);
      demand(digests.includes(siteDigest(out)), `${moment}: neither the old site nor the new one`);
      demand((await run(args(next))).code === 0, `${moment}: the next build fails`);
      demand(siteDigest(out) === digests[next], `${moment}: the next build made another site`);
      demand(leftovers(out).length === 0, `${moment}: left ${leftovers(out).join(', ')}`);
    }
    return kills;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
