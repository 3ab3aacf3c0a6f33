import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import * as paths from '../../contract/paths.ts';
import {
  addUrls,
  createApiValues,
  createMovedPaths,
} from '../../data/api-values.ts';
import {
  type Addressed,
  type AddressedRecords,
  createRedirects,
  type OldSlugs,
} from '../../data/redirects.ts';
import {
  type Asset,
  type AssetStore,
  type Bytes,
  createEtag,
  decode,
  encode,
} from '../handler/asset-store.ts';

/** Reads a file from the stored site. Returns undefined if it is not stored. */
export type ReadFile = (file: string) => Promise<Bytes | undefined>;

/** The fields of `meta.json` that the worker uses. */
export interface OfflineMeta {
  readonly format: number;
  readonly digest: string;
  /** The date of the data, in the form `YYYY-MM-DD`. */
  readonly captured: string;
  readonly base_url: string;
  readonly links: paths.LinkStyle;
  /** The languages in which records have names. */
  readonly names?:
    | { readonly languages: Readonly<Record<string, unknown>> }
    | undefined;
}

/** The data set files from which the worker generates the API. */
export const dataFiles: readonly string[] = [
  paths.DATA_SET_FILE,
  paths.OLD_SLUGS_FILE,
  ...kindNames.map(paths.recordsFile),
].map((file) => paths.DATA_FOLDER + file);

/**
 * Creates a store with the same API files as the site's folder. The site has thousands
 * of them, so each file is encoded when it is first requested. All other files come
 * from `readFile`.
 */
export async function createDataStore(
  meta: OfflineMeta,
  readFile: ReadFile,
): Promise<AssetStore> {
  const values = await createValues(meta, readFile);

  async function loadAsset(file: string): Promise<Asset | undefined> {
    const value = values.get(file);
    const body =
      value === undefined ? await readFile(file) : encode(JSON.stringify(value));
    if (!body) return undefined;
    return { body, etag: await createEtag(body) };
  }

  const assets = new Map<string, Promise<Asset | undefined>>();
  return {
    get(file) {
      const asset = assets.get(file) ?? loadAsset(file);
      assets.set(file, asset);
      return asset;
    },
  };
}

/** Creates the JSON values of the API files and of the redirects, by path. */
async function createValues(
  meta: OfflineMeta,
  readFile: ReadFile,
): Promise<Map<string, unknown>> {
  const base: paths.LinkBase = { baseUrl: meta.base_url, links: meta.links };
  const records = await readRecords(readFile);
  const oldSlugs = await readOldSlugs(readFile);
  const values = createApiValues(base, addUrls(base, records));
  const redirects = createRedirects(oldSlugs, records);
  values.set(paths.MOVED_FILE, createMovedPaths(redirects));
  return values;
}

/** Reads the records. The build has already validated all their fields. */
async function readRecords(readFile: ReadFile): Promise<AddressedRecords> {
  const records: Record<Kind, Addressed[]> = mapKinds(() => []);
  for (const kind of kindNames) {
    const text = await readText(readFile, paths.recordsFile(kind));
    for (const line of text.split('\n')) {
      if (line !== '') records[kind].push(JSON.parse(line));
    }
  }
  return records;
}

async function readOldSlugs(readFile: ReadFile): Promise<OldSlugs> {
  const text = await readText(readFile, paths.OLD_SLUGS_FILE);
  const oldSlugs: Record<Kind, Record<string, number>> = JSON.parse(text);
  return mapKinds((kind) => new Map(Object.entries(oldSlugs[kind])));
}

async function readText(readFile: ReadFile, file: string): Promise<string> {
  const body = await readFile(paths.DATA_FOLDER + file);
  if (!body) throw new Error(`${file}: is not stored`);
  return decode(body);
}
