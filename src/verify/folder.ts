/** Verifies a built site in a folder: re-reads every file and reports every problem. */

import { hash } from 'node:crypto';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { plainBulkRows } from '../contract/files.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { bodyOf, linkBaseOf } from '../contract/meta.ts';
import { type NamesSummary, namesSchema } from '../contract/names.ts';
import { parseJson } from '../contract/parse.ts';
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
  MOVED_FILE,
  namesFile,
  PLACEHOLDER_ICON,
  recordFile,
  rootFile,
} from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { errorFiles } from '../contract/routes.ts';
import { checkListPage, type ServedRecord } from '../contract/served.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import { type ServedRecords, unserved } from '../dataset/data-set.ts';
import { digestRecords, summarizeNames } from '../dataset/digest.ts';
import { movedRoutes } from '../dataset/former.ts';
import { selectNames } from '../dataset/names.ts';
import { DataError, errorCode, GamedataError, OutputError } from '../errors.ts';
import { changeFiles } from '../site/change-files.ts';
import { bulkText, namesFiles } from '../site/record-files.ts';
import { folderPlace, type Place, readFrom } from '../sources/site/place.ts';
import { openSite, type Site } from '../sources/site/read.ts';

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
  const found = listFiles(place);
  const problems: Problem[] = [];
  const site: Checked = {
    ...openSite(place),
    files: new Set(found.filter(({ isFile }) => isFile).map(({ path }) => path)),
    report: (file, problem) => void problems.push({ file, problem }),
  };
  const { meta, files, report } = site;
  for (const { path, isFile } of found) if (!isFile) report(path, 'is not a regular file');
  checkManifest(site);
  const records = mapKinds((kind) => checkKind(site, kind));
  if (meta.downloads) checkDownloads(site, records);
  const digest = digestRecords(mapKinds((kind) => records[kind].map(unserved)));
  if (digest !== meta.digest)
    report(META_FILE, `has digest ${meta.digest}, that of the records is ${digest}`);
  const root = JSON.stringify(mapKinds((kind) => listUrl(linkBaseOf(meta), kind)));
  if (textOf(site, rootFile) !== root) report(rootFile, `expected ${root}`);
  checkNames(records, meta, { report, textOf: (file) => textOf(site, file) });
  checkChanges(site, records);
  const icons =
    meta.sprites.mode === 'link'
      ? []
      : kindNames
          .flatMap((kind) => records[kind])
          .flatMap((record) => ('icon' in record ? [record.icon] : []));
  for (const file of new Set([PLACEHOLDER_ICON, ...icons, ...Object.values(errorFiles)])) {
    if (!files.has(file)) report(file, 'is missing');
  }
  return { files: files.size, counts: meta.counts, problems };
}

/** The site being verified. */
interface Checked extends Site {
  /** Its regular files. */
  readonly files: ReadonlySet<string>;
  readonly report: (file: string, problem: string) => void;
}

function listFiles(place: Place) {
  try {
    return [...place.list()];
  } catch (cause) {
    const problem = `cannot be read (${errorCode(cause)}), expected the folder of a site`;
    throw new OutputError(problem, place.name, { cause });
  }
}

function textOf({ place, files, report }: Checked, file: string): string | undefined {
  if (files.has(file)) return `${readFrom(place, file)}`;
  report(file, 'is missing');
  return undefined;
}

/** Every file has to be listed, and every listed file has to be there, unchanged. */
function checkManifest({ place, entries, files, report }: Checked): void {
  // Archives do not contain any.
  const hasServerFiles = [...files].some(isServerFile);
  for (const { path: file, ...expected } of entries.values()) {
    if (!files.has(file)) {
      if (hasServerFiles || !isServerFile(file)) report(file, 'is missing');
      continue;
    }
    const body = readFrom(place, file);
    const sha256 = hash('sha256', body);
    if (body.length !== expected.bytes)
      report(file, `has ${body.length} bytes, expected ${expected.bytes}, as in the manifest`);
    else if (sha256 !== expected.sha256)
      report(file, `has SHA-256 ${sha256}, expected ${expected.sha256}, as in the manifest`);
  }
  for (const file of files)
    if (file !== MANIFEST_FILE && !entries.has(file)) report(file, 'is not in the manifest');
}

