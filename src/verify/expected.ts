import { getLinkBase, type Meta } from '../contract/meta.ts';
import * as paths from '../contract/paths.ts';
import type { Redirect } from '../contract/responses.ts';
import { addUrls } from '../data/api-values.ts';
import type { DataSet, Records } from '../data/data-set.ts';
import { readDataSet } from '../data/data-set-folder.ts';
import { createRedirects } from '../data/redirects.ts';
import { type Bytes, encode } from '../serve/handler/asset-store.ts';
import { type Asset, createHandler } from '../serve/handler/index.ts';
import { createChangeFiles } from '../site/change-files.ts';
import { createApiFiles, createNamesFiles } from '../site/record-files.ts';
import { openSiteData, type SiteFolder } from '../site-folder.ts';
import type { ClientOptions } from '../upstream/client.ts';
import type { ProbeResponse } from '../upstream/probe.ts';
import { readRemoteSite } from '../upstream/remote-data.ts';

/** A request to a deployment. The path is relative to the base URL. */
export interface PlannedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The site that a deployment should serve. `verify` requests this site's records. */
export interface ExpectedSite {
  /** Contains the base URL that the deployment's links must have. */
  readonly meta: Meta;
  readonly records: Records;
  /** The languages for which the site has names. */
  readonly languages: readonly string[];
  /** The old paths of renamed records, which must redirect. */
  readonly moved: readonly string[];
  /** Returns the response that the deployment should send. */
  respond(request: PlannedRequest): Promise<ExpectedResponse>;
}

export type ExpectedResponse = Pick<ProbeResponse, 'status' | 'header' | 'text'>;

/** Expects the deployment at an address to serve the site in a folder. */
export async function expectFolder(
  { name, meta }: SiteFolder,
  address: string,
): Promise<ExpectedSite> {
  const dataSet = await readDataSet(openSiteData(name));
  return createExpectedSite(dataSet, meta, address);
}

/**
 * Expects a deployment to serve the site of its own data set, with links to its own
 * address.
 *
 * @throws GamedataError if the deployment is not a gamedata site
 */
export async function expectDeployment(
  address: string,
  options: ClientOptions,
): Promise<ExpectedSite> {
  // `verify` does not compare the content of icons, so it downloads none here.
  const { dataSet, meta } = await readRemoteSite(address, {
    ...options,
    wantsIcons: () => false,
    readPublishedIcon: () => undefined,
  });
  return createExpectedSite(dataSet, { ...meta, base_url: address }, address);
}

/**
 * Creates the site that a build would generate from a data set and a description. Its
 * responses come from the same request handler that serves real sites, but the files
 * are in memory.
 */
function createExpectedSite(
  dataSet: DataSet,
  meta: Meta,
  address: string,
): ExpectedSite {
  const records = dataSet.readRecords();
  const redirects = createRedirects(dataSet.readPast().oldSlugs, records);
  const bodies = generateBodies(dataSet, redirects, meta);

  async function get(file: string): Promise<Asset | undefined> {
    const body = bodies.get(file) ?? createStandIn(file, meta);
    // No comparator uses this ETag.
    return body && { body, etag: '"expected"' };
  }
  const handle = createHandler({ get }, paths.getBasePath(address));

  return {
    meta,
    records,
    languages: dataSet.readNames().map(({ language }) => language),
    moved: redirects.map(({ path }) => path),
    async respond({ method, path, headers }) {
      const request = new Request(address + path, { method, headers });
      const response = await handle(request);
      const header = (name: string) => response.headers.get(name) ?? undefined;
      return { status: response.status, header, text: await response.text() };
    },
  };
}

/**
 * Generates the files whose content is compared: the API, the names and the changes. The
 * result maps their paths to their content.
 */
function generateBodies(
  dataSet: DataSet,
  redirects: readonly Redirect[],
  meta: Meta,
): Map<string, Bytes> {
  const servedRecords = addUrls(getLinkBase(meta), dataSet.readRecords());
  const { history } = dataSet.readPast();
  const files = [
    ...createApiFiles(servedRecords, meta),
    ...createNamesFiles(dataSet.readNames(), meta.base_url),
    ...createChangeFiles(history, redirects, meta),
  ];
  const bodies = new Map<string, Bytes>();
  for (const { path, body } of files) bodies.set(path, encode(String(body)));
  return bodies;
}

/**
 * Creates an empty body for a file that we do not generate, because only its headers are
 * compared. Returns undefined if the site cannot have the file.
 */
function createStandIn(file: string, { sprites }: Meta): Bytes | undefined {
  if (`/${file}`.startsWith(paths.API_PREFIX)) return undefined;
  const isIcon = file.startsWith(paths.ICONS_FOLDER);
  const isRedirected = isIcon && sprites.mode === 'link';
  if (isRedirected && file !== paths.PLACEHOLDER_ICON) return undefined;
  return encode('');
}
