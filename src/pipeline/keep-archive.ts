import { randomUUID } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type BuiltSite, openSite } from '../built/site.ts';
import { folderStorage, readOrThrow } from '../built/storage.ts';
import { readVerified } from '../built/verified-files.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { OutputError } from '../errors.ts';
import { explainFailure, readStatus } from '../files.ts';
import { readPermissions, setPermission } from '../publish/permissions.ts';
import { assertTrustedOwner } from '../publish/work-paths.ts';
import { type EncodedFile, formatChecksum, packArchive } from '../site/archive.ts';

/**
 * The time of publication, and the state of the data: the digests of the records and, if there are
 * any, the names.
 */
const ARCHIVE = /^gamedata-(\d{4}-\d\d-\d\dT\d{6}Z)-([0-9a-f]{12}(?:-[0-9a-f]{12})?)\.tar\.gz$/;
const DRAFT = /^gamedata-.*\.part$/;
const DAY_MS = 86_400_000;

interface Archive {
  readonly name: string;
  /** Such as `2026-01-02T042301Z`, so that sorting by text sorts by time. */
  readonly time: string;
  readonly state: string;
}

function parseArchive(name: string): Archive | undefined {
  const [, time, state] = ARCHIVE.exec(name) ?? [];
  if (time === undefined || state === undefined) return undefined;
  return { name, time, state };
}

const nameChecksum = (archive: string): string => `${archive}.sha256`;

/**
 * Archives the published site next to its folder, unless that archive exists. Then removes all but
 * the newest archive of each of the last states.
 *
 * @param keep the number of states
 * @returns the archive, such as
 * `build-archives/gamedata-2026-01-02T042301Z-0123456789ab-ba9876543210.tar.gz`
 * @throws OutputError if the folder of archives is a site or belongs to another user, or cannot be
 * written
 */
export async function keepArchive(out: string, keep: number): Promise<string> {
  const folder = `${path.normalize(out).replace(/[/\\]+$/, '')}-archives`;
  prepareFolder(folder, out);
  const site = openSite(folderStorage(out));
  const archive = nameArchive(out, site);
  const file = path.join(folder, archive.name);
  const files = [file, nameChecksum(file)];
  assertTrustedOwner(out, files);
  if (!files.every(isFile)) {
    const body = await packArchive(readContents(site), site.meta.captured);
    replaceFile(file, body);
    replaceFile(nameChecksum(file), formatChecksum(body, archive.name));
  }
  explainFailure('cannot be pruned', folder, () => prune(folder, archive, keep));
  return file;
}

/**
 * Creates the folder of archives, or checks the existing one. Another user who owned it could
 * replace an archive at any time, and a later rollback would publish it. A new folder is public
 * regardless of the umask.
 */
function prepareFolder(folder: string, out: string): void {
  assertTrustedOwner(out, [folder]);
  if (readStatus(path.join(folder, MANIFEST_FILE)))
    throw new OutputError('is a site, so archives cannot be stored in it', folder, {
      hint: 'Move one of the two sites to another folder.',
    });
  if (readStatus(folder)) return;
  const permissions = readPermissions(folder);
  // This fails if another user has created the folder since.
  explainFailure('cannot be written', folder, () => mkdirSync(folder));
  setPermission(folder, permissions);
}

function nameArchive(out: string, { meta }: BuiltSite): Archive {
  const published = lstatSync(path.join(out, MANIFEST_FILE)).mtime.toISOString();
  const time = published.replace(/\.\d+/, '').replaceAll(':', '');
  const digests = [meta.digest];
  if (meta.names) digests.push(meta.names.digest);
  const state = digests.map((digest) => digest.replace('sha256:', '').slice(0, 12)).join('-');
  return { name: `gamedata-${time}-${state}.tar.gz`, time, state };
}

function readContents({ storage, manifest, entries }: BuiltSite): EncodedFile[] {
  const contents: EncodedFile[] = [];
  for (const { path: file } of manifest.files) {
    contents.push({ path: file, body: readVerified(storage, entries, file) });
  }
  contents.push({ path: MANIFEST_FILE, body: readOrThrow(storage, MANIFEST_FILE) });
  return contents;
}

/** Writes a file under another name and renames it. Replaces symlinks and empty folders. */
function replaceFile(file: string, body: Uint8Array | string): void {
  const folder = path.dirname(file);
  explainFailure('cannot be written', folder, () => {
    if (readStatus(file)?.isDirectory()) rmdirSync(file);
    const draft = `${file}.${randomUUID()}.part`;
    try {
      writeFileSync(draft, body, { flag: 'wx' });
      setPermission(draft, readPermissions(folder));
      renameSync(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

/**
 * Removes archives of older states, older archives of the same state, checksums without archives,
 * and drafts of killed runs. The name of an archive has its time, because copying a folder changes
 * its mtime.
 */
function prune(folder: string, current: Archive, keep: number): void {
  const files = readdirSync(folder).filter((name) => isFile(path.join(folder, name)));
  const remove = (name: string): void => rmSync(path.join(folder, name), { force: true });

  const archives: Archive[] = [];
  for (const name of files) {
    const archive = parseArchive(name);
    // The current archive stays, even if a wrong clock makes it look older than the others.
    if (archive && name !== current.name) archives.push(archive);
  }
  archives.sort((a, b) => (a.time < b.time ? 1 : -1));
  const keptStates = new Set([current.state]);
  for (const { name, state } of archives) {
    if (keptStates.has(state) || keptStates.size >= keep) remove(name);
    else keptStates.add(state);
  }

  for (const name of files) {
    const archive = name.replace(/\.sha256$/, '');
    const isOrphan =
      archive !== name && parseArchive(archive) && !isFile(path.join(folder, archive));
    if (isOrphan || isOldDraft(folder, name)) remove(name);
  }
}

function isOldDraft(folder: string, name: string): boolean {
  if (!DRAFT.test(name)) return false;
  return Date.now() - lstatSync(path.join(folder, name)).mtimeMs > DAY_MS;
}

const isFile = (file: string): boolean => readStatus(file)?.isFile() ?? false;
