import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withOutput } from '../../src/publish/publish.ts';
import { inFolder } from '../support/folders.ts';
import {
  littleChanged,
  publishTree,
  readTree,
  treeFiles,
} from '../support/publishing.ts';
import { temporaryFolder } from '../support/temporary.ts';

const [old, fresh] = littleChanged;
/** The id of the user who runs the web server. */
const USER = 12_345;
const isRoot = process.geteuid?.() === 0;

/**
 * Lets the web server read everything in a folder, including files that are created
 * later. Returns false if that is not supported.
 */
function giveAccess(folder: string): boolean {
  const entries = `user:${USER}:rX,default:user:${USER}:rX`;
  const { status } = spawnSync('setfacl', ['--modify', entries, folder]);
  return status === 0;
}
const hasAcls = await inFolder(async (folder) => giveAccess(folder));

/**
 * Creates an empty output folder that only its owner and the web server may read.
 */
function createOut(): string {
  const parent = temporaryFolder();
  chmodSync(parent, 0o711);
  const out = path.join(parent, 'site');
  mkdirSync(out, { mode: 0o750 });
  giveAccess(out);
  return out;
}

/** Finds files and folders whose ACL does not let the web server read them. */
function findUnreadable(out: string): string[] {
  const args = ['--recursive', '--absolute-names', out];
  const { stdout } = spawnSync('getfacl', args, { encoding: 'utf8' });
  const unreadable: string[] = [];
  for (const entry of stdout.trim().split('\n\n')) {
    const [, file = ''] = /^# file: (.*)$/m.exec(entry) ?? [];
    if (!canRead(entry)) unreadable.push(file);
  }
  return unreadable;
}

/** Returns whether an entry that `getfacl` prints lets the web server read. */
function canRead(entry: string): boolean {
  const line = new RegExp(`^user:${USER}:(\\S+)(?:\\s+#effective:(\\S+))?$`, 'm');
  const [, access, effectiveAccess] = line.exec(entry) ?? [];
  // The mask may limit the access rights, as in `user:12345:r-x #effective:r--`.
  const actualAccess = effectiveAccess ?? access;
  return actualAccess?.startsWith('r') === true;
}

/**
 * Creates a folder with a `getfacl` that works and a `setfacl` that fails. Publishing
 * also runs `sync`.
 */
function createBrokenTools(): string {
  const folder = temporaryFolder();
  const command = ['-c', 'command -v getfacl'];
  const { stdout } = spawnSync('sh', command, { encoding: 'utf8' });
  const getfacl = stdout.trim();
  const scripts = {
    getfacl: `exec ${getfacl} "$@"`,
    setfacl: 'echo "setfacl: Operation not supported" >&2; exit 1',
    sync: 'exit 0',
  };
  for (const [name, script] of Object.entries(scripts)) {
    const text = `#!/bin/sh\n${script}\n`;
    writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  }
  return folder;
}

describe.runIf(hasAcls)('publish into a folder with a default ACL', () => {
  it('applies the default ACL to every file and folder in a first site', async () => {
    const out = createOut();
    await publishTree(out, old);
    expect(findUnreadable(out)).toEqual([]);
  });

  it('applies the default ACL to every file and folder that a build changes', async () => {
    const out = createOut();
    await publishTree(out, old);
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
    expect(findUnreadable(out)).toEqual([]);
  });

  it.runIf(isRoot)('lets the user named in the ACL read every file', async () => {
    const out = createOut();
    await publishTree(out, old);
    await publishTree(out, fresh);
    // The user may not be able to enter the working folder.
    const options = { uid: USER, gid: USER, cwd: '/', encoding: 'utf8' } as const;
    const findUnreadableFiles = ['find', out, '!', '-readable'];
    const { stdout, stderr } = spawnSync('env', findUnreadableFiles, options);
    expect(stderr + stdout).toBe('');
  });

  it('reports a notice if the default ACL cannot be copied', async () => {
    const out = createOut();
    await publishTree(out, old);
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('PATH', createBrokenTools());
    const { notices } = await withOutput(out, ({ publish }) =>
      publish(treeFiles(fresh)),
    );
    vi.unstubAllEnvs();
    expect(notices).toEqual([
      `new files do not get the default ACL of ${out}, because setfacl failed (setfacl: Operation not supported): let the web server read them, such as with setfacl --recursive --modify user:www-data:rX ${out}`,
    ]);
    expect(readTree(out)).toEqual(fresh);
  });
});
