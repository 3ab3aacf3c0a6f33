import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { kindNames } from '../../src/contract/kinds.ts';
import type { Records } from './steps-world.ts';

/**
 * A folder as seen by a command that reads it. If a build was killed after its commit,
 * this is the new site.
 */
export interface Seen {
  /** The SHA-256 and mtime of each file, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly records: Records;
  /** The records, and their redirects. */
  readonly addresses: Records;
  readonly baseUrl: string | undefined;
  readonly digest: string | undefined;
  readonly captured: string;
  /**
   * The problem with each file that differs from the manifest or from the rest of
   * the site.
   */
  readonly wrong: ReadonlyMap<string, string>;
}

/** Lists the files below a folder, or none if the folder is missing. */
export function listFilesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files: string[] = [];
  for (const entry of readdirSync(folder, {
    recursive: true,
    withFileTypes: true,
  })) {
    if (entry.isDirectory()) continue;
    files.push(path.relative(folder, path.join(entry.parentPath, entry.name)));
  }
  return files.sort();
}

/** The fields that `look` reads from meta.json. */
interface SeenMeta {
  readonly base_url: string;
  readonly digest: string;
  readonly captured: string;
  readonly counts: object;
}

const STAGED = '.gamedata/next/';

/** Lists the paths in a manifest. */
function listListedPaths(file: string): string[] {
  const { files } = JSON.parse(readFileSync(file, 'utf8')) as {
    files: { path: string }[];
  };
  return files.map((entry) => entry.path);
}

/**
 * Maps the path of each visible file to the place where it is stored. Staged files are
 * visible if their manifest is staged, too, and the files that it removes are not.
 */
function findVisibleFiles(folder: string): Map<string, string> {
  const visible = new Map<string, string>();
  const staged: string[] = [];
  for (const file of listFilesIn(folder)) {
    if (file.startsWith(STAGED)) staged.push(file);
    else if (!file.startsWith('.gamedata/')) visible.set(file, file);
  }
  const manifest = path.join(folder, 'manifest.json');
  const stagedManifest = path.join(folder, STAGED, 'manifest.json');
  if (!existsSync(stagedManifest)) return visible;
  const kept = new Set(listListedPaths(stagedManifest));
  const published = existsSync(manifest) ? listListedPaths(manifest) : [];
  for (const file of published) {
    if (!kept.has(file)) visible.delete(file);
  }
  for (const file of staged) visible.set(file.slice(STAGED.length), file);
  return new Map([...visible].sort());
}

/**
 * Looks at a folder, which may be damaged, without our own readers. First compares
 * all files with the manifest, then reads the listed records, and finally checks
 * what depends on the records: the counts in meta.json and the targets of redirects.
 */
