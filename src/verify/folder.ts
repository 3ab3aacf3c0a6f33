/** Verifies a built site in a folder: re-reads every file and reports every problem. */

import { hash } from 'node:crypto';
import path from 'node:path';
import { plainBulkRows } from '../contract/files.ts';
import { type Kind, kindNames, mapKinds } from '../contract/kinds.ts';
import { bodyOf, linkBaseOf } from '../contract/meta.ts';
import { type NamesSummary, namesSchema } from '../contract/names.ts';
import { parseJson } from '../contract/parse.ts';
import * as paths from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { errorFiles } from '../contract/routes.ts';
import { checkListPage, type ServedRecord } from '../contract/served.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import { type ServedRecords, unserved } from '../dataset/data-set.ts';
import { digestRecords, summarizeNames } from '../dataset/digest.ts';
import { movedRoutes } from '../dataset/former.ts';
import { selectNames } from '../dataset/names.ts';
import { DataError, errorCode, GamedataError, OutputError } from '../errors.ts';
import { decompress } from '../http/body.ts';
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
  const files = new Set(found.filter(({ isFile }) => isFile).map(({ path }) => path));
  const problems: Problem[] = [];
  const report: Checked['report'] = (file, problem) => void problems.push({ file, problem });
  const textOf: Checked['textOf'] = (file) => {
    if (files.has(file)) return `${readFrom(place, file)}`;
    report(file, 'is missing');
    return undefined;
  };
  const site: Checked = { ...openSite(place), files, report, textOf };
  const { meta } = site;
  for (const { path, isFile } of found) if (!isFile) report(path, 'is not a regular file');
  checkManifest(site);
  const records = mapKinds((kind) => checkKind(site, kind));
  if (meta.downloads) checkDownloads(site, records);
  const digest = digestRecords(mapKinds((kind) => records[kind].map(unserved)));
  if (digest !== meta.digest)
    report(paths.META_FILE, `has digest ${meta.digest}, that of the records is ${digest}`);
  const root = JSON.stringify(mapKinds((kind) => paths.listUrl(linkBaseOf(meta), kind)));
  if (textOf(paths.rootFile) !== root) report(paths.rootFile, `expected ${root}`);
  checkNames(records, meta, site);
  checkChanges(site, records);
  const icons = meta.sprites.mode === 'link' ? [] : iconsOf(records);
  for (const file of new Set([paths.PLACEHOLDER_ICON, ...icons, ...Object.values(errorFiles)]))
    if (!files.has(file)) report(file, 'is missing');
  return { files: files.size, counts: meta.counts, problems };
}

/** The site being verified. */
interface Checked extends Site {
  /** Its regular files. */
  readonly files: ReadonlySet<string>;
  report(file: string, problem: string): void;
  /** Reports a file that is missing. */
  textOf(file: string): string | undefined;
}

export const iconsOf = (records: Readonly<Record<Kind, readonly ServedRecord[]>>): string[] =>
  kindNames.flatMap((kind) => records[kind].flatMap((record) => ('icon' in record ? [record.icon] : [])));

function listFiles(place: Place) {
  try {
    return [...place.list()];
  } catch (cause) {
    const problem = `cannot be read (${errorCode(cause)}), expected the folder of a site, an archive (.tar.gz) or a URL`;
    throw new OutputError(problem, place.name, { cause });
  }
}

/** Every file has to be listed, and every listed file has to be there, unchanged. */
function checkManifest({ place, entries, files, report }: Checked): void {
  // Archives do not contain any.
  const hasServerFiles = [...files].some(paths.isServerFile);
  for (const { path: file, ...expected } of entries.values()) {
    if (!files.has(file)) {
      if (hasServerFiles || !paths.isServerFile(file)) report(file, 'is missing');
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
    if (file !== paths.MANIFEST_FILE && !entries.has(file)) report(file, 'is not in the manifest');
}

/** Every page has to be correct, every record has to have its file, and there must be no other files of the kind. */
function checkKind({ meta, files, report, textOf }: Checked, kind: Kind): ServedRecord[] {
  const count = meta.counts[kind];
  const records: ServedRecord[] = [];
  const listed = new Set<string>();
  for (const offset of pageOffsets(count)) {
    const file = paths.listPageFile(kind, offset);
    listed.add(file);
    const text = textOf(file);
    if (text === undefined) continue;
    const window = { limit: PAGE_SIZE, offset };
    const page = { kind, window, count, linkBase: linkBaseOf(meta), after: records.at(-1)?.id ?? 0 };
    for (const record of checkListPage(text, page, (problem) => report(file, problem))) {
      const own = paths.recordFile(kind, record.slug);
      if (listed.has(own)) report(file, `has slug ${record.slug} twice`);
      listed.add(own);
      if (textOf(own) !== JSON.stringify(record)) report(own, `differs from the record on ${file}`);
      records.push(record);
    }
  }
  for (const file of files)
    if (file.startsWith(paths.listPath(kind).slice(1)) && !listed.has(file))
      report(file, 'is not on any list');
  return records;
}

/** Names in every language have to be those that a build makes of them, as `meta.json` describes them. */
export function checkNames(
  records: Parameters<typeof selectNames>[1],
  { names: summary, base_url: baseUrl }: { names?: NamesSummary | undefined; base_url: string },
  { textOf, report }: Pick<Checked, 'textOf' | 'report'>,
): void {
  const found = Object.keys(summary?.languages ?? {}).flatMap(
    (language) => namesSchema.safeParse(parseJson(textOf(paths.namesFile(language)) ?? '')).data ?? [],
  );
  const names = selectNames(found, records);
  for (const file of namesFiles(names, baseUrl))
    if (textOf(file.path) !== `${Buffer.from(bodyOf(file))}`)
      report(file.path, 'does not match the names of the records');
  if (JSON.stringify(summarizeNames(names)) !== JSON.stringify(summary))
    report(paths.META_FILE, 'describes other names than there are');
}

/** The history has to lead to the site's data, and the files derived from it and from former slugs have to match. */
function checkChanges({ meta, files, report, textOf, ...site }: Checked, records: ServedRecords): void {
  const { CHANGES_FILE, FORMER_FILE } = paths;
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
  const former = attempt(FORMER_FILE, site.former);
  if (!history || !former) return;
  const made = { history, former, moved: movedRoutes(former, records) };
  for (const { path, body } of changeFiles(made, meta)) {
    // Earlier versions had no former.json.
    const found = path === FORMER_FILE && !files.has(path) ? body : textOf(path);
    if (found !== undefined && found !== body)
      report(path, `does not match ${CHANGES_FILE} and ${FORMER_FILE}`);
  }
}

/** Bulk files have to contain the records of the list pages, and their compressed copies the same bytes. */
function checkDownloads({ place, files, report }: Checked, served: ServedRecords): void {
  for (const row of plainBulkRows) {
    const expected = Buffer.from(bulkText(row, served));
    const copied = `is not a compressed copy of ${path.posix.basename(row.path)}`;
    for (const [extension, encoding, problem] of [
      ['', '', 'does not match the list pages'],
      ['.gz', 'gzip', copied],
      ['.br', 'br', copied],
    ] as const) {
      const file = row.path + extension;
      const read = (): Buffer => decompress(readFrom(place, file), encoding, expected.length);
      if (!files.has(file)) report(file, 'is missing');
      else if (!isSame(read, expected)) report(file, problem);
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
