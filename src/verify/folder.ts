/** Verifying a folder: re-reads a built site and says everything that is wrong with it. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type * as z from 'zod';
import { changeFiles } from '../changes/files.ts';
import { emptyHistory, movedRoutes } from '../changes/history.ts';
import {
  listPath,
  listUrl,
  PLACEHOLDER_ICON,
  pageFile,
  recordFile,
  rootFile,
} from '../contract/addresses.ts';
import { CHANGES_FILE, type History, historySchema } from '../contract/changes.ts';
import { checkPage } from '../contract/check.ts';
import type { Counts, EncodedRecord, EncodedRecords } from '../contract/data-set.ts';
import { errorFiles } from '../contract/errors.ts';
import { type Kind, mapKinds } from '../contract/kinds.ts';
import {
  MANIFEST_FILE,
  type Manifest,
  META_FILE,
  type Meta,
  manifestSchema,
  metaSchema,
} from '../contract/meta.ts';
import { PAGE_SIZE, pageOffsets } from '../contract/windows.ts';
import { digestRecords } from '../digest.ts';
import { errorCode, OutputError } from '../errors.ts';
import { healAbandoned } from '../output/publish.ts';
import { listFiles } from '../output/published.ts';
import { checkDownloads } from './downloads.ts';

/** Something that is wrong, and the file it is wrong in. */
export interface Problem {
  readonly file: string;
  readonly problem: string;
}

export interface FolderReport {
  /** Every file of the folder, the manifest included. */
  readonly files: number;
  readonly counts: Counts;
  /** Empty where the site is complete, linked, equal to its manifest and true to the schemas. */
  readonly problems: readonly Problem[];
}

/**
 * Reads every file of a built site.
 *
 * @throws OutputError where the folder has no manifest and description to go by
 */
export const verifyFolder = (folder: string): FolderReport => examineFolder(folder).report;

/** What a folder holds beside what is wrong with it. */
export interface Examined {
  readonly report: FolderReport;
  readonly meta: Meta;
  readonly manifest: Manifest;
  readonly records: EncodedRecords;
  readonly history: History;
}

