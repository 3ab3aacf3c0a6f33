/** Verifies a built site in a folder: re-reads every file and reports every problem. */

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type History, historySchema } from '../contract/changes.ts';
import { checkListPage } from '../contract/check-list-page.ts';
import { errorFiles } from '../contract/errors.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import { linkBaseOf, type Manifest, type Meta } from '../contract/meta.ts';
import { parseJson } from '../contract/parse.ts';
import {
  CHANGES_FILE,
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
import { emptyHistory, movedRoutes } from '../dataset/history.ts';
import { errorCode, OutputError } from '../errors.ts';
import { listEntries } from '../files/folder.ts';
import { recoverAbandoned } from '../output/publish.ts';
import { changeFiles } from '../site/change-files.ts';
import { readDescriptions } from '../sources/site-folder.ts';
import { checkDownloads } from './downloads.ts';

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

/** A site that was read completely, and its problems. */
export interface InspectedSite {
  readonly report: FolderReport;
  readonly meta: Meta;
  readonly manifest: Manifest;
  readonly records: EncodedRecords;
  readonly history: History;
}

/** As `verifyFolder`, for callers that need the content. */
export function inspectFolder(folder: string): InspectedSite {
  recoverAbandoned(folder);
  const problems: Problem[] = [];
  const entries = listSite(folder);
  const site: Site = {
    folder,
    files: new Set(entries.filter(({ isFile }) => isFile).map((entry) => entry.path)),
    report: (file, problem) => problems.push({ file, problem }),
  };
  for (const entry of entries) if (!entry.isFile) site.report(entry.path, 'is not a regular file');
  const { meta, manifest } = readDescriptions(folder);
  checkManifest(site, manifest.files);
  const records = mapKinds((kind) => checkKind(site, kind, meta));
  if (meta.downloads) checkDownloads(site, { records, linkBase: linkBaseOf(meta) });
  const digest = digestRecords(records);
  if (digest !== meta.digest)
    site.report(META_FILE, `has digest ${meta.digest}, that of the records is ${digest}`);
  const root = JSON.stringify(mapKinds((kind) => listUrl(linkBaseOf(meta), kind)));
  if (readText(site, rootFile) !== root) site.report(rootFile, `expected ${root}`);
  const history = checkChanges(site, meta, records);
  const icons =
    meta.sprites.mode === 'link'
      ? []
      : records.item.map(({ json }) => (JSON.parse(json) as { icon: string }).icon);
  for (const file of new Set([PLACEHOLDER_ICON, ...icons, ...Object.values(errorFiles)])) {
    if (!site.files.has(file)) site.report(file, 'is missing');
  }
  const report = { files: site.files.size, counts: meta.counts, problems };
  return { report, meta, manifest, records, history };
}

/** The folder being verified. */
interface Site {
  readonly folder: string;
  /** Its regular files. */
  readonly files: ReadonlySet<string>;
  report(file: string, problem: string): void;
}

/** Every file has to be listed, and every listed file has to be there, unchanged. */
function checkManifest(site: Site, entries: Manifest['files']): void {
  const unlisted = new Set(site.files);
  unlisted.delete(MANIFEST_FILE);
  for (const entry of entries) {
    unlisted.delete(entry.path);
    if (!site.files.has(entry.path)) {
      site.report(entry.path, 'is missing');
      continue;
    }
    const body = readFileSync(path.join(site.folder, entry.path));
    const sha256 = hash('sha256', body);
    if (body.length !== entry.bytes)
      site.report(entry.path, `has ${body.length} bytes, expected ${entry.bytes}, as in the manifest`);
    else if (sha256 !== entry.sha256)
      site.report(entry.path, `has SHA-256 ${sha256}, expected ${entry.sha256}, as in the manifest`);
  }
  for (const file of unlisted) site.report(file, 'is not in the manifest');
}

/** Every page has to be correct, every record has to have its file, and there must be no other files of the kind. */
function checkKind(site: Site, kind: Kind, meta: Meta): EncodedRecord[] {
  const count = meta.counts[kind];
  const records: EncodedRecord[] = [];
  const folder = listPath(kind).slice(1);
  const unexpected = new Set([...site.files].filter((file) => file.startsWith(folder)));
  for (const offset of pageOffsets(count)) {
    const file = listPageFile(kind, offset);
    unexpected.delete(file);
    const text = readText(site, file);
    if (text === undefined) continue;
    const page = {
      kind,
      window: { limit: PAGE_SIZE, offset },
      count,
      linkBase: linkBaseOf(meta),
      after: records.at(-1)?.id ?? 0,
    };
    for (const { served, ...record } of checkListPage(text, page, (problem) => site.report(file, problem))) {
      const own = recordFile(kind, record.slug);
      if (!unexpected.delete(own) && site.files.has(own)) site.report(file, `has slug ${record.slug} twice`);
      if (readText(site, own) !== served) site.report(own, `differs from the record on ${file}`);
      records.push(record);
    }
  }
  for (const file of unexpected) site.report(file, 'is not on any list');
  return records;
}

/**
 * The history has to lead to the site's data, and the files derived from it have to match.
 *
 * @returns the history; an empty one if it cannot be read, which is reported
 */
function checkChanges(site: Site, meta: Meta, records: EncodedRecords): History {
  const text = readText(site, CHANGES_FILE);
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
    const found = readText(site, file.path);
    if (found !== undefined && found !== file.body) site.report(file.path, `does not match ${CHANGES_FILE}`);
  }
  return result.data;
}

function readText(site: Site, file: string): string | undefined {
  if (site.files.has(file)) return readFileSync(path.join(site.folder, file), 'utf8');
  site.report(file, 'is missing');
  return undefined;
}

function listSite(folder: string): ReturnType<typeof listEntries> {
  try {
    return listEntries(folder);
  } catch (cause) {
    throw new OutputError(`cannot be read (${errorCode(cause)}), expected the folder of a site`, folder, {
      cause,
    });
  }
}
