import * as fs from 'node:fs';
import { attempt } from '../files.ts';

/**
 * Creates files and folders that the same users can read and change as the site's
 * folder.
 */
export interface FileMaker {
  /** Makes a folder. Fails if the name exists. */
  makeFolder(folder: string): void;
  /** Writes a new file. Fails if the name exists, even as a symlink. */
  writeFile(file: string, body: string | Uint8Array): void;
}

/**
 * The mode and the group to set on a new file or folder. A value that is already right
 * is undefined.
 */
interface Correction {
  readonly mode: number | undefined;
  readonly group: number | undefined;
}

/**
 * Creates a maker for files inside a site's folder. New files inherit default ACLs and
 * labels, and also the group if the folder has the set-group-ID bit. The maker corrects
 * only the rest: the group, and the mode bits that the umask has cleared.
 *
 * All new files need the same correction, so we inspect only the first file and the
 * first folder.
 */
export function createFileMaker(site: string): FileMaker {
  const { mode, gid: group } = fs.statSync(site);
  // A web server opens files by name, so it needs permission to enter the folder (x)
  // but not to list it (r). Therefore users with either permission may read files. In a
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

/** Compares the mode and the group of a new file or folder with the expected ones. */
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
 * Corrects the group and then the mode, because changing the group may clear bits of
 * the mode. Failures are ignored, because some file systems do not support groups and
 * modes.
 */
function correct(file: string, { mode, group }: Correction): void {
  if (group !== undefined) attempt(() => fs.chownSync(file, -1, group));
  if (mode !== undefined) attempt(() => fs.chmodSync(file, mode));
}
