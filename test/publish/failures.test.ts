/** What the system may do at any moment: each failing call is simulated, the others are real. */

import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { acquireLock, encodeHolder, thisProcess } from '../../src/publish/lock.ts';
import { workFolders } from '../../src/publish/work-folders.ts';
import { failing } from '../support/failing.ts';
import { publishTree, readTree } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');
afterEach(() => {
  vi.restoreAllMocks();
  vi.resetAllMocks();
});

/** A folder's name, and the name of its lock. */
function lockable() {
  const folders = workFolders(path.join(temporaryFolder(), 'site'));
  const names = () => readdirSync(path.dirname(folders.out));
  return { folders, lock: folders.lock, names };
}

/** A process id that no process has. */
const NOBODY = 999_999_999;
const [DEAD, ALIVE] = ['1', ''].map((start) => encodeHolder({ ...thisProcess(), pid: NOBODY, start }));

describe('a stage that cannot be removed', () => {
  it('is left to the next build, and the new one is published', async () => {
    const { folders, names } = lockable();
    await publishTree(folders.out, { 'a.json': '1' });
    vi.mocked(rmSync).mockImplementation((file, how) =>
      how?.recursive ? failing('EPERM')() : real.rmSync(file, how),
    );
    const { changed, leftovers } = await publishTree(folders.out, { 'a.json': '2' });
    expect(changed).toBe(true);
    expect(leftovers).toEqual([expect.stringContaining('.site.gamedata-trash-')]);
    expect(readTree(folders.out)).toEqual({ 'a.json': '2' });
    vi.mocked(rmSync).mockReset();
    expect(await publishTree(folders.out, { 'a.json': '3' })).toMatchObject({ leftovers: [] });
    expect(names()).toEqual(['site']);
  });

  it('is no reason to fail for a build that changes nothing either', async () => {
    const { folders } = lockable();
    await publishTree(folders.out, { 'a.json': '1' });
    mkdirSync(`${folders.trash}1`);
    vi.mocked(rmSync).mockImplementation(failing('EPERM'));
    const result = await publishTree(folders.out, { 'a.json': '1' });
    expect(result).toMatchObject({ changed: false, leftovers: [`${folders.trash}1`] });
  });

  it('does not matter where the folder cannot be listed', async () => {
    const { folders, names } = lockable();
    vi.mocked(readdirSync).mockImplementation(failing('EACCES'));
    expect(await publishTree(folders.out, { 'a.json': '1' })).toMatchObject({ leftovers: [] });
    vi.mocked(readdirSync).mockReset();
    expect(names()).toEqual(['site']);
  });

  it('and cannot be set aside either is named as such', async () => {
    const { folders } = lockable();
    mkdirSync(folders.fresh);
    mkdirSync(folders.out);
    vi.mocked(renameSync).mockImplementation(failing('EPERM'));
    await expect(publishTree(folders.out, { 'a.json': '1' })).rejects.toThrow(
      `${folders.out}: cannot be recovered from an interrupted build (EPERM)`,
    );
  });
});

