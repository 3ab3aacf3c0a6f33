/** Verifies a built site in a folder: re-reads every file and reports every problem. */

import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type History, historySchema } from '../contract/changes.ts';
import { checkListPage } from '../contract/check-list-page.ts';
import { errorFiles } from '../contract/errors.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { type Entries, linkBaseOf, type Meta } from '../contract/meta.ts';
import { parseJson } from '../contract/parse.ts';
import {
  CHANGES_FILE,
  type CompressedExtension,
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
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import type { EncodedRecord, EncodedRecords } from '../dataset/data-set.ts';
import { digestRecords } from '../dataset/digest.ts';
import { type ServedTexts, servedTexts } from '../dataset/encode.ts';
import { emptyHistory, movedRoutes } from '../dataset/history.ts';
import { errorCode, OutputError } from '../errors.ts';
import { readFile, readText, walk } from '../files.ts';
import { recoverAbandoned } from '../publish/publish.ts';
import { changeFiles } from '../site/change-files.ts';
import { downloads } from '../site/downloads.ts';
import { readDescriptions } from '../sources/site-folder.ts';
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
export const verifyFolder = (folder: string): FolderReport => inspectFolder(folder).report;

/** As `verifyFolder`, for callers that need the content: the site, read completely, and its problems. */
export function inspectFolder(folder: string) {
  recoverAbandoned(folder);
  explained(folder, () => readdirSync(folder));
  const { meta, manifest } = readDescriptions(folder);
  const entries: Entries = new Map(manifest.files.map((entry) => [entry.path, entry]));
  const problems: Problem[] = [];
  const files = new Set<string>();
  const site: Site = { folder, files, report: (file, problem) => void problems.push({ file, problem }) };
  for (const { path: file, isFile } of explained(folder, () => [...walk(folder)])) {
    if (isFile) files.add(file);
    else site.report(file, 'is not a regular file');
  }
  checkManifest(site, entries);
  const records = mapKinds((kind) => checkKind(site, kind, meta));
  if (meta.downloads) checkDownloads(site, servedTexts(linkBaseOf(meta), records));
  const digest = digestRecords(records);
  if (digest !== meta.digest)
    site.report(META_FILE, `has digest ${meta.digest}, that of the records is ${digest}`);
  const root = JSON.stringify(mapKinds((kind) => listUrl(linkBaseOf(meta), kind)));
  if (textOf(site, rootFile) !== root) site.report(rootFile, `expected ${root}`);
  const names = checkNames(records, meta, { ...site, textOf: (file) => textOf(site, file) });
  const history = checkChanges(site, meta, records);
  const icons =
    meta.sprites.mode === 'link'
      ? []
      : records.item.map(({ json }) => (JSON.parse(json) as { icon: string }).icon);
  for (const file of new Set([PLACEHOLDER_ICON, ...icons, ...Object.values(errorFiles)])) {
    if (!files.has(file)) site.report(file, 'is missing');
  }
  const report: FolderReport = { files: files.size, counts: meta.counts, problems };
  return { report, meta, entries, records, names, history };
}

/** The folder being verified. */
interface Site {
  readonly folder: string;
  /** Its regular files. */
  readonly files: ReadonlySet<string>;
  report(file: string, problem: string): void;
}

/** Every file has to be listed, and every listed file has to be there, unchanged. */
function checkManifest(site: Site, entries: Entries): void {
  for (const entry of entries.values()) {
    if (!site.files.has(entry.path)) {
      site.report(entry.path, 'is missing');
      continue;
    }
    const body = readFile(site.folder, entry.path);
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
function checkKind(site: Site, kind: Kind, meta: Meta): EncodedRecord[] {
  const count = meta.counts[kind];
  const records: EncodedRecord[] = [];
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
    for (const { id, slug, json, served } of checkListPage(text, page, (problem) =>
      site.report(file, problem),
    )) {
      const own = recordFile(kind, slug);
      if (listed.has(own)) site.report(file, `has slug ${slug} twice`);
      listed.add(own);
      if (textOf(site, own) !== served) site.report(own, `differs from the record on ${file}`);
      records.push({ id, slug, json });
    }
  }
  for (const file of site.files)
    if (file.startsWith(listPath(kind).slice(1)) && !listed.has(file))
      site.report(file, 'is not on any list');
  return records;
}

/**
 * The history has to lead to the site's data, and the files derived from it have to match.
 *
 * @returns the history; an empty one if it cannot be read, which is reported
 */
function checkChanges(site: Site, meta: Meta, records: EncodedRecords): History {
  const text = textOf(site, CHANGES_FILE);
  if (text === undefined) return emptyHistory;
  const result = historySchema.safeParse(parseJson(text));
  if (!result.success) {
    const [issue] = result.error.issues;
    site.report(CHANGES_FILE, `${issue?.path.join('.') || 'value'}: ${issue?.message}`);
    return emptyHistory;
  }
  const [newest] = result.data.steps;
  if (newest && newest.to.digest !== meta.digest)
    site.report(CHANGES_FILE, `ends at digest ${newest.to.digest}, that of the site is ${meta.digest}`);
  const moved = movedRoutes(result.data, records);
  for (const file of changeFiles(result.data, moved, { baseUrl: meta.base_url, captured: meta.captured })) {
    const found = textOf(site, file.path);
    if (found !== undefined && found !== file.body) site.report(file.path, `does not match ${CHANGES_FILE}`);
  }
  return result.data;
}

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

const decoders: Readonly<Record<'' | `.${CompressedExtension}`, Decode>> = {
  '': (bytes) => bytes,
  '.gz': gunzipSync,
  '.br': brotliDecompressSync,
};

/** Bulk files have to contain the records of the list pages, and their compressed copies the same bytes. */
function checkDownloads(site: Site, served: ServedTexts): void {
  for (const download of downloads) {
    const expected = Buffer.from(download.text(served));
    const maxOutputLength = Math.max(1, expected.length);
    for (const [extension, decode] of Object.entries(decoders)) {
      const file = download.path + extension;
      if (!site.files.has(file)) site.report(file, 'is missing');
      else if (!isSame(() => decode(readFile(site.folder, file), { maxOutputLength }), expected)) {
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

function textOf(site: Site, file: string): string | undefined {
  if (site.files.has(file)) return readText(site.folder, file);
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
