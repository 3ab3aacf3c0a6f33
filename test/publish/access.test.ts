import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { modeOf } from '../support/fingerprint.ts';
import { inFolder } from '../support/folders.ts';
import { littleChanged, publishTree } from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

const [old, fresh] = littleChanged;
/** The id of an unprivileged user and of a group. */
const USER = 12_345;
const isRoot = process.geteuid?.() === 0;

/** Creates an empty site folder with the given mode. */
function createOut(mode: number): string {
  const parent = temporaryFolder();
  // The unprivileged user must be able to enter it.
  fs.chmodSync(parent, 0o711);
  const out = path.join(parent, 'site');
  fs.mkdirSync(out);
  fs.chmodSync(out, mode);
  return out;
}

/** Publishes two sites, so that files are added and replaced. */
async function publishTwice(out: string): Promise<void> {
  await publishTree(out, old);
  await publishTree(out, fresh);
}

const files = ['a.json', 'kept/0.json', 'come/x.json', 'b/d.json', 'manifest.json'];

describe('new files and folders', () => {
  it.each<[site: number, file: string, folder: string]>([
    [0o755, '644', '755'],
    [0o2750, '640', '2750'],
    [0o700, '600', '700'],
    [0o2775, '664', '2775'],
  ])(
    'derives the modes of new files and folders from a site folder with mode %o: %s for files, %s for folders',
    async (...row) => {
      const [mode, file, folder] = row;
      const out = createOut(mode);
      await publishTwice(out);
      for (const name of files)
        expect(modeOf(path.join(out, name)), name).toBe(file);
      for (const name of ['b', 'come']) {
        expect(modeOf(path.join(out, name)), name).toBe(folder);
      }
      expect(fs.statSync(out).mode & 0o7777).toBe(mode);
    },
  );

  // The umask cannot be changed in a worker thread.
  it.runIf(isMainThread)(
    'sets the modes of new files and folders regardless of the umask',
    async () => {
      const out = createOut(0o2775);
      const outerMask = process.umask(0o077);
      onTestFinished(() => void process.umask(outerMask));
      await publishTwice(out);
      expect(modeOf(path.join(out, 'come/x.json'))).toBe('664');
      expect(modeOf(path.join(out, 'come'))).toBe('2775');
    },
  );

  it.runIf(isRoot).each([0o750, 0o2750])(
    'gives new files and folders the group of a site folder with mode %o',
    async (mode) => {
      const out = createOut(mode);
      fs.chownSync(out, 0, USER);
      fs.chmodSync(out, mode);
      await publishTwice(out);
      for (const name of [...files, 'b', 'come']) {
        expect(fs.statSync(path.join(out, name)), name).toMatchObject({ gid: USER });
      }
    },
  );
});

/** Lets the user read everything in a folder, including later files. */
function giveAccess(folder: string): boolean {
  const entries = `user:${USER}:rX,default:user:${USER}:rX`;
  return spawnSync('setfacl', ['--modify', entries, folder]).status === 0;
}
const hasAcls = await inFolder(async (folder) => giveAccess(folder));

it.runIf(hasAcls && isRoot)(
  'lets a user who is named in the default ACL read every file',
  async () => {
    const out = createOut(0o750);
    giveAccess(out);
    await publishTwice(out);
    // The user may not be able to enter the working directory.
    const options = { uid: USER, gid: USER, cwd: '/', encoding: 'utf8' } as const;
    const findUnreadableFiles = ['find', out, '!', '-readable'];
    const { stdout, stderr } = spawnSync('env', findUnreadableFiles, options);
    expect(stderr + stdout).toBe('');
  },
);
