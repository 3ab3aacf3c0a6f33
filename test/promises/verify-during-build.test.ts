import * as fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { verify } from '../../src/cli/commands/verify.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { failing, publishedSite } from '../support/publishing.ts';
import { rawRecords, siteOf } from '../support/sites.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

const publishSite = (out: string, moves: number) =>
  withOutput(out, ({ publish }) => publish(siteOf(rawRecords(moves, 1)).files()));

/**
 * Creates two folders with the same site, which are twins. A test then builds
 * another site in the second one.
 */
async function createTwins() {
  const sites = [await publishedSite({}), await publishedSite({})];
  for (const { out } of sites) await publishSite(out, 2);
  const [target = '', twin = ''] = sites.map(({ out }) => out);
  return { target, twin };
}

/**
 * Verifies a folder. When its first record is read, the folder is replaced with its
 * changed twin.
 */
function verifyDuringChange({ target, twin }: { target: string; twin: string }) {
  const record = path.join(target, 'api/gamedata/move/move-1/index.json');
  vi.mocked(fs.openSync).mockImplementation((file, flags, mode) => {
    if (file === record) {
      vi.mocked(fs.openSync).mockReset();
      fs.cpSync(path.dirname(twin), path.dirname(target), { recursive: true });
    }
    return real.openSync(file, flags, mode);
  });
  return verify({ target });
}

it('reports that a build has changed the folder during verification', async () => {
  const twins = await createTwins();
  await publishSite(twins.twin, 3);
  await expect(verifyDuringChange(twins)).rejects.toMatchObject({
    message: `${twins.target}: was changed by a build while it was verified`,
    hint: 'Verify it again when no build is running.',
  });
  expect(await verify({ target: twins.target })).toMatchObject({ problems: [] });
});

it('reports that a build is still changing the folder during verification', async () => {
  const twins = await createTwins();
  vi.mocked(fs.renameSync).mockImplementation((from, to) => {
    if (String(to).endsWith('site/meta.json')) failing('EIO')();
    real.renameSync(from, to);
  });
  await expect(publishSite(twins.twin, 3)).rejects.toThrow('cannot be completed');
  vi.resetAllMocks();
  await expect(verifyDuringChange(twins)).rejects.toThrow(
    `${twins.target}: is being changed, or an interrupted build left it incomplete`,
  );
});

it('reports a missing file as damage if no build is running', async () => {
  const { target } = await createTwins();
  const file = 'api/gamedata/move/move-1/index.json';
  fs.rmSync(path.join(target, file));
  expect(await verify({ target })).toMatchObject({
    problems: [{ file, problem: 'is missing' }],
  });
});
