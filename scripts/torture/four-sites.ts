/** A folder that becomes one of four sites again and again, whatever happens to the builds. */

import { rmSync } from 'node:fs';
import path from 'node:path';
import {
  demand,
  type Exit,
  leftovers,
  run,
  type StartOptions,
  siteDigest,
  temporary,
  writeDataSet,
} from './ground.ts';

/** How the next site differs from the present one: in a few files, or in all of them. */
export type Difference = 'data' | 'base';

export interface FourSites {
  readonly folder: string;
  readonly out: string;
  /** The site that differs so from the present one. */
  next(differs: Difference): NextSite;
}

export interface NextSite {
  build(options?: StartOptions): Promise<Exit>;
  /** Throws unless the folder is the old site or this one, this one if its build said so, and it can be built now. */
  survive(what: string, exit: Exit): Promise<void>;
}

/** Two data sets of so many records, each for two base URLs, built with further options. */
export async function withFourSites<T>(
  records: number,
  more: readonly string[],
  use: (sites: FourSites) => Promise<T>,
): Promise<T> {
  const folder = temporary();
  try {
    const data = [1, 2].map((variant) =>
      writeDataSet(path.join(folder, `data-${variant}`), records, variant),
    );
    const out = path.join(folder, 'site');
    const build = (site: number, options?: StartOptions): Promise<Exit> => {
      const from = ['--source', 'snapshot', '--upstream', data[site % 2] ?? ''];
      const base = ['--base-url', `https://site-${site < 2 ? 1 : 2}.test`];
      return run(['build', ...from, ...base, ...more, '--quiet', '--out', out], options);
    };
    const digests: (string | undefined)[] = [];
    for (const site of [3, 2, 1, 0]) {
      demand((await build(site)).code === 0, 'the first builds fail');
      digests[site] = siteDigest(out);
    }
    const next = (differs: Difference): NextSite => {
      const present = digests.indexOf(siteDigest(out));
      const site = present ^ (differs === 'data' ? 1 : 2);
      const [before, after] = [digests[present], digests[site]];
      return {
        build: (options) => build(site, options),
        async survive(what, { code }) {
          const { code: verified, stderr } = await run(['verify', out, '--quiet']);
          demand(verified === 0, `${what}: verify ended with ${verified}: ${stderr}`);
          const digest = siteDigest(out);
          demand(digest === after || (code !== 0 && digest === before), `${what}: another site`);
          demand((await build(site)).code === 0, `${what}: the next build fails`);
          demand(siteDigest(out) === after, `${what}: the next build makes another site`);
          demand(leftovers(out).length === 0, `${what}: left ${leftovers(out).join(', ')}`);
        },
      };
    };
    return await use({ folder, out, next });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
