/** Verifies a built site in a folder: re-reads every file and reports every problem. */

import { hash } from 'node:crypto';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { History } from '../contract/changes.ts';
import { checkListPage } from '../contract/check-list-page.ts';
import { errorFiles } from '../contract/errors.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { type Entries, linkBaseOf, type Meta } from '../contract/meta.ts';
import {
  CHANGES_FILE,
  type CompressedExtension,
  FORMER_FILE,
  isServerFile,
  listPageFile,
  listPath,
  listUrl,
  MANIFEST_FILE,
  META_FILE,
  PLACEHOLDER_ICON,
  recordFile,
  rootFile,
} from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import type { ServedRecord } from '../contract/served.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import { type ServedRecords, unserved } from '../dataset/data-set.ts';
import { digestRecords } from '../dataset/digest.ts';
import { type Former, movedRoutes } from '../dataset/former.ts';
import { DataError, errorCode, GamedataError, OutputError } from '../errors.ts';
import { changeFiles } from '../site/change-files.ts';
import { downloads } from '../site/downloads.ts';
import { folderPlace, type Place, readFrom } from '../sources/site/place.ts';
import { openSite } from '../sources/site/read.ts';
import { checkNames } from './names.ts';

/** A problem, and the file that has it. */
export interface Problem {
  readonly file: string;
  readonly problem: string;
}

export interface FolderReport {
  /** Every file of the folder, including the manifest. */
  readonly files: number;
  readonly counts: Counts;
  /** Empty if the site is complete, matches its manifest and schemas, and all links are correct. */
  readonly problems: readonly Problem[];
}

/**
 * Verifies a folder.
 *
 * @throws OutputError if it has no valid manifest or description to compare with
 */
export const verifyFolder = (folder: string): FolderReport => verifyPlace(folderPlace(folder));

/** The same for a site wherever it is. */
export function verifyPlace(place: Place): FolderReport {
  const found = explained(place.name, () => [...place.list()]);
  const { meta, entries, former, history } = openSite(place);
  const problems: Problem[] = [];
  const files = new Set<string>();
  const site: Checked = { place, files, report: (file, problem) => void problems.push({ file, problem }) };
  for (const { path: file, isFile } of found) {
    if (isFile) files.add(file);
    else site.report(file, 'is not a regular file');
  }
  checkManifest(site, entries);
  const records = mapKinds((kind) => checkKind(site, kind, meta));
  if (meta.downloads) checkDownloads(site, records);
  const digest = digestRecords(mapKinds((kind) => records[kind].map(unserved)));
  if (digest !== meta.digest)
    site.report(META_FILE, `has digest ${meta.digest}, that of the records is ${digest}`);
  const root = JSON.stringify(mapKinds((kind) => listUrl(linkBaseOf(meta), kind)));
  if (textOf(site, rootFile) !== root) site.report(rootFile, `expected ${root}`);
  checkNames(records, meta, { ...site, textOf: (file) => textOf(site, file) });
  checkChanges(site, meta, { records, former, history });
  const icons =
    meta.sprites.mode === 'link'
      ? []
      : kindNames
          .flatMap((kind) => records[kind])
          .flatMap((record) => ('icon' in record ? [record.icon] : []));
  for (const file of new Set([PLACEHOLDER_ICON, ...icons, ...Object.values(errorFiles)])) {
    if (!files.has(file)) site.report(file, 'is missing');
  }
  return { files: files.size, counts: meta.counts, problems };
}

/** The site being verified. */
interface Checked {
  readonly place: Place;
  /** Its regular files. */
  readonly files: ReadonlySet<string>;
  report(file: string, problem: string): void;
}

/** Every file has to be listed, and every listed file has to be there, unchanged. */
function checkManifest(site: Checked, entries: Entries): void {
  // Archives do not contain any.
  const hasServerFiles = [...site.files].some(isServerFile);
  for (const entry of entries.values()) {
    if (!site.files.has(entry.path)) {
      if (hasServerFiles || !isServerFile(entry.path)) site.report(entry.path, 'is missing');
      continue;
    }
    const body = readFrom(site.place, entry.path);
    const sha256 = hash('sha256', body);
    if (body.length !== entry.bytes)
      site.report(entry.path, `has ${body.length} bytes, expected ${entry.bytes}, as in the manifest`);
    else if (sha256 !== entry.sha256)
      site.report(entry.path, `has SHA-256 ${sha256}, expected ${entry.sha256}, as in the manifest`);
  }
  for (const file of site.files)
    if (file !== MANIFEST_FILE && !entries.has(file)) site.report(file, 'is not in the manifest');
}

