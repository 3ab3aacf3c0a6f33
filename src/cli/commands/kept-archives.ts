/** Archives of the last sites that were published into a folder, to go back to. */

import { hash, randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { MANIFEST_FILE } from '../../contract/paths.ts';
import { errorCode, OutputError } from '../../errors.ts';
import { readFile } from '../../files.ts';
import { packTarball } from '../../site/archive/pack.ts';
import { readDescriptions } from '../../sources/site-folder.ts';
import { readContents } from './archive.ts';

const KEPT = /^gamedata-\d{4}-\d\d-\d\d-[0-9a-f]{12}\.tar\.gz$/;

/**
 * Makes sure that there is an archive of the present site, and removes the oldest of more than `keep`. The names say the day of
 * the data, and tell two sites of one day apart.
 *
 * @returns the archive, beside the site's folder: `build-archives/gamedata-2026-01-02-0123456789ab.tar.gz`
 * @throws OutputError if it cannot be written
 */
export async function keepArchive(out: string, keep: number): Promise<string> {
  const folder = `${path.normalize(out).replace(/[/\\]+$/, '')}-archives`;
  const descriptions = readDescriptions(out);
  const digest = hash('sha256', readFile(out, MANIFEST_FILE)).slice(0, 12);
  const file = path.join(folder, `gamedata-${descriptions.meta.captured}-${digest}.tar.gz`);
  try {
    fsExtra.ensureDirSync(folder);
    if (!fsExtra.pathExistsSync(file)) {
      const { files, description } = readContents(out, descriptions);
      writeWhole(file, await packTarball(files, description));
    }
    for (const old of oldestFirst(folder).slice(0, -keep)) rmSync(path.join(folder, old));
    return file;
  } catch (cause) {
    if (cause instanceof OutputError) throw cause;
    throw new OutputError(`cannot be written (${errorCode(cause)})`, file, { cause });
  }
}

function writeWhole(file: string, body: Uint8Array): void {
  const draft = path.join(path.dirname(file), `.${randomUUID()}`);
  try {
    writeFileSync(draft, body);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

const oldestFirst = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => KEPT.test(name))
    .map((name) => ({ name, at: statSync(path.join(folder, name)).mtimeMs }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
