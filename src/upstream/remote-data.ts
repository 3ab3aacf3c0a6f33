/**
 * Reads data sets and sites that are published at a URL. All files come from one
 * deployment: the file that is read first lists the hashes of all others. If a file
 * does not match its hash, even when caches are bypassed, the list is read again. If
 * the list has changed, a new deployment has replaced the files in the meantime, so
 * everything is read again.
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
  type AcceptableResponse,
  type Client,
  type ClientOptions,
  findFailure,
  withClient,
} from './client.ts';
import { type CopiedSite, type CopyOptions, readSite } from './copied-site.ts';
import { retryIfRedeployed } from './redeployment.ts';
import type { Progress } from './source.ts';
import type { RequestStats } from './transport.ts';

export interface RemoteSiteOptions extends ClientOptions, CopyOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface RemoteDataSet {
  readonly dataSet: DataSet;
  readonly requests: RequestStats;
}

/**
 * Reads a data set from the URL of a site, or of a folder named `data`.
 *
 * @throws GamedataError if a file cannot be read or is invalid
 */
export function readRemoteDataSet(
  url: string,
  options: ClientOptions,
): Promise<RemoteDataSet> {
  // The constant ends with a slash, but our URLs do not.
  const folder = `/${DATA_FOLDER.slice(0, -1)}`;
  const address = url.endsWith(folder) ? url : url + folder;
  return withClient(options, async (client) => {
    const remote = { client, address, hashListFile: DATA_SET_FILE };
    const dataSet = await retryIfRedeployed(
      () => fetchHashList(remote),
      (hashList) => readDescribedDataSet(remote, hashList),
    );
    return { dataSet, requests: client.stats };
  });
}

/**
 * Reads a data set whose `dataset.json` has been fetched. This file lists the hashes of
 * the other files, and is itself part of the data set, so it is not fetched again.
 */
function readDescribedDataSet(
  remote: RemoteFolder,
  descriptionBody: Buffer,
): Promise<DataSet> {
  const { address } = remote;
  const description = parseDescription(address, descriptionBody);
  const entries = entriesByPath(description.files);
  return readDataSet({
    name: address,
    get(file) {
      if (file === DATA_SET_FILE) return descriptionBody;
      return fetchListedFile(remote, entries, file);
    },
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
  return withClient(options, async (client) => {
    const remote = { client, address: url, hashListFile: MANIFEST_FILE };
    const copyOptions: CopyOptions = {
      ...options,
      onIcon(done, total) {
        onProgress?.({ done, total, requests: client.stats });
      },
    };
    const site = await retryIfRedeployed(
      () => fetchHashList(remote),
      (manifest) => readListedSite(remote, manifest, copyOptions),
    );
    return { ...site, requests: client.stats };
  });
}

/**
 * Reads a site whose manifest has been fetched, which lists the hashes of its other
 * files.
 */
function readListedSite(
  remote: RemoteFolder,
  manifest: Buffer,
  options: CopyOptions,
): Promise<CopiedSite> {
  const { address: name } = remote;
  const { files } = parseManifest(manifest, `${name}/${MANIFEST_FILE}`);
  const entries = entriesByPath(files);
  const read = (file: string): Promise<Buffer> =>
    fetchListedFile(remote, entries, file);
  return readSite({ name, entries, read }, options);
}

/** The files at an address, which a new deployment may replace at any time. */
interface RemoteFolder {
  readonly client: Client;
  readonly address: string;
  /** The path of the file that lists the hashes of all others. */
  readonly hashListFile: string;
}

/**
 * Fetches the file that lists the hashes of all others. Bypasses caches, because they
 * may still have the list of an earlier deployment.
 *
 * @throws GamedataError if there is no list, which means that this is not a gamedata
 * site
 */
async function fetchHashList({
  client,
  address,
  hashListFile,
}: RemoteFolder): Promise<Buffer> {
  const options = {
    maxBytes: getMaxBytes(hashListFile),
    mustBypassCaches: true,
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

/**
 * Fetches a file, and checks it against its entry in the list. If it does not match,
 * the client requests it again, bypassing caches, because a cache may still have the
 * file of an earlier deployment.
 *
 * @throws GamedataError if the file is not listed, or if no response matches its entry
 */
async function fetchListedFile(
  { client, address }: RemoteFolder,
  entries: Entries,
  file: string,
): Promise<Buffer> {
  const record = `${address}/${file}`;
  const entry = entries.get(file);
  if (!entry) throw new GamedataError('data', `${record}: is not listed`);

  const acceptListed = ({ body }: AcceptableResponse): Buffer => {
    const problem = findMismatch(entry, body);
    if (problem === undefined) return body;
    throw new GamedataError('data', `${record}: ${problem}`);
  };

  // Allow one extra byte, so that a file that is slightly too long still reaches the
  // check above, whose error states the expected size.
  const maxBytes = Math.min(entry.bytes + 1, getMaxBytes(file));
  return client.get(`${address}/${encodePath(file)}`, acceptListed, { maxBytes });
}
