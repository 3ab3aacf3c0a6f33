import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type BuiltSite, openSite } from '../built/site.ts';
import { folderStorage } from '../built/site-folder.ts';
import { readOrThrow } from '../built/storage.ts';
import { readVerified } from '../built/verified-files.ts';
import { MAX_FILE_BYTES } from '../contract/limits.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { DAY_MS } from '../contract/words.ts';
import { OutputError } from '../errors.ts';
import {
  attempt,
  explainFailure,
  readFile,
  readStatus,
  readText,
} from '../files.ts';
import { createFileMaker } from '../publish/access.ts';
import { flush } from '../publish/flush.ts';
import { createFolder } from '../publish/folder.ts';
import { type EncodedFile, formatChecksum, packArchive } from '../site/archive.ts';

/**
 * Matches an archive's name. It consists of the publication time and the data's
 * state, which is the records' digest and, if the site has names, the names' digest.
 */
const ARCHIVE =
  /^gamedata-(\d{4}-\d\d-\d\dT\d{6}Z)-([0-9a-f]{12}(?:-[0-9a-f]{12})?)\.tar\.gz$/;
const DRAFT = /^gamedata-.*\.part$/;

interface Archive {
  readonly name: string;
  /**
   * The time of publication, such as `2026-01-02T042301Z`. Sorting these strings
   * sorts archives by time.
   */
  readonly time: string;
  /**
   * The data's state, such as `0123456789ab-ba9876543210`. Archives of the same data
   * have the same state.
   */
  readonly state: string;
}

function parseArchive(name: string): Archive | undefined {
  const [, time, state] = ARCHIVE.exec(name) ?? [];
  if (time === undefined || state === undefined) return undefined;
  return { name, time, state };
}

const CHECKSUM_EXTENSION = '.sha256';
const nameChecksum = (archive: string): string => archive + CHECKSUM_EXTENSION;

/**
 * Archives the published site in a folder next to it, unless that archive already
 * exists and matches its checksum. Then removes older archives: for each of the
 * last data states, only the newest archive is kept.
 *
 * @param keep the number of states
 * @returns the archive, such as
 * `build-archives/gamedata-2026-01-02T042301Z-0123456789ab-ba9876543210.tar.gz`
 * @throws OutputError if the archive folder is a site, belongs to another user, or
 * cannot be written
 */
export async function keepArchive(out: string, keep: number): Promise<string> {
  const folder = `${path.normalize(out).replace(/[/\\]+$/, '')}-archives`;
  prepareFolder(folder);
  const site = openSite(folderStorage(out));
  const archive = nameArchive(out, site);
  const file = path.join(folder, archive.name);
  const checksumFile = nameChecksum(file);
  if (!isIntact(folder, archive.name)) {
    const contents = readContents(site);
    const body = await packArchive(contents, site.meta.captured);
    replaceFile(file, body);
    replaceFile(checksumFile, formatChecksum(body, archive.name));
  }
  explainFailure('cannot be pruned', folder, () => prune(folder, archive, keep));
  return file;
}

/** Creates the archive folder, or checks the existing one. */
function prepareFolder(folder: string): void {
  const isSite = readStatus(path.join(folder, MANIFEST_FILE)) !== undefined;
  if (isSite) {
    throw new OutputError('is a site, so archives cannot be stored in it', folder, {
      hint: 'Move one of the two sites to another folder.',
    });
  }
  explainFailure('cannot be written', folder, () => createFolder(folder));
}

function nameArchive(out: string, { meta }: BuiltSite): Archive {
  // A build replaces the manifest last, so its modification time is the time of
  // publication. `2026-01-02T04:23:01.000Z` becomes `2026-01-02T042301Z`.
  const published = lstatSync(path.join(out, MANIFEST_FILE)).mtime.toISOString();
  const time = published.replace(/\.\d+/, '').replaceAll(':', '');
  const shorten = (digest: string): string =>
    digest.replace('sha256:', '').slice(0, 12);
  let state = shorten(meta.digest);
  if (meta.names) state += `-${shorten(meta.names.digest)}`;
  return { name: `gamedata-${time}-${state}.tar.gz`, time, state };
}

