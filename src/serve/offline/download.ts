import { DATA_FOLDER, DATA_SET_FILE, META_FILE } from '../../contract/paths.ts';
import { type Bytes, computeSha256, decode } from '../handler/asset-store.ts';
import { dataFiles, type OfflineMeta } from './data-store.ts';

/** Downloads a file of the site, and throws if the host does not send it. */
export type FetchFile = (file: string) => Promise<Bytes>;

/** The contents of files, by path. */
export type Files = ReadonlyMap<string, Bytes>;

/** @throws if the file has the format of another version of gamedata */
export function parseMeta(body: Bytes, format: number): OfflineMeta {
  const meta: OfflineMeta = JSON.parse(decode(body));
  if (meta.format === format) return meta;
  throw new Error(`${META_FILE}: got format ${meta.format}, expected ${format}`);
}

/** The fields of `dataset.json` that the worker uses. */
interface DataSetList {
  readonly digest: string;
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}

/**
 * Downloads the data set and other files of the same site. Verifies the data set before
 * it can be stored, because an intermediate cache may still serve some of the previous
 * files.
 *
 * @param meta the site's current `meta.json`
 * @param otherFiles the paths of pages, scripts and names to download as well
 * @throws if a file is missing, or if the data set is not the one that `meta.json`
 * describes
 */
export async function downloadFiles(
  fetchFile: FetchFile,
  meta: OfflineMeta,
  otherFiles: readonly string[],
): Promise<Files> {
  const paths = [...dataFiles, ...otherFiles];
  const files = new Map<string, Bytes>();
  await Promise.all(
    paths.map(async (path) => {
      files.set(path, await fetchFile(path));
    }),
  );
  await assertIntact(files, meta);
  return files;
}

async function assertIntact(files: Files, meta: OfflineMeta): Promise<void> {
  const listFile = DATA_FOLDER + DATA_SET_FILE;
  const list: DataSetList = JSON.parse(decode(files.get(listFile) ?? NOTHING));
  if (list.digest !== meta.digest) {
    throw new Error(`${listFile}: is from another build than ${META_FILE}`);
  }
  for (const file of dataFiles) {
    // `dataset.json` does not list itself.
    if (file === listFile) continue;
    const entry = list.files.find(({ path }) => DATA_FOLDER + path === file);
    const sha256 = await computeSha256(files.get(file) ?? NOTHING);
    if (entry?.sha256 !== sha256)
      throw new Error(`${file}: differs from ${listFile}`);
  }
}

const NOTHING: Bytes = new Uint8Array();
