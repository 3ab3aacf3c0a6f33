import * as fs from 'node:fs';
import { attempt } from '../files.ts';

/** Makes files and folders that the same users may read and change as a site's folder. */
export interface FileMaker {
  /** Makes a folder. Fails if the name exists. */
  makeFolder(folder: string): void;
  /** Writes a new file. Fails if the name exists, even as a symlink. */
  writeFile(file: string, body: string | Uint8Array): void;
}

/** What a new file or folder lacks to be as accessible as it should be. */
interface Correction {
  readonly mode: number | undefined;
  readonly group: number | undefined;
}

/**
 * Creates a maker for files inside a site's folder. They inherit default ACLs and labels,
 * and the group if the folder has the set-group-ID bit. Only the rest is corrected: the
 * group, and the bits of the mode that the umask has cleared.
 *
 * All new files inherit the same, so we look only at the first file and the first folder
 * to find out what to correct.
 */
export function createFileMaker(site: string): FileMaker {
  const { mode, gid: group } = fs.statSync(site);
  // A web server opens files by name, so it needs permission to enter the folder (x)
  // but not to list it (r). Therefore whoever has either of them may read files. In a
  // mode, r is two bits above x.
  const mayList = mode & 0o044;
  const mayEnter = mode & 0o011;
  const mayRead = mayList | (mayEnter << 2);
  const groupMayWrite = mode & 0o020;
  const fileMode = 0o600 | mayRead | groupMayWrite;
  // Users outside of the group never get permission to write.
  const folderMode = 0o700 | (mode & 0o075);
  let fileCorrection: Correction | undefined;
  let folderCorrection: Correction | undefined;
  return {
    makeFolder(folder) {
      fs.mkdirSync(folder, { mode: folderMode });
      folderCorrection ??= findCorrection(folder, folderMode, group);
      correct(folder, folderCorrection);
    },
    writeFile(file, body) {
      fs.writeFileSync(file, body, { flag: 'wx', mode: fileMode });
      fileCorrection ??= findCorrection(file, fileMode, group);
      correct(file, fileCorrection);
    },
  };
}

/** The read, write and execute bits, which the umask may clear. */
const ACCESS_BITS = 0o777;

/** The set-user-ID, set-group-ID and sticky bits. */
const SPECIAL_BITS = 0o7000;

/**
 * Compares the mode and the group of a new file or folder with what it should have. A
 * value that is already right is undefined in the result.
 */
function findCorrection(
  file: string,
  expectedMode: number,
  expectedGroup: number,
): Correction {
  const { mode, gid } = fs.statSync(file);
  const accessBits = mode & ACCESS_BITS;
  const hasExpectedAccess = accessBits === expectedMode;
  // A folder keeps the set-group-ID bit that it has inherited.
  const specialBits = mode & SPECIAL_BITS;
  return {
    mode: hasExpectedAccess ? undefined : expectedMode | specialBits,
    group: gid === expectedGroup ? undefined : expectedGroup,
  };
}

/**
 * Corrects the group and then the mode, because changing the group may clear bits of the
 * mode. Failures are ignored, because some file systems do not support them.
 */
function correct(file: string, { mode, group }: Correction): void {
  if (group !== undefined) attempt(() => fs.chownSync(file, -1, group));
  if (mode !== undefined) attempt(() => fs.chmodSync(file, mode));
}
