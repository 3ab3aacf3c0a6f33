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
/** The id of the user that runs the web server. */
const USER = 12_345;
const isRoot = process.geteuid?.() === 0;

/**
 * Lets the web server read everything in a folder, including files that are created
 * later. Returns false if that is not supported.
 */
function giveAccess(folder: string): boolean {
  const entries = `user:${USER}:rX,default:user:${USER}:rX`;
  return spawnSync('setfacl', ['--modify', entries, folder]).status === 0;
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
  const { stdout } = spawnSync('getfacl', ['--recursive', '--absolute-names', out], {
    encoding: 'utf8',
  });
  const unreadable: string[] = [];
  for (const entry of stdout.trim().split('\n\n')) {
    const [, file = ''] = /^# file: (.*)$/m.exec(entry) ?? [];
    // The mask may limit the access rights, as in `user:12345:r-x #effective:r--`.
    const [, access, effective = access] =
      new RegExp(`^user:${USER}:(\\S+)(?:\\s+#effective:(\\S+))?$`, 'm').exec(
        entry,
      ) ?? [];
    if (!effective?.startsWith('r')) unreadable.push(file);
  }
  return unreadable;
}

describe.runIf(hasAcls)('publish into a folder with a default ACL', () => {
  it('applies the default ACL to new files, replaced files, new folders and the manifest', async () => {
    const out = createOut();
    await publishTree(out, old);
    expect(findUnreadable(out)).toEqual([]);
    await publishTree(out, fresh);
    expect(readTree(out)).toEqual(fresh);
    expect(findUnreadable(out)).toEqual([]);
  });

  it.runIf(isRoot)('lets the user named in the ACL read every file', async () => {
    const out = createOut();
    await publishTree(out, old);
    await publishTree(out, fresh);
    const find = ['find', out, '!', '-readable'];
    // The user may not be able to enter the working folder.
    const options = { uid: USER, gid: USER, cwd: '/', encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync('env', find, options);
    expect(stderr + stdout).toBe('');
  });

  it('reports a notice if the default ACL cannot be copied', async () => {
    const out = createOut();
    await publishTree(out, old);
    // Provides a `getfacl` that works and a `setfacl` that fails.
    const programs = temporaryFolder();
    const real = spawnSync('sh', ['-c', 'command -v getfacl'], {
      encoding: 'utf8',
    }).stdout.trim();
    for (const [name, script] of [
      ['getfacl', `exec ${real} "$@"`],
      ['setfacl', 'echo "setfacl: Operation not supported" >&2; exit 1'],
      ['sync', 'exit 0'],
    ] as const)
      writeFileSync(path.join(programs, name), `#!/bin/sh\n${script}\n`, {
        mode: 0o755,
      });
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('PATH', programs);
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
