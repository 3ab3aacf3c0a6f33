import { type Kind, kindNames, mapKinds } from '../../contract/kinds.ts';
import { PAGE_SIZE, pageOffsets } from '../../contract/page-range.ts';
import * as paths from '../../contract/paths.ts';
import {
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

/** Reads a stored file of the site. */
export type ReadFile = (file: string) => Promise<Bytes | undefined>;

/** The fields of `meta.json` that the worker uses. */
export interface OfflineMeta {
  readonly format: number;
  readonly digest: string;
  /** The date of the data, in the form `YYYY-MM-DD`. */
  readonly captured: string;
  readonly base_url: string;
  readonly links: paths.LinkStyle;
  /** The languages that records have names in. */
  readonly names?:
    | { readonly languages: Readonly<Record<string, unknown>> }
    | undefined;
}

/** The files of the data set that the API consists of. */
export const dataFiles: readonly string[] = [
  paths.DATA_SET_FILE,
  paths.OLD_SLUGS_FILE,
  ...kindNames.map(paths.recordsFile),
].map((file) => paths.DATA_FOLDER + file);

/**
 * Creates a store with the same API files as the site's folder. The site has thousands
 * of them, so each file is created when it is first requested. All other files come
 * from `readFile`.
 */
export async function createDataStore(
  meta: OfflineMeta,
  readFile: ReadFile,
): Promise<AssetStore> {
  const apiFiles = await listApiFiles(meta, readFile);

  async function loadAsset(file: string): Promise<Asset | undefined> {
    const createValue = apiFiles.get(file);
    const body = createValue
      ? encode(JSON.stringify(createValue()))
      : await readFile(file);
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

/** Functions that create the JSON values of the API files, by file. */
type ApiFiles = ReadonlyMap<string, () => unknown>;

/** Lists the API root, the built list pages, the records and the redirects. */
async function listApiFiles(
  meta: OfflineMeta,
  readFile: ReadFile,
): Promise<ApiFiles> {
  const base: paths.LinkBase = { baseUrl: meta.base_url, links: meta.links };
  const records = await readRecords(readFile);
  const oldSlugs = await readOldSlugs(readFile);
  const apiFiles = new Map<string, () => unknown>();
  apiFiles.set(paths.rootFile, () => mapKinds((kind) => paths.listUrl(base, kind)));
  apiFiles.set(paths.MOVED_FILE, () => createMovedPaths(oldSlugs, records));
  for (const kind of kindNames) {
    const kindRecords = records[kind];
    for (const record of kindRecords) {
      const file = paths.recordFile(kind, record.slug);
      apiFiles.set(file, () => addUrl(base, kind, record));
    }
    for (const offset of pageOffsets(kindRecords.length)) {
      const file = paths.listPageFile(kind, offset);
      apiFiles.set(file, () => createBuiltPage(base, kind, kindRecords, offset));
    }
  }
  return apiFiles;
}

/** A record without `url`. The build has already validated all of its fields. */
type StoredRecord = AddressedRecords[Kind][number];

function addUrl(base: paths.LinkBase, kind: Kind, record: StoredRecord): object {
  return { url: paths.recordUrl(base, kind, record.slug), ...record };
}

/** Creates the page that the build has created at an offset. */
function createBuiltPage(
  base: paths.LinkBase,
  kind: Kind,
  records: readonly StoredRecord[],
  offset: number,
): paths.ListPage {
  const range = { limit: PAGE_SIZE, offset };
  const pageRecords = records.slice(offset, offset + PAGE_SIZE);
  const results = pageRecords.map((record) => addUrl(base, kind, record));
  const count = records.length;
  return paths.createListPage(base, kind, { range, count, results });
}

function createMovedPaths(oldSlugs: OldSlugs, records: AddressedRecords): object {
  const moved: Record<string, string> = {};
  for (const { path, to } of createRedirects(oldSlugs, records)) moved[path] = to;
  return moved;
}

async function readRecords(readFile: ReadFile): Promise<AddressedRecords> {
  const records: Record<Kind, StoredRecord[]> = mapKinds(() => []);
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
