import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { openSite, readVerified, type Site } from '../built/read.ts';
import { folderStorage } from '../built/storage.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { OutputError } from '../errors.ts';
import { explainFailure, readFile, readStatus } from '../files.ts';
import { readPermissions, setPermission } from '../publish/permissions.ts';
import { assertTrustedOwner } from '../publish/work-paths.ts';
import { formatChecksum, packArchive } from '../site/archive.ts';

/** The date of publication, and the digests of the records and names. */
const ARCHIVE = /^gamedata-\d{4}-\d\d-\d\d(?:T\d{6}Z)?-([0-9a-f]{12}(?:-[0-9a-f]{12})?)\.tar\.gz$/;
const DRAFT = /^gamedata-.*\.part$/;
const DAY_MS = 86_400_000;

const readState = (archive: string): string | undefined => ARCHIVE.exec(archive)?.[1];
const nameChecksum = (archive: string): string => `${archive}.sha256`;

/**
 * Archives the published site next to its folder, unless such an archive exists. Keeps the newest archive of each of the last states.
 *
 * @returns the archive, such as `build-archives/gamedata-2026-01-02T042301Z-0123456789ab-ba9876543210.tar.gz`
 * @throws OutputError if the folder of archives is a site, or cannot be written
 */
export async function keepArchive(out: string, keep: number): Promise<string> {
  const folder = `${path.normalize(out).replace(/[/\\]+$/, '')}-archives`;
  if (readStatus(folder)?.isSymbolicLink()) assertTrustedOwner(out, [folder]);
  if (readStatus(path.join(folder, MANIFEST_FILE)))
    throw new OutputError('is a site, so archives cannot be stored in it', folder, {
      hint: 'Move one of the two sites to another folder.',
    });
  const site = openSite(folderStorage(out));
  const name = nameArchive(out, site);
  const file = path.join(folder, name);
  const files = [file, nameChecksum(file)];
  assertTrustedOwner(out, files);
  if (!files.every(isFile)) {
    const archive = await packArchive(readContents(out, site), site.meta.captured);
    replaceFile(file, archive);
    replaceFile(nameChecksum(file), formatChecksum(archive, name));
  }
  explainFailure('cannot be pruned', folder, () => prune(folder, name, keep));
  return file;
}

function nameArchive(out: string, { meta }: Site): string {
  const published = lstatSync(path.join(out, MANIFEST_FILE)).mtime.toISOString();
  const time = published.replace(/\.\d+/, '').replaceAll(':', '');
  const digests = [meta.digest, meta.names?.digest].filter((digest) => digest !== undefined);
  const state = digests.map((digest) => digest.replace('sha256:', '').slice(0, 12)).join('-');
  return `gamedata-${time}-${state}.tar.gz`;
}

function readContents(out: string, { storage, manifest, entries }: Site) {
  const listed = manifest.files.map(({ path }) => ({
    path,
    body: readVerified(storage, entries, path),
  }));
  return [...listed, { path: MANIFEST_FILE, body: readFile(out, MANIFEST_FILE) }];
}

/** Writes a file under another name and renames it. Replaces symlinks and empty folders. */
function replaceFile(file: string, body: Uint8Array | string): void {
  const folder = path.dirname(file);
  explainFailure('cannot be written', folder, () => {
    if (readStatus(file)?.isDirectory()) rmdirSync(file);
    const isNew = readStatus(folder) === undefined;
    fsExtra.ensureDirSync(folder);
    const draft = `${file}.${randomUUID()}.part`;
    try {
      writeFileSync(draft, body, { flag: 'wx' });
      // A new folder is public regardless of the umask.
      const permissions = readPermissions(isNew ? draft : folder);
      setPermission(draft, permissions);
      if (isNew) setPermission(folder, permissions);
      renameSync(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

/** Removes older archives of the same state, older states, checksums without archives, and drafts of killed runs. */
function prune(folder: string, current: string, keep: number): void {
  const files = readdirSync(folder).filter((one) => isFile(path.join(folder, one)));
  const remove = (one: string): void => rmSync(path.join(folder, one), { force: true });
  const getAge = (one: string): number => Date.now() - lstatSync(path.join(folder, one)).mtimeMs;
  const states = new Set([readState(current)]);
  // Always keep the current archive, even if a wrong clock makes it look older than the others.
  const others = files
    .filter((one) => ARCHIVE.test(one) && one !== current)
    .sort((a, b) => getAge(a) - getAge(b));
  for (const other of others) {
    const state = readState(other);
    if (!states.has(state) && states.size < keep) states.add(state);
    else remove(other);
  }
  for (const one of files) {
    const archive = one.replace(/\.sha256$/, '');
    if (ARCHIVE.test(archive) && !isFile(path.join(folder, archive))) remove(one);
    if (DRAFT.test(one) && getAge(one) > DAY_MS) remove(one);
  }
}

const isFile = (file: string): boolean => readStatus(file)?.isFile() ?? false;
