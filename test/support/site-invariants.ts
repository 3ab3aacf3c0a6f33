import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { kindNames } from '../../src/contract/kinds.ts';
import type { Records } from './steps-world.ts';

/** A folder as seen by an HTTP server and `sha256sum`. */
export interface Seen {
  /** Path → SHA-256 and mtime. */
  readonly files: ReadonlyMap<string, string>;
  readonly records: Records;
  /** The records, and their redirects. */
  readonly addresses: Records;
  readonly baseUrl: string | undefined;
  readonly digest: string | undefined;
  readonly captured: string;
  readonly wrong: ReadonlyMap<string, string>;
}

export const listFilesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
        .sort()
    : [];

export function look(folder: string): Seen {
  const wrong = new Map<string, string>();
  const bodies = new Map(
    listFilesIn(folder).map((file) => [file, readFileSync(path.join(folder, file))]),
  );
  const hashes = new Map(Array.from(bodies, ([file, body]) => [file, hash('sha256', body)]));
  const parse = <T>(file: string): Partial<T> => {
    try {
      return JSON.parse(String(bodies.get(file)));
    } catch {
      wrong.set(file, 'is not JSON');
      return {};
    }
  };
  const manifest = parse<{ files: { path: string; sha256: string }[] }>('manifest.json');
  const meta = parse<{ base_url: string; digest: string; captured: string; counts: object }>(
    'meta.json',
  );
  const listed = new Map(manifest.files?.map((entry) => [entry.path, entry.sha256]));
  for (const [file, sha256] of listed)
    if (hashes.get(file) !== sha256) wrong.set(file, hashes.has(file) ? 'differs' : 'is missing');
  for (const file of bodies.keys())
    if (file !== 'manifest.json' && !listed.has(file)) wrong.set(file, 'is not listed');

  const records = new Map<string, string>();
  for (const file of bodies.keys()) {
    const [, kind = ''] = /^api\/gamedata\/(\w+)\/[^/]+\/index\.json$/.exec(file) ?? [];
    // A change that was discarded may have left a record behind.
    if (kind === '' || !listed.has(file)) continue;
    const { id, url } = parse<{ id: number; url: string }>(file);
    records.set(`/${file.slice(0, -'index.json'.length)}`, `${kind}/${id}`);
    if (!url?.startsWith(`${meta.base_url}/api/`)) wrong.set(file, `has the URL ${url}`);
  }
  const all = [...records.values()];
  const counts = kindNames.map((kind) => [
    kind,
    all.filter((record) => record.startsWith(kind)).length,
  ]);
  if (JSON.stringify(meta.counts) !== JSON.stringify(Object.fromEntries(counts)))
    wrong.set('meta.json', `has other counts than ${JSON.stringify(counts)}`);
  const addresses = new Map(records);
  for (const [from, to] of Object.entries(parse<Record<string, string>>('moved.json'))) {
    const target = records.get(to ?? '');
    if (target === undefined || records.has(from))
      wrong.set('moved.json', `redirects ${from} to ${to}`);
    else addresses.set(from, target);
  }
  const mark = (file: string): string =>
    `${hashes.get(file)} ${statSync(path.join(folder, file), { bigint: true }).mtimeNs}`;
  const files = new Map(Array.from(bodies.keys(), (file) => [file, mark(file)]));
  const { base_url: baseUrl, digest, captured = '' } = meta;
  return { files, records, addresses, baseUrl, digest, captured, wrong };
}

/** The expected result of a command. */
export interface Intent {
  readonly records: Records;
  /** The base URL in the options; otherwise the published base URL is kept. */
  readonly baseUrl: string | undefined;
  /** Whether the source is an archive, which may remove anything. */
  readonly isRestored?: boolean;
  readonly fallback?: { readonly digest: string; readonly captured: string } | undefined;
  /** Whether the command keeps the records of the folder. */
  readonly isSame?: boolean;
  /** Whether the source cannot be reached. */
  readonly isHopeless?: boolean;
  readonly options: readonly string[];
}

type Intents = readonly [Intent, ...Intent[]];

const has = ({ options }: Intent, ...words: string[]): boolean =>
  options.join(' ').includes(words.join(' '));

/** Finds the records that options allow to remove; undefined for all. */
function findAllowed(before: Seen, intents: readonly Intent[]): ReadonlySet<string> | undefined {
  if (intents.some((one) => one.isRestored || has(one, '--max-shrink', '100'))) return undefined;
  const words = intents.flatMap(({ options }) => options);
  return new Set(words.flatMap((word) => before.addresses.get(`/api/gamedata/${word}/`) ?? []));
}

/** Finds the paths that end because their records are removed, unless an option allows that. */
export function findEndingPaths(before: Seen, intents: Intents): string[] {
  const allowed = findAllowed(before, intents);
  const [{ records }] = intents;
  const next = new Set(records.values());
  return [...before.addresses]
    .filter(([address, record]) => !records.has(address) && !next.has(record))
    .filter(([, record]) => allowed && !allowed.has(record))
    .map(([address]) => address);
}