/** Every page has to be correct, every record has to have its file, and there must be no other files of the kind. */
function checkKind(site: Checked, kind: Kind): ServedRecord[] {
  const { meta, files, report } = site;
  const count = meta.counts[kind];
  const records: ServedRecord[] = [];
  const listed = new Set<string>();
  for (const offset of pageOffsets(count)) {
    const file = listPageFile(kind, offset);
    listed.add(file);
    const text = textOf(site, file);
    if (text === undefined) continue;
    const window = { limit: PAGE_SIZE, offset };
    const page = { kind, window, count, linkBase: linkBaseOf(meta), after: records.at(-1)?.id ?? 0 };
    for (const record of checkListPage(text, page, (problem) => report(file, problem))) {
      const own = recordFile(kind, record.slug);
      if (listed.has(own)) report(file, `has slug ${record.slug} twice`);
      listed.add(own);
      if (textOf(site, own) !== JSON.stringify(record)) report(own, `differs from the record on ${file}`);
      records.push(record);
    }
  }
  for (const file of files)
    if (file.startsWith(listPath(kind).slice(1)) && !listed.has(file)) report(file, 'is not on any list');
  return records;
}

/**
 * Names in every language: the files have to be those that a build makes of the names that they hold, as `meta.json` describes
 * them.
 */
export function checkNames(
  records: Parameters<typeof selectNames>[1],
  { names: summary, base_url: baseUrl }: { names?: NamesSummary | undefined; base_url: string },
  { textOf, report }: { textOf(file: string): string | undefined; report: Checked['report'] },
): void {
  const found = Object.keys(summary?.languages ?? {}).flatMap(
    (language) => namesSchema.safeParse(parseJson(textOf(namesFile(language)) ?? '')).data ?? [],
  );
  const names = selectNames(found, records);
  for (const file of namesFiles(names, baseUrl)) {
    const text = Buffer.from(bodyOf(file)).toString();
    if (textOf(file.path) !== text) report(file.path, 'does not match the names of the records');
  }
  if (JSON.stringify(summarizeNames(names)) !== JSON.stringify(summary))
    report(META_FILE, 'describes other names than there are');
}

/** The history has to lead to the site's data, and the files derived from it and from former slugs have to match. */
function checkChanges(site: Checked, records: ServedRecords): void {
  const { meta, files, report } = site;
  const attempt = <T>(file: string, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof GamedataError)) throw error;
      // Others are of the manifest's, and reported as such.
      if (error instanceof DataError) report(file, `${error.location.field ?? 'value'}: ${error.problem}`);
      return undefined;
    }
  };
  const history = attempt(CHANGES_FILE, site.history);
  const [newest] = history?.steps ?? [];
  if (newest && newest.to.digest !== meta.digest)
    report(CHANGES_FILE, `ends at digest ${newest.to.digest}, that of the site is ${meta.digest}`);
  const former = attempt(files.has(FORMER_FILE) ? FORMER_FILE : MOVED_FILE, () => site.former(() => records));
  if (!history || !former) return;
  const moved = movedRoutes(former, records);
  for (const file of changeFiles({ history, former, moved }, meta)) {
    // Earlier versions had none.
    if (file.path === FORMER_FILE && !files.has(file.path)) continue;
    const found = textOf(site, file.path);
    if (found !== undefined && found !== file.body)
      report(file.path, `does not match ${CHANGES_FILE} and ${FORMER_FILE}`);
  }
}

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

const decoders: Readonly<Record<'' | `.${CompressedExtension}`, Decode>> = {
  '': (bytes) => bytes,
  '.gz': gunzipSync,
  '.br': brotliDecompressSync,
};

/** Bulk files have to contain the records of the list pages, and their compressed copies the same bytes. */
function checkDownloads({ place, files, report }: Checked, served: ServedRecords): void {
  for (const row of plainBulkRows) {
    const expected = Buffer.from(bulkText(row, served));
    const maxOutputLength = Math.max(1, expected.length);
    for (const [extension, decode] of Object.entries(decoders)) {
      const file = row.path + extension;
      if (!files.has(file)) report(file, 'is missing');
      else if (!isSame(() => decode(readFrom(place, file), { maxOutputLength }), expected)) {
        const copied = `is not a compressed copy of ${path.posix.basename(row.path)}`;
        report(file, extension === '' ? 'does not match the list pages' : copied);
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
