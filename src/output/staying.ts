/** Which published files stay as they are. */

import type { Making, ManifestEntry } from '../contract/meta.ts';
import type { AnyFile, Body, ListedFile, MadeFile, Text } from '../contract/site-file.ts';
import { measure } from './listing.ts';
import type { Published } from './published.ts';

export interface Staying {
  /** For files that say what they are made from, by path: the SHA-256 of that. */
  readonly derived: Readonly<Record<string, string>>;
  /** Whether a file stays, of those asked about so far. */
  has(path: string): boolean;
  /** The entry of a file that stays without being made: of the same hash, or made by the same code from the same. */
  unmade(file: AnyFile): ManifestEntry | undefined;
  /** Whether a file stays that was made, as it has the same hash. */
  made(entry: ManifestEntry): boolean;
  /** Those of all files that stay, in the manifest's order. */
  entries(): ManifestEntry[];
  /** The paths of those that nobody asked about. */
  removed(): string[];
}

export interface StayingOptions {
  readonly making: Making;
  /** Whether the manifest may be wrong about what the published files were made from. */
  readonly remake: boolean;
  readonly encode: (body: Body) => Iterable<Uint8Array>;
}

/** What may be known of a file before it is made. */
type FileTraits = Pick<AnyFile, 'path'> &
  Partial<Pick<MadeFile, 'partOf' | 'inputs'> & Pick<ListedFile, 'sha256'>>;

/** What becomes of a published file. */
const REMOVED = 0;
const REPLACED = 1;
const STAYS = 2;

export function createStaying(
  { entries, derived: old, making: before, findTouched }: Published,
  { making, remake, encode }: StayingOptions,
): Staying {
  const { files } = entries;
  const isSameCode = !remake && making.code !== undefined && making.code === before?.code;
  /** By place in the manifest. */
  const fates = new Uint8Array(files.length);
  const derived: Record<string, string> = {};
  let touched: ReadonlySet<ManifestEntry> | undefined;
  /** Many files are made of the same. */
  const digests = new Map<Text, string>();

  function digestOf(inputs: Text): string {
    const digest = digests.get(inputs) ?? measure(encode(inputs)).sha256;
    digests.set(inputs, digest);
    return digest;
  }

  const has = (path: string): boolean => fates[entries.place(path) ?? -1] === STAYS;

  function keep(path: string, isSame: (entry: ManifestEntry) => boolean): ManifestEntry | undefined {
    const place = entries.place(path) ?? -1;
    const entry = files[place];
    if (!entry) return undefined;
    fates[place] = REPLACED;
    if (!isSame(entry)) return undefined;
    touched ??= findTouched();
    if (touched.has(entry)) return undefined;
    fates[place] = STAYS;
    return entry;
  }

  return {
    derived,
    has,
    unmade(file) {
      const { path, partOf, inputs, sha256 }: FileTraits = file;
      if (inputs !== undefined) derived[path] = digestOf(inputs);
      const isPart = isSameCode && partOf !== undefined && has(partOf);
      const isDerived = isSameCode && inputs !== undefined && derived[path] === old[path];
      return keep(path, (entry) => isPart || isDerived || entry.sha256 === sha256);
    },
    made: ({ path, sha256 }) => keep(path, (entry) => entry.sha256 === sha256) !== undefined,
    entries: () => files.filter((_, place) => fates[place] === STAYS),
    removed: () => files.filter((_, place) => fates[place] === REMOVED).map(({ path }) => path),
  };
}
