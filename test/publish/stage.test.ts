import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { withOutput } from '../../src/publish/publish.ts';
import * as support from '../support/publishing.ts';
import { plainManifest } from '../support/publishing.ts';

vi.mock('node:fs', { spy: true });
vi.mock('node:child_process', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => void vi.resetAllMocks());

const { expectRejected, failing, publishedSite, publishTree, readTree } = support;
const [old, fresh] = support.littleChanged;

it('changes nothing if another user has made a folder of the published site', async () => {
  const out = await publishedSite(old);
  vi.mocked(fs.accessSync).mockImplementation((folder) => {
    if (folder === path.join(out, 'gone/x')) failing('EACCES')();
  });
  await expectRejected(out, () => publishTree(out, fresh), {
    message: `${path.join(out, 'gone/x')}: cannot be changed (EACCES)`,
    hint: expect.stringContaining('chown'),
  });
});

/** The functions whose failure a build has to survive. */
const changingCalls = [
  'chmodSync',
  'fsyncSync',
  'mkdirSync',
  'openSync',
  'readdirSync',
  'renameSync',
  'rmdirSync',
  'rmSync',
  'unlinkSync',
  'utimesSync',
  'writeFileSync',
] as const;

/** Makes the n-th of these calls fail with EIO. Returns whether there were so many. */
function failAt(nth: number): () => boolean {
  let calls = 0;
  const spies: Pick<typeof fs, (typeof changingCalls)[number]> = fs;
  for (const name of changingCalls) {
    const original = real[name] as (...args: unknown[]) => unknown;
    const failOrCall = (...args: unknown[]): unknown => {
      calls++;
      if (calls === nth) failing('EIO')();
      return original(...args);
    };
    vi.mocked(spies[name]).mockImplementation(failOrCall as never);
  }
  return () => calls >= nth;
}

/** Without `sync`, a build flushes each file by calls that can fail. */
function replaceSync(): void {
  vi.mocked(spawnSync).mockReturnValue({ status: 1, stderr: 'missing' } as never);
}

it('leaves either the old or the new site, whichever system call fails', async () => {
  const outcomes = new Set<string>();
  for (let nth = 1; ; nth++) {
    const out = await publishedSite(old);
    replaceSync();
    const hasFailed = failAt(nth);
    const result = await publishTree(out, fresh).catch(() => undefined);
    vi.resetAllMocks();
    if (!hasFailed()) break;
    const isNew = fs.existsSync(path.join(out, '.gamedata/next/manifest.json'));
    const expected = result || isNew ? fresh : old;
    expect(support.readVisibleTree(out), `call ${nth}`).toEqual(expected);
    if (expected === old) expect(readTree(out), `call ${nth}`).toEqual(old);
    outcomes.add(
      `${result ? 'published' : 'failed'}, ${isNew ? 'staged' : 'clean'}`,
    );
    await publishTree(out, fresh);
    expect(readTree(out), `call ${nth}`).toEqual(fresh);
  }
  expect([...outcomes].sort()).toEqual([
    'failed, clean',
    'failed, staged',
    'published, clean',
  ]);
});

describe('a build that stages files', () => {
  it('reports a full disk, and leaves nothing behind', async () => {
    const out = await publishedSite(old);
    vi.mocked(fs.writeFileSync).mockImplementation(failing('ENOSPC'));
    await expectRejected(out, () => publishTree(out, fresh), {
      message: `${out}/.gamedata/next/a.json: cannot be written (ENOSPC)`,
      hint: expect.stringContaining('Free some space'),
    });
  });

  it.each(['EIO', 'ENOSPC'])(
    'keeps the old site if flushing fails with %s',
    async (code) => {
      const out = await publishedSite(old);
      replaceSync();
      vi.mocked(fs.fsyncSync).mockImplementation(failing(code));
      const message = `${out}: cannot be committed (${code})`;
      await expectRejected(out, () => publishTree(out, fresh), { message });
    },
  );

  it('keeps the new site if flushing fails after the commit', async () => {
    const out = await publishedSite(old);
    replaceSync();
    const manifest = path.join(out, '.gamedata/next/manifest.json');
    vi.mocked(fs.fsyncSync).mockImplementation(() => {
      if (fs.existsSync(manifest)) failing('EIO')();
    });
    await expect(publishTree(out, fresh)).rejects.toThrow(
      'cannot be committed (EIO)',
    );
    expect(support.readVisibleTree(out)).toEqual(fresh);
  });

  it('publishes the site even if the system cannot flush files', async () => {
    const out = await publishedSite(old);
    replaceSync();
    vi.mocked(fs.fsyncSync).mockImplementation(failing('EINVAL'));
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
  });

  it('publishes the site even if modes and times cannot be set', async () => {
    const out = await publishedSite(old);
    fs.chmodSync(out, 0o770);
    vi.mocked(fs.chmodSync).mockImplementation(failing('EPERM'));
    vi.mocked(fs.utimesSync).mockImplementation(failing('EPERM'));
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
    expect(await publishTree(out, fresh)).toMatchObject({ changed: false });
  });

  /**
   * Publishes up to 2,000 files over a site, and expects that an abort ends this early
   * and keeps the old site. `onFile` is called before each file. Returns the number of
   * files that were requested.
   */
  async function countFilesUntilAbort(
    onFile: (count: number) => void,
    signal: AbortSignal,
    onStart = () => {},
  ): Promise<number> {
    const out = await publishedSite(old);
    let count = 0;
    function* createFiles() {
      while (count < 2000) {
        count++;
        onFile(count);
        yield { path: `many/${count}.json`, body: String(count) };
      }
    }
    function publish(): Promise<unknown> {
      const publishing = withOutput(out, (output) =>
        output.publish(createFiles(), { ...plainManifest, signal }),
      );
      onStart();
      return publishing;
    }
    await expectRejected(out, publish, { name: 'AbortError' });
    return count;
  }

  it('leaves only the old site if the build is aborted', async () => {
    const controller = new AbortController();
    function abortAtTenth(count: number): void {
      if (count === 10) controller.abort();
    }
    const count = await countFilesUntilAbort(abortAtTenth, controller.signal);
    expect(count).toBe(10);
  });

  it('pauses regularly so that a signal can abort the build', async () => {
    const controller = new AbortController();
    async function abortSoon(): Promise<void> {
      await setImmediate();
      controller.abort();
    }
    const count = await countFilesUntilAbort(() => {}, controller.signal, abortSoon);
    expect(count).toBeLessThan(2000);
  });
});