/**
 * Returns whether an archive exists and matches its checksum file. An archive that
 * was changed or cut short, for example by a full disk, must not count as kept.
 */
function isIntact(folder: string, name: string): boolean {
  const body = attempt(() => readFile(folder, name, MAX_FILE_BYTES));
  const checksum = attempt(() => readText(folder, nameChecksum(name)));
  if (body === undefined || checksum === undefined) return false;
  return checksum === formatChecksum(body, name);
}

function readContents({ storage, manifest, entries }: BuiltSite): EncodedFile[] {
  const contents: EncodedFile[] = [];
  for (const { path: file } of manifest.files) {
    contents.push({ path: file, body: readVerified(storage, entries, file) });
  }
  contents.push({ path: MANIFEST_FILE, body: readOrThrow(storage, MANIFEST_FILE) });
  return contents;
}

/**
 * Writes a file under a temporary name, flushes it to the disk, and then renames it.
 * Otherwise, a power cut could leave an incomplete archive with a final name, and
 * later builds would keep it. The new file also replaces a symlink or an empty
 * folder of the same name.
 */
function replaceFile(file: string, body: Uint8Array | string): void {
  const folder = path.dirname(file);
  explainFailure('cannot be written', folder, () => {
    if (readStatus(file)?.isDirectory()) rmdirSync(file);
    const draft = `${file}.${randomUUID()}.part`;
    try {
      createFileMaker(folder).writeFile(draft, body);
      flush(draft);
      renameSync(draft, file);
    } finally {
      rmSync(draft, { force: true });
    }
  });
}

/**
 * Removes the archives of older states, and older archives of the same state. Then
 * removes checksums without an archive, and temporary files left behind by killed
 * runs.
 */
function prune(folder: string, current: Archive, keep: number): void {
  const names = readdirSync(folder).filter((name) =>
    isFile(path.join(folder, name)),
  );
  const remove = (name: string): void =>
    rmSync(path.join(folder, name), { force: true });
  for (const { name } of listOutdated(names, current, keep)) remove(name);
  for (const name of names) {
    if (isOrphanedChecksum(folder, name) || isOldDraft(folder, name)) remove(name);
  }
}

/**
 * Lists the archives to remove. For each of the last `keep` data states, only the
 * newest archive stays. We read the times from the names, because copying a folder
 * changes modification times.
 */
function listOutdated(
  names: readonly string[],
  current: Archive,
  keep: number,
): Archive[] {
  const otherArchives: Archive[] = [];
  for (const name of names) {
    const archive = parseArchive(name);
    // The current archive is always kept, even if a wrong clock makes it look older
    // than the others.
    if (archive && name !== current.name) otherArchives.push(archive);
  }
  otherArchives.sort((one, other) => (one.time < other.time ? 1 : -1));

  const keptStates = new Set([current.state]);
  const outdated: Archive[] = [];
  for (const archive of otherArchives) {
    const isKept = keptStates.size < keep && !keptStates.has(archive.state);
    if (isKept) keptStates.add(archive.state);
    else outdated.push(archive);
  }
  return outdated;
}

function isOrphanedChecksum(folder: string, name: string): boolean {
  if (!name.endsWith(CHECKSUM_EXTENSION)) return false;
  const archive = name.slice(0, -CHECKSUM_EXTENSION.length);
  return parseArchive(archive) !== undefined && !isFile(path.join(folder, archive));
}

function isOldDraft(folder: string, name: string): boolean {
  if (!DRAFT.test(name)) return false;
  return Date.now() - lstatSync(path.join(folder, name)).mtimeMs > DAY_MS;
}

const isFile = (file: string): boolean => readStatus(file)?.isFile() ?? false;