/** Every page has to be correct, every record has to have its file, and there must be no other files of the kind. */
function checkKind(site: Checked, kind: Kind, meta: Meta): ServedRecord[] {
  const count = meta.counts[kind];
  const records: ServedRecord[] = [];
  const listed = new Set<string>();
  for (const offset of pageOffsets(count)) {
    const file = listPageFile(kind, offset);
    listed.add(file);
    const text = textOf(site, file);
    if (text === undefined) continue;
    const page = {
      kind,
      window: { limit: PAGE_SIZE, offset },
      count,
      linkBase: linkBaseOf(meta),
      after: records.at(-1)?.id ?? 0,
    };
    for (const record of checkListPage(text, page, (problem) => site.report(file, problem))) {
      const own = recordFile(kind, record.slug);
      if (listed.has(own)) site.report(file, `has slug ${record.slug} twice`);
      listed.add(own);
      if (textOf(site, own) !== JSON.stringify(record))
        site.report(own, `differs from the record on ${file}`);
      records.push(record);
    }
  }
  for (const file of site.files)
    if (file.startsWith(listPath(kind).slice(1)) && !listed.has(file))
      site.report(file, 'is not on any list');
  return records;
}

/** The history has to lead to the site's data, and the files derived from it and from former slugs have to match. */
function checkChanges(
  site: Checked,
  meta: Meta,
  { records, ...read }: { records: ServedRecords; former: () => Former; history: () => History },
): void {
  const attempt = <T>(file: string, of: () => T): T | undefined => {
    try {
      return of();
    } catch (error) {
      if (!(error instanceof GamedataError)) throw error;
      // Others are of the manifest's, and reported as such.
      if (error instanceof DataError)
        site.report(file, `${error.location.field ?? 'value'}: ${error.problem}`);
      return undefined;
    }
  };
  const history = attempt(CHANGES_FILE, read.history);
  const [newest] = history?.steps ?? [];
  if (newest && newest.to.digest !== meta.digest)
    site.report(CHANGES_FILE, `ends at digest ${newest.to.digest}, that of the site is ${meta.digest}`);
  const former = attempt(site.files.has(FORMER_FILE) ? FORMER_FILE : CHANGES_FILE, read.former);
  if (!history || !former) return;
  const moved = movedRoutes(former, records);
  const { base_url: baseUrl, captured } = meta;
  for (const file of changeFiles({ history, former, moved }, { baseUrl, captured })) {
    // Earlier versions had none.
    if (file.path === FORMER_FILE && !site.files.has(file.path)) continue;
    const found = textOf(site, file.path);
    if (found !== undefined && found !== file.body)
      site.report(file.path, `does not match ${CHANGES_FILE} and ${FORMER_FILE}`);
  }
}

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

const decoders: Readonly<Record<'' | `.${CompressedExtension}`, Decode>> = {
  '': (bytes) => bytes,
  '.gz': gunzipSync,
  '.br': brotliDecompressSync,
};

/** Bulk files have to contain the records of the list pages, and their compressed copies the same bytes. */
function checkDownloads(site: Checked, served: ServedRecords): void {
  for (const download of downloads) {
    const expected = Buffer.from(download.text(served));
    const maxOutputLength = Math.max(1, expected.length);
    for (const [extension, decode] of Object.entries(decoders)) {
      const file = download.path + extension;
      if (!site.files.has(file)) site.report(file, 'is missing');
      else if (!isSame(() => decode(readFrom(site.place, file), { maxOutputLength }), expected)) {
        const copied = `is not a compressed copy of ${path.posix.basename(download.path)}`;
        site.report(file, extension === '' ? 'does not match the list pages' : copied);
      }
    }
  }
}

/** What cannot be decompressed, or has more bytes than expected, is not the same. */
function isSame(read: () => Buffer, expected: Buffer): boolean {
  try {
    return read().equals(expected);
  } catch {
    return false;
  }
}

function textOf(site: Checked, file: string): string | undefined {
  if (site.files.has(file)) return `${readFrom(site.place, file)}`;
  site.report(file, 'is missing');
  return undefined;
}

function explained<T>(folder: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const problem = `cannot be read (${errorCode(cause)}), expected the folder of a site`;
    throw new OutputError(problem, folder, { cause });
  }
}
