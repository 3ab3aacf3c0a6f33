import { rmSync } from 'node:fs';
import path from 'node:path';
import { STAGED_FOLDER, WORK_FOLDER } from '../contract/paths.ts';
import { explainFailure } from '../files.ts';
import { createFileMaker } from './access.ts';

/** Removes the work folder. If a symlink is in its place, only the symlink is removed. */
export function removeWorkFolder(folder: string): void {
  const workFolder = path.join(folder, WORK_FOLDER);
  rmSync(workFolder, { recursive: true, force: true });
}

/**
 * Writes files into the work folder. The work folder is made when the first file is
 * written, because most builds do not change anything.
 */
export interface WorkFolder {
  /**
   * Writes a new file.
   *
   * @param file the path relative to the site's folder, below `.gamedata/`
   * @throws GamedataError if the file cannot be written
   */
  write(file: string, body: string | Uint8Array): void;
}

/**
 * Prepares to write into the work folder of a site's folder. The first call to `write`
 * replaces the work folder of an earlier build with an empty one. Until then, nothing
 * is changed.
 */
export function prepareWorkFolder(folder: string): WorkFolder {
  /** Undefined until the first file is written. */
  let emptiedFolder: WorkFolder | undefined;
  return {
    write(file, body) {
      explainFailure('cannot be written', path.join(folder, file), () => {
        emptiedFolder ??= makeWorkFolder(folder);
        emptiedFolder.write(file, body);
      });
    },
  };
}

/**
 * Replaces the work folder of an earlier build with an empty one, in which the folder
 * for staged files already exists. Staged files are complete new files that only need
 * to be moved into place.
 */
function makeWorkFolder(folder: string): WorkFolder {
  removeWorkFolder(folder);
  // The maker gives new files and folders the same permissions as the site's folder.
  const maker = createFileMaker(folder);
  // `.` is the site's folder itself, which exists.
  const madeFolders = new Set(['.']);

  /**
   * Makes a folder inside the site's folder, together with its missing parent folders.
   */
  function makeFolder(subfolder: string): void {
    if (madeFolders.has(subfolder)) return;
    makeFolder(path.posix.dirname(subfolder));
    maker.makeFolder(path.join(folder, subfolder));
    madeFolders.add(subfolder);
  }

  // The manifest is renamed into this folder, even if no file is staged.
  makeFolder(STAGED_FOLDER);
  return {
    write(file, body) {
      makeFolder(path.posix.dirname(file));
      maker.writeFile(path.join(folder, file), body);
    },
  };
}

/**
 * Returns the path of a staged file, or of the folder that contains all staged files.
 */
export const getStagedPath = (folder: string, file = ''): string =>
  path.join(folder, STAGED_FOLDER, file);