/** As `verifyFolder`, for who needs what was read. */
export function examineFolder(folder: string): Examined {
  healAbandoned(folder);
  const problems: Problem[] = [];
  const site: Site = {
    folder,
    files: new Set(listSite(folder)),
    report: (file, problem) => problems.push({ file, problem }),
  };
  const { meta, manifest } = readDescriptions(folder);
  checkManifest(site, manifest.files);
  const records = mapKinds((kind) => checkKind(site, kind, meta));
  if (meta.downloads) checkDownloads(site, { records, linkBase: linkBaseOf(meta) });
  const digest = digestRecords(records);
  if (digest !== meta.digest)
    site.report(META_FILE, `says digest ${meta.digest}, the records have ${digest}`);
  const root = JSON.stringify(mapKinds((kind) => listUrl(linkBaseOf(meta), kind)));
  if (readText(site, rootFile) !== root) site.report(rootFile, `is not ${root}`);
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

/** A folder under examination. */
interface Site {
  readonly folder: string;
  readonly files: ReadonlySet<string>;
  report(file: string, problem: string): void;
}

const linkBaseOf = ({ base_url, links }: Meta) => ({ baseUrl: base_url, links });

/** Every file has to be listed, there, and the very bytes that were built. */
function checkManifest(site: Site, entries: Manifest['files']): void {
  const listed = new Set<string>([MANIFEST_FILE]);
  for (const entry of entries) {
    listed.add(entry.path);
    if (!site.files.has(entry.path)) {
      site.report(entry.path, 'is missing');
      continue;
    }
    const body = readFileSync(path.join(site.folder, entry.path));
    const sha256 = createHash('sha256').update(body).digest('hex');
    if (body.length !== entry.bytes)
      site.report(entry.path, `has ${body.length} bytes, the manifest says ${entry.bytes}`);
    else if (sha256 !== entry.sha256)
      site.report(entry.path, `has SHA-256 ${sha256}, the manifest says ${entry.sha256}`);
  }
  for (const file of site.files) {
    if (!listed.has(file)) site.report(file, 'is not in the manifest');
  }
}

/** Every page has to be right, every record on it to have its file, and no other file to look like one of them. */
function checkKind(site: Site, kind: Kind, meta: Meta): EncodedRecord[] {
  const count = meta.counts[kind];
  const records: EncodedRecord[] = [];
  const expected = new Set<string>();
  for (const offset of pageOffsets(count)) {
    const file = pageFile(kind, offset);
    expected.add(file);
    const text = readText(site, file);
    if (text === undefined) continue;
    const page = {
      kind,
      window: { limit: PAGE_SIZE, offset },
      count,
      linkBase: linkBaseOf(meta),
      after: records.at(-1)?.id ?? 0,
    };
    for (const record of checkPage(text, page, (problem) => site.report(file, problem))) {
      const own = recordFile(kind, record.slug);
      if (expected.has(own)) site.report(file, `has slug ${record.slug} twice`);
      expected.add(own);
      if (readText(site, own) !== record.served) site.report(own, `is not its record on ${file}`);
      records.push(record);
    }
  }
  const folder = listPath(kind).slice(1);
  for (const file of site.files) {
    if (file.startsWith(folder) && !expected.has(file)) site.report(file, 'belongs to no list');
  }
  return records;
}

/** The history has to lead to the site's data, and the feed and the moved addresses to be what it makes of them. */
/** Returns the history; an empty one where there is none that can be read, and that is reported. */
function checkChanges(site: Site, meta: Meta, records: EncodedRecords): History {
  const text = readText(site, CHANGES_FILE);
  if (text === undefined) return emptyHistory;
  const result = historySchema.safeParse(parseJson(text));
  if (!result.success) {
    const [issue] = result.error.issues;
    site.report(CHANGES_FILE, `${issue?.path.join('.') || 'the whole'}: ${issue?.message}`);
    return emptyHistory;
  }
  const [newest] = result.data.steps;
  if (newest && newest.to.digest !== meta.digest)
    site.report(CHANGES_FILE, `leads to digest ${newest.to.digest}, the site has ${meta.digest}`);
  const moved = movedRoutes(result.data, records);
  const feed = { baseUrl: meta.base_url, captured: meta.captured };
  for (const file of changeFiles(result.data, moved, feed)) {
    const found = readText(site, file.path);
    if (found !== undefined && found !== file.body)
      site.report(file.path, `is not what ${CHANGES_FILE} makes of it`);
  }
  return result.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readText(site: Site, file: string): string | undefined {
  if (site.files.has(file)) return readFileSync(path.join(site.folder, file), 'utf8');
  site.report(file, 'is missing');
  return undefined;
}

/**
 * Reads what a site says of itself.
 *
 * @throws OutputError where it does not
 */
export function readDescriptions(folder: string): { meta: Meta; manifest: Manifest } {
  return {
    meta: readDescription(folder, META_FILE, metaSchema),
    manifest: readDescription(folder, MANIFEST_FILE, manifestSchema),
  };
}

/** Reads one of the site's files about itself, without which there is nothing to compare with. */
function readDescription<S extends z.ZodType>(folder: string, file: string, schema: S): z.infer<S> {
  const fail = (problem: string, cause?: unknown): OutputError =>
    new OutputError(`holds no ${file} of a gamedata build: ${problem}`, folder, { cause });
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  } catch (cause) {
    throw fail(errorCode(cause) || 'it is not JSON', cause);
  }
  const result = schema.safeParse(json);
  if (!result.success)
    throw fail(`${result.error.issues[0]?.path.join('.')}: ${result.error.issues[0]?.message}`);
  return result.data;
}

function listSite(folder: string): string[] {
  try {
    return listFiles(folder);
  } catch (cause) {
    throw new OutputError(`cannot be read (${errorCode(cause)}), expected the folder of a site`, folder, {
      cause,
    });
  }
}
