/** A whole fuzz run: the handler in process, then `gamedata serve` over sockets, with a file beside the site that nobody may read. */

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withOutput } from '../../src/publish/publish.ts';
import { startServe } from './engines/serve.ts';
import { fuzzExtras, fuzzHandler, fuzzRecords, fuzzServer } from './fuzz.ts';
import { siteOf } from './sites.ts';

export interface FuzzRun {
  readonly handled: number;
  readonly served: number;
  readonly seed: number;
}

/** @returns every problem, with the request that shows it */
export async function fuzz({ handled, served, seed }: FuzzRun): Promise<string[]> {
  const problems = await fuzzHandler(handled, seed);
  if (served === 0) return problems;
  const parent = realpathSync(mkdtempSync(path.join(tmpdir(), 'gamedata-fuzz-')));
  try {
    const folder = path.join(parent, 'site');
    writeFileSync(path.join(parent, 'passwd'), 'outside the site');
    const site = siteOf(fuzzRecords(), { extras: fuzzExtras });
    await withOutput(folder, (output) => output.publish(site.files()));
    const server = await startServe(folder);
    try {
      problems.push(...(await fuzzServer(Number(new URL(server.url).port), served, seed)));
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
  return problems;
}
