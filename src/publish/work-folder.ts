import { rmSync } from 'node:fs';
import path from 'node:path';
import { STAGED_FOLDER, WORK_FOLDER } from '../contract/paths.ts';
import { explainFailure } from '../files.ts';
import { createFileMaker, type FileMaker } from './access.ts';

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

/** Prepares to write into the work folder of a site's folder. */
export function prepareWorkFolder(folder: string): WorkFolder {
  /** Undefined until the first file is written. */
  let fileMaker: FileMaker | undefined;
  const madeFolders = new Set(['.']);

  /** Makes a folder below the site's folder, after the folders that contain it. */
  function makeFolder(subfolder: string, maker: FileMaker): void {
    if (madeFolders.has(subfolder)) return;
    makeFolder(path.posix.dirname(subfolder), maker);
    maker.makeFolder(path.join(folder, subfolder));
    madeFolders.add(subfolder);
  }

  /** Replaces the work folder of an earlier build with an empty one. */
  function makeWorkFolder(): FileMaker {
    removeWorkFolder(folder);
    const maker = createFileMaker(folder);
    // The manifest is renamed into this folder, even if no file is staged.
    makeFolder(STAGED_FOLDER, maker);
    return maker;
  }

  return {
    write(file, body) {
      explainFailure('cannot be written', path.join(folder, file), () => {
        fileMaker ??= makeWorkFolder();
        makeFolder(path.posix.dirname(file), fileMaker);
        fileMaker.writeFile(path.join(folder, file), body);
      });
    },
  };
}

/** Returns the path of a staged file, or of the folder of all staged files. */
export const getStagedPath = (folder: string, file = ''): string =>
  path.join(folder, STAGED_FOLDER, file);
