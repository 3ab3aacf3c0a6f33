import type { Kind } from '../contract/kinds.ts';
import { getMaxBytes } from '../contract/limits.ts';
import { type FileBody, getLinkBase, type Meta } from '../contract/meta.ts';
import { createForeignError, parseMeta } from '../contract/own-files.ts';
import * as paths from '../contract/paths.ts';
import { addUrls, type DataSet } from '../data/data-set.ts';
import { readDataSet } from '../data/data-set-folder.ts';
import { createRedirects } from '../data/old-slugs.ts';
import { UpstreamError } from '../errors.ts';
import { createResponder, type PlainResponse } from '../serve/handler/index.ts';
import { createChangeFiles } from '../site/change-files.ts';
import { createApiFiles, createNamesFiles } from '../site/record-files.ts';
import { openSiteData, type SiteFolder } from '../site-folder.ts';
import type { Probe, ProbeRequest } from '../upstream/probe.ts';

/**
 * The site that a deployment is expected to serve, and the responses that it is
 * expected to send.
 */
export interface ExpectedSite {
  readonly linkBase: paths.LinkBase;
  readonly records: Readonly<Record<Kind, readonly ExpectedRecord[]>>;
  /** The languages for which the site has names. */
  readonly languages: readonly string[];
  /** The old paths of renamed records, which must redirect. */
  readonly moved: readonly string[];
  /**
   * Whether the site stores icons, redirects to the icons of its source, or has no
   * icons.
   */
  readonly icons: Meta['sprites']['mode'];
  respond(request: ProbeRequest): Promise<ExpectedResponse>;
}

interface ExpectedRecord {
  readonly slug: string;
  readonly icon?: unknown;
}

export type ExpectedResponse = Pick<PlainResponse, 'status' | 'headers'> & {
  readonly text: string;
};

/** Expects the deployment at an address to serve exactly the site in a folder. */
export async function expectFolder(
  site: SiteFolder,
  address: string,
): Promise<ExpectedSite> {
  const dataSet = await readDataSet(openSiteData(site.name));
  const read = (file: string): FileBody | undefined => {
    // The manifest has no entry for itself.
    if (file === paths.MANIFEST_FILE) return site.manifestBody;
    return site.entries.has(file) ? site.read(file) : undefined;
  };
  return expectData(dataSet, site.meta, { address, read });
}

/**
 * Expects a deployment to serve the site that its own data set and `meta.json` describe.
 * The responses of the API are generated from the data set. Of all other files, only the
 * headers are compared, so their content is not needed.
 *
 * @throws DataError if the deployment has no valid data set
 */
export async function expectDeployment(probe: Probe): Promise<ExpectedSite> {
  const { address } = probe;
  const body = await fetchFile(probe, paths.META_FILE);
  if (!body) throw createForeignError(address, paths.META_FILE);
  const meta = parseMeta(body, `${address}/${paths.META_FILE}`);
  const dataSet = await readDataSet({
    name: `${address}/${paths.DATA_FOLDER.slice(0, -1)}`,
    get: (file) => fetchFile(probe, paths.DATA_FOLDER + file),
  });
  const expectedMeta = { ...meta, base_url: address };
  const files = generateFiles(dataSet, expectedMeta);
  function read(file: string): FileBody | undefined {
    const generated = files.get(file);
    if (generated !== undefined) return generated;
    const isApi = `/${file}`.startsWith(paths.API_PREFIX);
    const isIcon =
      file.startsWith(paths.ICONS_FOLDER) && file !== paths.PLACEHOLDER_ICON;
    const isRedirectedIcon = isIcon && meta.sprites.mode === 'link';
    return isApi || isRedirectedIcon ? undefined : '';
  }
  return expectData(dataSet, expectedMeta, { address, read });
}

interface ExpectedFiles {
  readonly address: string;
  /** Returns the content of a file, or undefined if the site does not have it. */
  readonly read: (file: string) => FileBody | undefined;
}

function expectData(
  dataSet: DataSet,
  meta: Meta,
  { address, read }: ExpectedFiles,
): ExpectedSite {
  const records = dataSet.readRecords();
  const redirects = createRedirects(dataSet.readPast().oldSlugs, records);
  return {
    linkBase: getLinkBase(meta),
    records,
    languages: dataSet.readNames().map(({ language }) => language),
    moved: redirects.map(({ path }) => path),
    icons: meta.sprites.mode,
    respond: createRespond(read, address),
  };
}

/** Generates the files that the request handler reads, by path. */
function generateFiles(dataSet: DataSet, meta: Meta): Map<string, FileBody> {
  const records = dataSet.readRecords();
  const { history, oldSlugs } = dataSet.readPast();
  const redirects = createRedirects(oldSlugs, records);
  const siteFiles = [
    ...createApiFiles(addUrls(getLinkBase(meta), records), meta),
    ...createNamesFiles(dataSet.readNames(), meta.base_url),
    ...createChangeFiles(history, redirects, meta),
  ];
  const files = new Map<string, FileBody>();
  for (const { path, body } of siteFiles) files.set(path, body);
  return files;
}

/**
 * Returns undefined if the deployment does not have the file.
 *
 * @throws UpstreamError if it responds with another status than 200 or 404
 */
async function fetchFile(probe: Probe, file: string): Promise<Buffer | undefined> {
  const path = `/${paths.encodePath(file)}`;
  const { status, body } = await probe.send({ path, maxBytes: getMaxBytes(file) });
  if (status === 200) return body;
  if (status === 404 || status === 410) return undefined;
  const request = `GET ${probe.address}${path}`;
  throw new UpstreamError(`got ${status}, expected 200`, { request, status });
}

/**
 * Returns a function that responds to requests like the request handler would for a
 * site with these files at the given address.
 */
function createRespond(
  read: (file: string) => FileBody | undefined,
  address: string,
): ExpectedSite['respond'] {
  const base = paths.getBasePath(address);

  async function get(file: string) {
    const body = read(file);
    if (body === undefined) return undefined;
    // Any value is fine here, because no comparator uses this ETag.
    return { body: new Uint8Array(Buffer.from(body)), etag: '"expected"' };
  }
  const respond = createResponder({ get }, base);

  return async (request) => {
    const { method = 'GET', path, headers = {} } = request;
    const [pathname = ''] = path.split('?', 1);
    const search = path.slice(pathname.length);
    const sentHeaders = new Headers();
    for (const [name, value] of Object.entries(headers)) {
      sentHeaders.append(name, value ?? '');
    }
    const { body, ...response } = await respond({
      method,
      path: base + pathname,
      search,
      headers: sentHeaders,
    });
    return { ...response, text: `${Buffer.concat(body ?? [])}` };
  };
}
