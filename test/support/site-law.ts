/** The one law of everything that replaces a site, judged from outside: by what is in its folder before and after. */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { kindNames } from '../../src/contract/kinds.ts';
import type { Records } from './steps-world.ts';

/** A folder as an HTTP server and `sha256sum` see it. */
export interface Seen {
  /** Path → SHA-256 and time of modification. */
  readonly files: ReadonlyMap<string, string>;
  readonly records: Records;
  /** What answers: the records, and the redirects to present ones. */
  readonly addresses: Records;
  readonly baseUrl: string | undefined;
  readonly digest: string | undefined;
  readonly captured: string;
  /** File → why the folder is not one whole site. */
  readonly wrong: ReadonlyMap<string, string>;
}

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

export const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
        .sort()
    : [];

export function look(folder: string): Seen {
  const wrong = new Map<string, string>();
  const bodies = new Map(filesIn(folder).map((file) => [file, readFileSync(path.join(folder, file))]));
  const json = <T>(file: string): Partial<T> => {
    try {
      return JSON.parse(String(bodies.get(file)));
    } catch {
      wrong.set(file, 'is no JSON');
      return {};
    }
  };
  const manifest = json<{ files: { path: string; sha256: string }[] }>('manifest.json');
  const meta = json<{ base_url: string; digest: string; captured: string; counts: object }>('meta.json');
  const listed = new Map(manifest.files?.map((entry) => [entry.path, entry.sha256]));
  for (const [file, sha] of listed) {
    const body = bodies.get(file);
    if (!body || sha256(body) !== sha) wrong.set(file, body ? 'is another' : 'is missing');
  }
  for (const file of bodies.keys())
    if (file !== 'manifest.json' && !listed.has(file)) wrong.set(file, 'is not listed');

  const records = new Map<string, string>();
  for (const file of bodies.keys()) {
    const [, kind = ''] = /^api\/gamedata\/(\w+)\/[^/]+\/index\.json$/.exec(file) ?? [];
    if (kind === '') continue;
    const { id, url } = json<{ id: number; url: string }>(file);
    records.set(`/${file.slice(0, -'index.json'.length)}`, `${kind}/${id}`);
    if (!url?.startsWith(`${meta.base_url}/api/`)) wrong.set(file, `has the URL ${url}`);
  }
  const counted = kindNames.map((kind) => [
    kind,
    [...records.values()].filter((record) => record.startsWith(kind)).length,
  ]);
  if (JSON.stringify(meta.counts) !== JSON.stringify(Object.fromEntries(counted)))
    wrong.set('meta.json', `counts other records than ${JSON.stringify(counted)}`);
  const addresses = new Map(records);
  for (const [from, to] of Object.entries(json<Record<string, string>>('moved.json'))) {
    const target = records.get(to ?? '');
    if (target === undefined || records.has(from)) wrong.set('moved.json', `redirects ${from} to ${to}`);
    else addresses.set(from, target);
  }
  const files = new Map(
    [...bodies].map(([file, body]) => [
      file,
      `${sha256(body)} ${statSync(path.join(folder, file), { bigint: true }).mtimeNs}`,
    ]),
  );
  const { base_url: baseUrl, digest, captured = '' } = meta;
  return { files, records, addresses, baseUrl, digest, captured, wrong };
}

/** What a command is to make of the folder, and what its options let go. */
export interface Intent {
  /** The records that it is to have. */
  readonly records: Records;
  /** The base URL that is named; undefined to keep the published one. */
  readonly baseUrl: string | undefined;
  /** An archive that is named may take anything away. */
  readonly isRestored?: boolean;
  /** Data that is older than any of another digest that is dated from this day on. */
  readonly fallback?: { readonly digest: string | undefined; readonly captured: string } | undefined;
  /** Its records are those of the folder. */
  readonly isSame?: boolean;
  /** It reads from what cannot be reached. */
  readonly isHopeless?: boolean;
  readonly options: readonly string[];
}

const has = ({ options }: Intent, ...words: string[]): boolean => options.join(' ').includes(words.join(' '));

/** The records that options let go, as `move/1`; undefined if they let any go. */
function allowedToGo(before: Seen, intents: readonly Intent[]): ReadonlySet<string> | undefined {
  if (intents.some((one) => one.isRestored || has(one, '--max-shrink', '100'))) return undefined;
  const words = intents.flatMap(({ options }) => options);
  return new Set(words.flatMap((word) => before.addresses.get(`/api/gamedata/${word}/`) ?? []));
}

/** The addresses that end with the records that are to come, unless an option lets them go. */
export function endingAddresses(before: Seen, intents: readonly [Intent, ...Intent[]]): string[] {
  const allowed = allowedToGo(before, intents);
  const [{ records }] = intents;
  const coming = new Set(records.values());
  return [...before.addresses]
    .filter(([address, record]) => !records.has(address) && !coming.has(record))
    .filter(([, record]) => allowed && !allowed.has(record))
    .map(([address]) => address);
}

