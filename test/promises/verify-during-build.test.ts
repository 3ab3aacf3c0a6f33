import * as fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { verify } from '../../src/cli/commands/verify.ts';
import { publishFiles } from '../support/publishing.ts';
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