function mayRefuse(before: Seen, intent: Intent, text: string): boolean {
  if (before.wrong.size > 0 || isOlder(before, intent)) return true;
  const next = new Set(intent.records.values());
  // `--allow-missing` cannot name a forgotten slug.
  const known = has(intent, '--forget-history') ? { ...before, addresses: before.records } : before;
  const allowed = findAllowed(known, [intent]);
  const missing = [...before.records.values()].filter((record) => !next.has(record));
  if (missing.some((record) => allowed && !allowed.has(record))) return true;
  // The names of missing records are missing, too.
  return (
    (missing.length > 0 && text.includes('names/')) || findEndingPaths(before, [intent]).length > 0
  );
}

const isOlder = (before: Seen, { fallback }: Intent): boolean =>
  fallback !== undefined &&
  before.digest !== fallback.digest &&
  before.captured >= fallback.captured;

export const isSameFolder = (before: Seen, after: Seen): boolean =>
  JSON.stringify([...before.files]) === JSON.stringify([...after.files]);

/** The notice of a command that discards an interrupted change. */
export const DISCARDED = 'no longer fits this folder';

interface Ended {
  readonly code: number | null;
  readonly text: string;
  /** Whether this command or one before it discarded a change, which may have left files behind. */
  readonly hasDiscarded: boolean;
}

/**
 * @param intents the intent of the command, and of killed commands before it, which it may have
 * completed
 */
export function findBreaches(
  { before, after }: { before: Seen; after: Seen },
  intents: Intents,
  { code, text, hasDiscarded }: Ended,
  folder: string,
): string[] {
  const [intent, ...unfinished] = intents;
  const found: string[] = [];
  if (code === 1 || code === 4) {
    if (unfinished.length > 0) return [];
    if (!isSameFolder(before, after)) found.push('failed and changed the folder');
    if (code === 4 && !mayRefuse(before, intent, text))
      found.push('refused by the guard without a reason');
    if (code === 1 && before.wrong.size === 0 && !intent.isHopeless)
      found.push('failed without a reason');
    return found;
  }
  const needsBaseUrl = before.wrong.has('meta.json') || unfinished.length > 0;
  if (code === 2 && intent.baseUrl === undefined && needsBaseUrl) return [];
  const isLeftBehind = (file: string): boolean =>
    hasDiscarded && before.wrong.has(file) && after.wrong.get(file) === 'is not listed';
  // `--verify` lists files that were left behind.
  const isListed = code === 5 && [...after.wrong.keys()].every(isLeftBehind);
  if (code !== 0 && !isListed) return [`ended with ${code}`];
  // A build without `--verify` does not notice a change that keeps size and mtime.
  const isUnnoticed = (file: string): boolean =>
    !has(intent, '--verify') &&
    before.wrong.has(file) &&
    before.files.get(file) === after.files.get(file);
  for (const [file, why] of after.wrong) {
    if (!isUnnoticed(file) && !isLeftBehind(file)) found.push(`${file} ${why}`);
  }
  const isUnknown = intent.isSame && (before.wrong.size > 0 || unfinished.length > 0);
  for (const address of isUnknown
    ? []
    : new Set([...intent.records.keys(), ...after.records.keys()])) {
    const [got, expected] = [after.records.get(address), intent.records.get(address)];
    if (got !== expected && !isUnnoticed(`${address.slice(1)}index.json`))
      found.push(`${address} is ${got}, expected ${expected}`);
  }
  const wanted = intent.baseUrl ?? before.baseUrl;
  if (after.baseUrl !== wanted && !isUnnoticed('meta.json'))
    found.push(`the base URL is ${after.baseUrl}, expected ${wanted}`);
  if (isOlder(before, intent) && !before.wrong.has('meta.json'))
    found.push('a fallback replaced newer data');
  found.push(...findLostPaths({ before, after }, intents, text));
  const left = readdirSync(path.dirname(folder)).filter((name) =>
    name.startsWith('.site.gamedata-'),
  );
  // The staging folder of a discarded change stays until the next change.
  const mayLeave = text.includes(DISCARDED) && isSameFolder(before, after);
  if (left.length > 0 && !mayLeave) found.push(`left ${left.join(', ')}`);
  return found;
}

/**
 * Finds paths that are lost, or redirect to another record, although no option allows that and no
 * message names them.
 */
function findLostPaths(
  { before, after }: { before: Seen; after: Seen },
  intents: Intents,
  text: string,
): string[] {
  const forgets = intents.some((intent) => has(intent, '--forget-history'));
  const ending = new Set(findEndingPaths(before, intents));
  const current = new Set(after.records.values());
  // After a kill or damage, redirects and records may be of two sites.
  const mayMove = intents.length > 1 || before.wrong.size > 0 || forgets;
  const lost = [...before.addresses].filter(([address, record]) => {
    if (after.records.has(address)) return false;
    const target = after.addresses.get(address);
    if (target !== undefined) return target !== record && !mayMove;
    // A slug that a killed build renamed is a redirect when the next build forgets it.
    if (forgets && (intents.length > 1 || !before.records.has(address))) return false;
    return current.has(record) || ending.has(address);
  });
  const words = new Set(text.split(/[^\w-]+/));
  const isNamed = (address: string): boolean => words.has(address.split('/')[4] ?? '');
  const isListed = /\bmore\b/.test(text) && lost.some(([address]) => isNamed(address));
  return lost
    .filter(([address]) => !isNamed(address) && !isListed)
    .map(([address, record]) => `${address} was ${record}, and is lost without a message`);
}
