/**
 * Reads data sets and sites that are published at a URL. All files come from one
 * deployment: the file that is read first lists the hashes of all others. If a file
 * does not match its hash, not even past caches, the list is read again. If it has
 * changed, a new deployment has replaced the files meanwhile, so everything is read
 * again.
 */

import { getMaxBytes } from '../contract/limits.ts';
import { type Entries, entriesByPath } from '../contract/meta.ts';
import { createForeignError, parseManifest } from '../contract/own-files.ts';
import {
  DATA_FOLDER,
  DATA_SET_FILE,
  encodePath,
  MANIFEST_FILE,
} from '../contract/paths.ts';
import type { DataSet } from '../data/data-set.ts';
import { parseDescription, readDataSet } from '../data/data-set-folder.ts';
import { findMismatch } from '../data/entries.ts';
import { GamedataError } from '../errors.ts';
import {
  type Client,
  type ClientOptions,
  closeOnAbort,
  createClient,
  findFailure,
} from './client.ts';
import { type CopiedSite, type CopyOptions, readSite } from './copied-site.ts';
import type { Progress } from './source.ts';
import type { RequestStats } from './transport.ts';

/** A site may be deployed while we read it, but not three times in a row. */
const MAX_DEPLOYMENTS = 3;

export interface RemoteOptions extends ClientOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface RemoteSiteOptions extends RemoteOptions, CopyOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface RemoteDataSet {
  readonly dataSet: DataSet;
  readonly requests: RequestStats;
}

/**
 * Reads a data set from the URL of a site, or of a folder with the name `data`.
 *
 * @throws GamedataError if a file cannot be read or is invalid
 */
export function readRemoteDataSet(
  url: string,
  options: RemoteOptions,
): Promise<RemoteDataSet> {
  const folder = `/${DATA_FOLDER.slice(0, -1)}`;
  const address = url.endsWith(folder) ? url : url + folder;
  return closeOnAbort(createClient(options), options.signal, async (client) => {
    const remote = { client, address, hashListFile: DATA_SET_FILE };
    const dataSet = await retryIfRedeployed(remote, (hashList) =>
      readListedDataSet(remote, hashList),
    );
    return { dataSet, requests: client.stats };
  });
}

/** Reads the data set whose files the hash list lists. */
function readListedDataSet(
  remote: RemoteFolder,
  hashList: Buffer,
): Promise<DataSet> {
  const { address } = remote;
  const { files } = parseDescription(address, hashList);
  const fetchListed = createListedFetcher(remote, entriesByPath(files));
  return readDataSet({
    name: address,
    get: (file) => (file === DATA_SET_FILE ? hashList : fetchListed(file)),
  });
}

/**
 * Reads a site from its base URL.
 *
 * @throws GamedataError if a file cannot be read or is invalid
 */
export function readRemoteSite(
  url: string,
  options: RemoteSiteOptions,
): Promise<CopiedSite> {
  const { onProgress } = options;
  return closeOnAbort(createClient(options), options.signal, async (client) => {
    const remote = { client, address: url, hashListFile: MANIFEST_FILE };
    const onIcon = (done: number, total: number): void =>
      onProgress?.({ done, total, requests: client.stats });
    const site = await retryIfRedeployed(remote, (hashList) => {
      const { files } = parseManifest(hashList, `${url}/${MANIFEST_FILE}`);
      const entries = entriesByPath(files);
      const read = createListedFetcher(remote, entries);
      return readSite({ name: url, entries, read }, { ...options, onIcon });
    });
    return { ...site, requests: client.stats };
  });
}

/** Files below an address, which a new deployment may replace at any time. */
interface RemoteFolder {
  readonly client: Client;
  readonly address: string;
  /** The path of the file that lists the hashes of all others. */
  readonly hashListFile: string;
}

/**
 * Calls a function that reads all files, with the content of the file that lists their
 * hashes. If the function fails and the hash list has changed meanwhile, a new deployment
 * has replaced the files, so the function is called again.
 */
async function retryIfRedeployed<T>(
  remote: RemoteFolder,
  readAll: (hashList: Buffer) => Promise<T>,
): Promise<T> {
  let hashList = await fetchHashList(remote);
  for (let deployments = 1; ; deployments++) {
    try {
      return await readAll(hashList);
    } catch (error) {
      const isBug = !(error instanceof GamedataError);
      if (isBug || deployments === MAX_DEPLOYMENTS) throw error;
      // If this request fails as well, the first error explains more.
      const currentHashList = await fetchHashList(remote).catch(() => hashList);
      if (currentHashList.equals(hashList)) throw error;
      hashList = currentHashList;
    }
  }
}

/** Fetches the hash list past caches. A site that is not ours does not have it. */
async function fetchHashList({
  client,
  address,
  hashListFile,
}: RemoteFolder): Promise<Buffer> {
  const options = {
    maxBytes: getMaxBytes(hashListFile),
    isPastCaches: true,
    isOptional: true,
  };
  try {
    const url = `${address}/${hashListFile}`;
    return await client.get(url, ({ body }) => body, options);
  } catch (error) {
    if (findFailure(error)?.status === 404) {
      throw createForeignError(address, hashListFile);
    }
    throw error;
  }
}

/** Returns a function that fetches a file until it matches its hash. */
function createListedFetcher({ client, address }: RemoteFolder, entries: Entries) {
  return async (file: string): Promise<Buffer> => {
    const entry = entries.get(file);
    const record = `${address}/${file}`;
    if (!entry) throw new GamedataError('data', `${record}: is not listed`);
    const accept = ({ body }: { readonly body: Buffer }): Buffer => {
      const problem = findMismatch(entry, body);
      if (problem !== undefined)
        throw new GamedataError('data', `${record}: ${problem}`);
      return body;
    };
    return client.get(`${address}/${encodePath(file)}`, accept, {
      // One more byte, so that the error names the expected size.
      maxBytes: Math.min(entry.bytes + 1, getMaxBytes(file)),
    });
  };
}