export function look(folder: string): Seen {
  const wrong = new Map<string, string>();
  const bodies = new Map<string, Buffer>();
  const hashes = new Map<string, string>();
  const files = new Map<string, string>();
  for (const [file, place] of findVisibleFiles(folder)) {
    const absolute = path.join(folder, place);
    const body = readFileSync(absolute);
    const sha256 = hash('sha256', body);
    const { mtimeNs } = statSync(absolute, { bigint: true });
    bodies.set(file, body);
    hashes.set(file, sha256);
    files.set(file, `${sha256} ${mtimeNs}`);
  }
  function parse<T>(file: string): Partial<T> {
    try {
      return JSON.parse(String(bodies.get(file)));
    } catch {
      wrong.set(file, 'is not JSON');
      return {};
    }
  }

  const manifest = parse<{ files: { path: string; sha256: string }[] }>(
    'manifest.json',
  );
  const meta = parse<SeenMeta>('meta.json');
  const listed = new Set<string>();
  for (const entry of manifest.files ?? []) {
    listed.add(entry.path);
    const sha256 = hashes.get(entry.path);
    if (sha256 === undefined) wrong.set(entry.path, 'is missing');
    else if (sha256 !== entry.sha256) wrong.set(entry.path, 'differs');
  }
  for (const file of bodies.keys()) {
    if (file !== 'manifest.json' && !listed.has(file)) {
      wrong.set(file, 'is not listed');
    }
  }

  const records = new Map<string, string>();
  for (const file of bodies.keys()) {
    const kind = /^api\/gamedata\/(\w+)\/[^/]+\/index\.json$/.exec(file)?.[1];
    if (kind === undefined || !listed.has(file)) continue;
    const { id, url } = parse<{ id: number; url: string }>(file);
    const address = `/${file.slice(0, -'index.json'.length)}`;
    records.set(address, `${kind}/${id}`);
    if (!url?.startsWith(`${meta.base_url}/api/`)) {
      wrong.set(file, `has the URL ${url}`);
    }
  }
  const counts = JSON.stringify(countKinds(records));
  if (JSON.stringify(meta.counts) !== counts) {
    wrong.set('meta.json', `has other counts than ${counts}`);
  }

  const addresses = new Map(records);
  const redirects = parse<Record<string, string>>('moved.json');
  for (const [from, to = ''] of Object.entries(redirects)) {
    const target = records.get(to);
    if (target === undefined || records.has(from)) {
      wrong.set('moved.json', `redirects ${from} to ${to}`);
    } else addresses.set(from, target);
  }
  const { base_url: baseUrl, digest, captured = '' } = meta;
  return { files, records, addresses, baseUrl, digest, captured, wrong };
}

