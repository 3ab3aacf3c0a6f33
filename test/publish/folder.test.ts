import * as fs from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lockFolder } from '../../src/publish/lock.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { modeOf } from '../support/fingerprint.ts';
import { publishTree, readTree } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

vi.mock('node:fs', { spy: true });
const real = await vi.importActual<typeof import('node:fs')>('node:fs');

const tree = { 'a.json': '1', 'b/c.json': '2' };
const fresh = { 'a.json': '10', 'd/e.json': '3' };

function failToRead(out: string): Promise<unknown> {
  return withOutput(out, () => Promise.reject(new RangeError('no upstream')));
}

describe('a site folder that does not exist', () => {
  it('is made with its parent folders', async () => {
    const out = path.join(temporaryFolder(), 'a', 'b', 'site');
    await publishTree(out, tree);
    expect(readTree(out)).toEqual(tree);
  });

  it('is removed with the new parent folders if the first build fails', async () => {
    const parent = temporaryFolder();
    await expect(failToRead(path.join(parent, 'a/b/site'))).rejects.toThrow(
      'no upstream',
    );
    expect(fs.readdirSync(parent)).toEqual([]);
  });

  it('stays if another build locks it first', async () => {
    const out = path.join(temporaryFolder(), 'site');
    onTestFinished(() => void vi.resetAllMocks());
    vi.mocked(fs.mkdirSync).mockImplementation((folder, options) => {
      const result = real.mkdirSync(folder, options);
      if (folder === out) {
        const lock = lockFolder(out);
        onTestFinished(() => lock.release());
      }
      return result;
    });
    await expect(publishTree(out, tree)).rejects.toThrow('another build');
    expect(fs.readdirSync(out)).toEqual([]);
  });

  it('is removed if the first build is aborted while it stages files', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const controller = new AbortController();
    function* createFiles() {
      yield { path: 'a.json', body: '1' };
      controller.abort();
      yield { path: 'b.json', body: '2' };
    }
    const { signal } = controller;
    const publishing = withOutput(out, ({ publish }) =>
      publish(createFiles(), { signal }),
    );
    await expect(publishing).rejects.toThrow('aborted');
    expect(fs.readdirSync(path.dirname(out))).toEqual([]);
  });

  it('keeps the files that someone adds during a first build that fails', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const publishing = withOutput(out, async () => {
      fs.writeFileSync(path.join(out, 'mine'), 'mine');
      throw new RangeError('no upstream');
    });
    await expect(publishing).rejects.toThrow('no upstream');
    expect(readTree(out)).toEqual({ mine: 'mine' });
  });

  // The umask cannot be changed in a worker thread.
  it.runIf(isMainThread)('is public, whatever the umask is', async () => {
    const out = path.join(temporaryFolder(), 'site');
    const outerMask = process.umask(0o077);
    onTestFinished(() => void process.umask(outerMask));
    await publishTree(out, tree);
    expect(modeOf(out)).toBe('755');
    expect(modeOf(path.join(out, 'b/c.json'))).toBe('644');
  });
});

describe('a symlink in place of the site folder', () => {
  it.each(['a folder', 'a folder that does not exist'])(
    'leads the build to %s, and stays',
    async (what) => {
      const parent = temporaryFolder();
      const real = path.join(parent, 'real', 'site');
      const link = path.join(parent, 'link');
      fs.symlinkSync(path.join('real', 'site'), link);
      if (what === 'a folder') fs.mkdirSync(real, { recursive: true });
      await publishTree(link, tree);
      await publishTree(link, fresh);
      expect(fs.readlinkSync(link)).toBe('real/site');
      expect(readTree(real)).toEqual(fresh);
      expect(fs.readdirSync(parent).sort()).toEqual(['link', 'real']);
      expect(fs.readdirSync(path.dirname(real))).toEqual(['site']);
    },
  );
});

const writeFile = (parent: string) => fs.writeFileSync(`${parent}/file`, '');
const linkToItself = (parent: string) => fs.symlinkSync('link', `${parent}/link`);
it.each<[string, string, (parent: string) => void, RegExp]>([
  ['below a file', 'file/site', writeFile, /created \((ENOTDIR|EEXIST)\)$/],
  ['that is a file', 'file', writeFile, /readable folder \(ENOTDIR\)$/],
  ['that is a circular symlink', 'link', linkToItself, /created \(ELOOP\)$/],
])('rejects an output path %s', async (_, name, fill, message) => {
  const parent = temporaryFolder();
  fill(parent);
  await expect(publishTree(path.join(parent, name), tree)).rejects.toThrow(message);
  expect(fs.readdirSync(parent)).toHaveLength(1);
});

it('rejects the working folder and its parent folders', async () => {
  const out = path.join(temporaryFolder(), 'site');
  await publishTree(out, tree);
  onTestFinished(() => void vi.restoreAllMocks());
  for (const inside of ['.', 'b']) {
    vi.spyOn(process, 'cwd').mockReturnValue(path.join(out, inside));
    await expect(publishTree(out, fresh)).rejects.toMatchObject({
      message: `${out}: is the working folder, or contains it, and cannot be replaced`,
      hint: 'Run the command in another folder, or name a folder inside this one.',
    });
  }
  expect(readTree(out)).toEqual(tree);
});