/** Why a guard may refuse; undefined if it may not. */
function reasonToRefuse(before: Seen, intent: Intent, text: string): string | undefined {
  if (before.wrong.size > 0) return 'the folder is damaged';
  if (isOlder(before, intent)) return 'older data, as a fallback';
  const coming = new Set(intent.records.values());
  // What is forgotten names no record.
  const known = has(intent, '--forget-history') ? { ...before, addresses: before.records } : before;
  const allowed = allowedToGo(known, [intent]);
  const missing = [...before.records.values()].filter((record) => !coming.has(record));
  if (missing.some((record) => allowed && !allowed.has(record))) return 'fewer records';
  if (missing.length > 0 && text.includes('names/')) return 'their names';
  if (endingAddresses(before, [intent]).length > 0) return 'addresses end';
  return undefined;
}

const isOlder = (before: Seen, { fallback }: Intent): boolean =>
  fallback !== undefined && before.digest !== fallback.digest && before.captured >= fallback.captured;

export interface Ended {
  readonly code: number | null;
  readonly text: string;
}

/**
 * What a step that has ended did against the law.
 *
 * @param intents what it is to do, and what killed ones before it, which it may have finished
 */
export function breaches(
  { before, after }: { before: Seen; after: Seen },
  intents: readonly [Intent, ...Intent[]],
  { code, text }: Ended,
  folder: string,
): string[] {
  const [intent, ...unfinished] = intents;
  const found: string[] = [];
  if (code === 1 || code === 4) {
    const isSame = JSON.stringify([...before.files]) === JSON.stringify([...after.files]);
    if (!isSame && unfinished.length === 0) found.push('refused, and yet changed the folder');
    if (code === 4 && unfinished.length === 0 && reasonToRefuse(before, intent, text) === undefined)
      found.push('refused by a guard, without a reason');
    if (code === 1 && unfinished.length === 0 && before.wrong.size === 0 && !intent.isHopeless)
      found.push('failed, without a reason');
    return found;
  }
  // A base URL that cannot be read must be named.
  if (code === 2 && intent.baseUrl === undefined && (before.wrong.has('meta.json') || unfinished.length > 0))
    return [];
  if (code !== 0) return [`ended with ${code}`];
  // A plain build need not notice what looks untouched by its time and size.
  const unnoticed = (file: string): boolean =>
    !has(intent, '--verify') && before.wrong.has(file) && before.files.get(file) === after.files.get(file);
  for (const [file, why] of after.wrong) if (!unnoticed(file)) found.push(`${file} ${why}`);
  const isUnknown = intent.isSame && (before.wrong.size > 0 || unfinished.length > 0);
  const fileOf = (address: string): string => `${address.slice(1)}index.json`;
  for (const address of new Set([...intent.records.keys(), ...after.records.keys()]))
    if (
      !isUnknown &&
      intent.records.get(address) !== after.records.get(address) &&
      !unnoticed(fileOf(address))
    )
      found.push(`${address} is ${after.records.get(address)}, not ${intent.records.get(address)}`);
  const wanted = intent.baseUrl ?? before.baseUrl;
  if (after.baseUrl !== wanted && !unnoticed('meta.json'))
    found.push(`the base URL is ${after.baseUrl}, not ${wanted}`);
  if (isOlder(before, intent) && !before.wrong.has('meta.json')) found.push('a fallback went back in time');
  found.push(...lostAddresses({ before, after }, intents, text));
  const beside = readdirSync(path.dirname(folder)).filter((name) =>
    /^\.site\.gamedata-(?!received)/.test(name),
  );
  if (beside.length > 0) found.push(`left ${beside.join(', ')}`);
  return found;
}

/** Addresses that do not answer any more, or redirect to another record, although nobody let them go and nothing says so. */
function lostAddresses(
  { before, after }: { before: Seen; after: Seen },
  intents: readonly [Intent, ...Intent[]],
  text: string,
): string[] {
  const forgets = intents.some((intent) => has(intent, '--forget-history'));
  const ending = new Set(endingAddresses(before, intents));
  const present = new Set(after.records.values());
  // Where a build was killed, and where somebody has damaged a file, redirects and records are of two sites.
  const mayMove = intents.length > 1 || before.wrong.size > 0 || forgets;
  const lost = [...before.addresses].filter(([address, record]) => {
    if (after.records.has(address)) return false;
    const target = after.addresses.get(address);
    if (target !== undefined) return target !== record && !mayMove;
    // What a killed build had renamed is a redirect by the time that it is forgotten.
    if (forgets && (intents.length > 1 || !before.records.has(address))) return false;
    return present.has(record) || ending.has(address);
  });
  const words = new Set(text.split(/[^\w-]+/));
  const isNamed = (address: string): boolean => words.has(address.split('/')[4] ?? '');
  const isListed = /\bmore\b/.test(text) && lost.some(([address]) => isNamed(address));
  return lost
    .filter(([address]) => !isNamed(address) && !isListed)
    .map(([address, record]) => `${address} was ${record} and is lost, in silence`);
}