/** Counts the records of each kind, in the order of meta.json. */
function countKinds(records: Records): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kindNames) counts[kind] = 0;
  for (const record of records.values()) {
    const kind = record.split('/')[0] ?? '';
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** A command's expected result. */
export interface Intent {
  readonly records: Records;
  /** The base URL in the options; otherwise the published base URL is kept. */
  readonly baseUrl: string | undefined;
  /** Whether the source cannot be reached. */
  readonly isHopeless?: boolean;
  readonly options: readonly string[];
}

/** Returns whether a command's options contain these words, one after another. */
function hasOptions({ options }: Intent, ...words: string[]): boolean {
  return options.join(' ').includes(words.join(' '));
}

/**
 * Finds the records that may be removed according to the options. Returns undefined
 * if all records may be removed.
 */
function findAllowed(before: Seen, intent: Intent): ReadonlySet<string> | undefined {
  if (hasOptions(intent, '--max-shrink', '100')) return undefined;
  const allowed = new Set<string>();
  for (const word of intent.options) {
    const record = before.addresses.get(`/api/gamedata/${word}/`);
    if (record !== undefined) allowed.add(record);
  }
  return allowed;
}

/**
 * Finds the paths that stop working because their records are removed, unless an
 * option allows their removal.
 */
export function findEndingPaths(before: Seen, intent: Intent): string[] {
  const allowed = findAllowed(before, intent);
  if (allowed === undefined) return [];
  const { records } = intent;
  const remaining = new Set(records.values());
  const ending: string[] = [];
  for (const [address, record] of before.addresses) {
    const isKept = records.has(address) || remaining.has(record);
    if (!isKept && !allowed.has(record)) ending.push(address);
  }
  return ending;
}

/** Returns whether the guard has a reason to refuse a command. */
function mayRefuse(before: Seen, intent: Intent, text: string): boolean {
  if (before.wrong.size > 0) return true;
  const allowed = findAllowed(before, intent);
  const remaining = new Set(intent.records.values());
  let isAnyMissing = false;
  for (const record of before.records.values()) {
    if (remaining.has(record)) continue;
    if (allowed && !allowed.has(record)) return true;
    isAnyMissing = true;
  }
  // The names of missing records are missing, too.
  if (isAnyMissing && text.includes('names/')) return true;
  return findEndingPaths(before, intent).length > 0;
}

export function isSameFolder(before: Seen, after: Seen): boolean {
  return JSON.stringify([...before.files]) === JSON.stringify([...after.files]);
}

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

/** A folder before and after a command. */
interface Change {
  readonly before: Seen;
  readonly after: Seen;
}

/**
 * Finds the rules that a command broke. A failed or refused command must have a
 * reason and must not change the folder. A successful one must publish an intact
 * site with exactly the records and the base URL of its intent, must keep every path
 * that its output does not name, and must remove its work folder. Files that were
 * damaged before the command are excused where only `verify` finds them.
 */
export function findBreaches(
  { before, after }: Change,
  intent: Intent,
  { code, text }: Ended,
  folder: string,
): string[] {
  const breaches: string[] = [];
  if (code === 1 || code === 4) {
    const hasFailureReason = before.wrong.size > 0 || intent.isHopeless;
    if (!isSameFolder(before, after)) breaches.push('failed and changed the folder');
    if (code === 4 && !mayRefuse(before, intent, text)) {
      breaches.push('refused by the guard without a reason');
    }
    if (code === 1 && !hasFailureReason) breaches.push('failed without a reason');
    return breaches;
  }
  const needsBaseUrl = before.wrong.has('meta.json');
  if (code === 2 && intent.baseUrl === undefined && needsBaseUrl) return [];

  // A build does not notice a change that keeps size and mtime.
  function isUnnoticed(file: string): boolean {
    if (!before.wrong.has(file)) return false;
    return before.files.get(file) === after.files.get(file);
  }
  // `--verify` reports such a change.
  const isReported = code === 5 && hasOptions(intent, '--verify');
  if (code !== 0 && !(isReported && after.wrong.size > 0)) {
    return [`ended with ${code}`];
  }
  for (const [file, why] of after.wrong) {
    if (!isUnnoticed(file)) breaches.push(`${file} ${why}`);
  }

  const compared = new Set([...intent.records.keys(), ...after.records.keys()]);
  for (const address of compared) {
    const got = after.records.get(address);
    const expected = intent.records.get(address);
    if (got !== expected && !isUnnoticed(`${address.slice(1)}index.json`)) {
      breaches.push(`${address} is ${got}, expected ${expected}`);
    }
  }
  const expectedUrl = intent.baseUrl ?? before.baseUrl;
  if (after.baseUrl !== expectedUrl && !isUnnoticed('meta.json')) {
    breaches.push(`the base URL is ${after.baseUrl}, expected ${expectedUrl}`);
  }
  breaches.push(...findLostPaths({ before, after }, intent, text));
  if (existsSync(path.join(folder, '.gamedata'))) breaches.push('left .gamedata');
  return breaches;
}

/**
 * Finds paths that are lost, or redirect to another record, although no option
 * allows that and no message names them. The path may be a record's own path or a
 * redirect to the record.
 */
function findLostPaths(
  { before, after }: Change,
  intent: Intent,
  text: string,
): string[] {
  const ending = new Set(findEndingPaths(before, intent));
  const currentRecords = new Set(after.records.values());
  // After damage, redirects and records may come from two different sites.
  const mayMove = before.wrong.size > 0;

  function isLost(address: string, record: string): boolean {
    if (after.records.has(address)) return false;
    const target = after.addresses.get(address);
    if (target !== undefined) return target !== record && !mayMove;
    return currentRecords.has(record) || ending.has(address);
  }

  const words = new Set(text.split(/[^\w-]+/));
  const unnamed: string[] = [];
  let isAnyNamed = false;
  for (const [address, record] of before.addresses) {
    if (!isLost(address, record)) continue;
    const slug = address.split('/')[4] ?? '';
    if (words.has(slug)) isAnyNamed = true;
    else unnamed.push(`${address} was ${record}, and is lost without a message`);
  }
  // A long list names the first paths and ends with "… and 3 more".
  const isShortened = isAnyNamed && /\bmore\b/.test(text);
  return isShortened ? [] : unnamed;
}