describe('a lock', () => {
  it('that cannot be written is an error, whose cause is named', () => {
    const { folders, names } = lockable();
    vi.mocked(writeSync).mockImplementation(failing('ENOSPC'));
    expect(() => acquireLock(folders)).toThrow(
      expect.objectContaining({
        message: `${folders.out}: cannot be locked (ENOSPC)`,
        cause: expect.objectContaining({ code: 'ENOSPC' }),
      }),
    );
    expect(closeSync).toHaveBeenCalledTimes(vi.mocked(openSync).mock.calls.length);
    expect(names()).toEqual([]);
  });

  it('that comes and goes again and again is given up at the fourth attempt', () => {
    const { folders, names } = lockable();
    vi.mocked(linkSync).mockImplementation(failing('EEXIST'));
    expect(() => acquireLock(folders)).toThrow(`${folders.out}: cannot be locked (EEXIST)`);
    expect(linkSync).toHaveBeenCalledTimes(4);
    expect(names()).toEqual([]);
  });

  it('that cannot be read is nobody’s to take', () => {
    const { folders, lock } = lockable();
    writeFileSync(lock, `${DEAD}`);
    vi.mocked(openSync).mockImplementation((file, flags) =>
      file === lock && flags !== 'wx' ? failing('EACCES')() : real.openSync(file, flags),
    );
    expect(() => acquireLock(folders)).toThrow(`${folders.out}: cannot be locked (EACCES)`);
    expect(existsSync(lock)).toBe(true);
  });

  describe('where the file system knows no links', () => {
    it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EISDIR'])(
      'is made in place: %s',
      (code) => {
        const { folders, lock, names } = lockable();
        vi.mocked(linkSync).mockImplementation(failing(code));
        const release = acquireLock(folders);
        expect(readFileSync(lock, 'utf8')).toBe(encodeHolder(thisProcess()));
        expect(names()).toEqual(['.site.gamedata-lock']);
        expect(() => acquireLock(folders)).toThrow(`locked by another build (process ${process.pid})`);
        release();
        expect(names()).toEqual([]);
      },
    );

    it('and was replaced right after it was made, belongs to the other', () => {
      const { folders, lock } = lockable();
      vi.spyOn(process, 'kill').mockReturnValue(true);
      vi.mocked(linkSync).mockImplementation(failing('EPERM'));
      vi.mocked(closeSync).mockImplementation((descriptor) => {
        real.closeSync(descriptor);
        if (existsSync(lock)) real.writeFileSync(lock, `${ALIVE}`);
      });
      expect(() => acquireLock(folders)).toThrow(`locked by another build (process ${NOBODY})`);
    });

    it('and was moved by mistake, is put back', () => {
      const { folders, lock, names } = lockable();
      writeFileSync(lock, `${DEAD}`);
      vi.spyOn(process, 'kill').mockReturnValue(true);
      vi.mocked(linkSync).mockImplementation((from, to) =>
        real.existsSync(to) ? real.linkSync(from, to) : failing('EPERM')(),
      );
      vi.mocked(renameSync).mockImplementationOnce((from, to) => {
        real.writeFileSync(from, `${ALIVE}`);
        real.renameSync(from, to);
      });
      expect(() => acquireLock(folders)).toThrow(`locked by another build (process ${NOBODY})`);
      expect(readFileSync(lock, 'utf8')).toBe(ALIVE);
      expect(names()).toEqual(['.site.gamedata-lock']);
    });
  });

  it('whose draft somebody removes as trash is made all the same', () => {
    const { folders, lock } = lockable();
    vi.mocked(linkSync).mockImplementationOnce((from, to) => {
      real.unlinkSync(from);
      real.linkSync(from, to);
    });
    const release = acquireLock(folders);
    expect(readFileSync(lock, 'utf8')).toBe(encodeHolder(thisProcess()));
    release();
  });

  it('leaves nothing if a build is killed before it was linked', async () => {
    const { folders, names } = lockable();
    writeFileSync(`${folders.trash}draft`, `${DEAD}`);
    await publishTree(folders.out, { 'a.json': '1' });
    expect(names()).toEqual(['site']);
  });

  it('that another build took over first is put back', () => {
    const { folders, lock, names } = lockable();
    writeFileSync(lock, `${DEAD}`);
    vi.spyOn(process, 'kill').mockReturnValue(true);
    vi.mocked(renameSync).mockImplementationOnce((from, to) => {
      real.writeFileSync(from, `${ALIVE}`);
      real.renameSync(from, to);
    });
    expect(() => acquireLock(folders)).toThrow(`locked by another build (process ${NOBODY})`);
    expect(readFileSync(lock, 'utf8')).toBe(ALIVE);
    expect(names()).toEqual(['.site.gamedata-lock']);
  });

  it('that another build removed first is made anew', () => {
    const { folders, lock } = lockable();
    writeFileSync(lock, `${DEAD}`);
    vi.mocked(renameSync).mockImplementationOnce((from) => {
      real.unlinkSync(from);
      return failing('ENOENT')();
    });
    acquireLock(folders)();
    expect(existsSync(lock)).toBe(false);
  });

  it('that cannot be moved is an error', () => {
    const { folders, lock } = lockable();
    writeFileSync(lock, `${DEAD}`);
    vi.mocked(renameSync).mockImplementationOnce(failing('EPERM'));
    expect(() => acquireLock(folders)).toThrow(`${folders.out}: cannot be locked (EPERM)`);
  });
});

describe('the process of a lock', () => {
  it('lives if the system lets nobody else see it', () => {
    const { folders, lock } = lockable();
    writeFileSync(lock, `${ALIVE}`);
    vi.spyOn(process, 'kill').mockImplementation(failing('EPERM'));
    expect(() => acquireLock(folders)).toThrow(`locked by another build (process ${NOBODY})`);
  });
});

it('a first site that cannot be put into place leaves nothing', async () => {
  const { folders, names } = lockable();
  vi.mocked(renameSync).mockImplementationOnce(failing('EBUSY'));
  await expect(publishTree(folders.out, { 'd.json': '3' })).rejects.toMatchObject({
    message: `${folders.out}: cannot be created (EBUSY)`,
    cause: { code: 'EBUSY' },
  });
  expect(names()).toEqual([]);
});
