import { hash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { entriesByPath, readManifest, readMeta } from '../built/read.ts';
import { folderStorage, type SiteStorage } from '../built/storage.ts';
import { describeExcess, getMaxBytes } from '../contract/limits.ts';
import { type Entries, isSitePath, type ManifestEntry, manifestReader } from '../contract/meta.ts';
import { parseJson, parseOptional } from '../contract/parse.ts';
import { MANIFEST_FILE } from '../contract/paths.ts';
import { OutputError } from '../errors.ts';
import { attempt, explainFailure, readFile, readStatus } from '../files.ts';
import type { WorkPaths } from './work-paths.ts';

export type Published = ReturnType<typeof readPublished>;

/** @throws OutputError if the folder contains anything but a published site */
export function readPublished(paths: WorkPaths, byContent: boolean) {
  const { name, out, setAside } = paths;
  const list = (): string[] => (existsSync(out) ? readdirSync(out) : []);
  const isEmpty = explainFailure('is not a readable folder', name, list).length === 0;
  // An interrupted first build left files without a manifest.
  const isInterruptedFirstBuild =
    existsSync(setAside) && !readStatus(path.join(out, MANIFEST_FILE));
  if (isEmpty || isInterruptedFirstBuild)
    return { entries: listOwnFiles(paths, []), modified: new Set<string>() };
  const storage = folderStorage(out, name);
  const { files, ...buildInputs } = readOwnManifest(storage);
  const entries = listOwnFiles(paths, files);
  const written = statSync(path.join(out, MANIFEST_FILE)).mtimeMs;
  const isModified = ({ path: file, bytes, sha256 }: ManifestEntry): boolean => {
    const status = readStatus(path.join(out, file));
    // The manifest is never older than its files.
    if (!status?.isFile() || status.size !== bytes || status.mtimeMs > written) return true;
    return byContent && hashFile(out, file) !== sha256;
  };
  const modified = new Set([...entries.values()].filter(isModified).map((entry) => entry.path));
  return { entries, modified, buildInputs, meta: readMeta(storage, entries) };
}

function readOwnManifest(storage: SiteStorage) {
  try {
    return readManifest(storage);
  } catch (cause) {
    if (!(cause instanceof OutputError) || cause.hint !== undefined) throw cause;
    const hint = 'Choose a new or empty folder with --out.';
    throw new OutputError(`contains files, but ${cause.problem}`, storage.name, { cause, hint });
  }
}

/** Version 146d34f stored an unfinished change in this format, with the files that were yet to be removed. */
const oldRecordSchema = z.object({ remove: z.array(z.string().refine(isSitePath)) });

/** Lists the files in a folder that gamedata wrote: files in its manifest, and files that have the content of a change that was set aside. */
export function listOwnFiles(
  { out, setAside }: WorkPaths,
  listed: readonly ManifestEntry[],
): Entries {
  const own = (attempt(() => readdirSync(setAside)) ?? []).flatMap((name) => {
    const text = attempt(() => readFile(setAside, name, getMaxBytes(MANIFEST_FILE))) ?? '';
    const change = parseJson(`${text}`);
    const { files = [] } = parseOptional(manifestReader, change) ?? {};
    const { remove = [] } = parseOptional(oldRecordSchema, change) ?? {};
    return [
      ...files.filter((entry) => hashFile(out, entry.path) === entry.sha256),
      ...remove
        .filter((file) => readStatus(path.join(out, file))?.isFile())
        .map((file) => ({ path: file, bytes: 0, sha256: '' })),
    ];
  });
  return entriesByPath({ files: [...own, ...listed] });
}

export function readFileList(site: string): ManifestEntry[] | undefined {
  const text =
    attempt(() => readFile(site, MANIFEST_FILE), 'ENOENT', 'ENOTDIR', 'not a regular file') ?? '';
  return parseOptional(manifestReader, parseJson(`${text}`))?.files;
}

export const hashFile = (folder: string, file: string): string | undefined =>
  attempt(() => hash('sha256', readFile(folder, file)));

export function createEntry(path: string, body: Uint8Array): ManifestEntry {
  const problem = describeExcess(body.length, getMaxBytes(path));
  if (problem !== undefined) throw new OutputError(problem, path);
  return { path, bytes: body.length, sha256: hash('sha256', body) };
}
