import * as fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { verify } from '../../src/cli/commands/verify.ts';
import { failAtMove, publishFiles } from '../support/publishing.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

const publishSite = (out: string, moves: number) =>
  publishFiles(out, siteOf(rawRecords(moves, 1)).files());

async function createSite(): Promise<string> {
  const out = path.join(temporaryFolder(), 'site');
  await publishSite(out, 2);
  return out;
}

/** Publishes another site, which fails when it moves the n-th file into place. */
const interruptAt = (nth: number, out: string): Promise<void> =>
  failAtMove(nth, () => publishSite(out, 3));

it('reports that a build has changed the folder during verification', async () => {
  const target = await createSite();
  const changed = await createSite();
  await publishSite(changed, 3);
  const record = path.join(target, 'api/gamedata/move/move-1/index.json');
  vi.mocked(fs.openSync).mockImplementation((file, flags, mode) => {
    if (file === record) {
      vi.mocked(fs.openSync).mockReset();
      fs.cpSync(changed, target, { recursive: true });
    }
    return real.openSync(file, flags, mode);
  });
  await expect(verify({ target })).rejects.toMatchObject({
    message: `${target}: was replaced while it was verified`,
    hint: 'Verify it again.',
  });
  expect(await verify({ target })).toMatchObject({ problems: [] });
});

it.each([1, 3])(
  'verifies the new site after a build was interrupted at file %i',
  async (nth) => {
    const target = await createSite();
    await interruptAt(nth, target);
    const report = await verify({ target });
    expect(report).toMatchObject({ counts: { move: 3 }, problems: [] });
  },
);

it('reports a missing file as damage if no build is running', async () => {
  const target = await createSite();
  const file = 'api/gamedata/move/move-1/index.json';
  fs.rmSync(path.join(target, file));
  expect(await verify({ target })).toMatchObject({
    problems: [`${path.join(target, file)}: does not exist`],
  });
});
