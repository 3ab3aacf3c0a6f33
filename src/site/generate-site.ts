import {
  encodeBody,
  getLinkBase,
  type Meta,
  type SiteFile,
} from '../contract/meta.ts';
import {
  ARCHIVE_FILE,
  CHECKSUM_FILE,
  DATA_FOLDER,
  DOWNLOAD_FOLDER,
  SEARCH_FILE,
} from '../contract/paths.ts';
import { getIconRedirect } from '../contract/responses.ts';
import type { CompiledSchemas } from '../contract/served.ts';
import { addUrls } from '../data/api-values.ts';
import type { DataSet } from '../data/data-set.ts';
import { createDataSetFiles } from '../data/data-set-folder.ts';
import { createRedirects } from '../data/redirects.ts';
import type { HostContext } from '../hosts/host.ts';
import {
  createHostFiles,
  type HostName,
  isWebServerConfig,
} from '../hosts/index.ts';
import { renderPages } from '../web/render-pages.ts';
import {
  createManifest,
  type EncodedFile,
  formatChecksum,
  packArchive,
} from './archive.ts';
import { createChangeFiles } from './change-files.ts';
import { createOfflineScript } from './offline-script.ts';
import { createSpecification } from './openapi.ts';
import * as recordFiles from './record-files.ts';

/** The parts of a site that depend neither on the data nor on the options. */
export interface BuildAssets {
  /** Reads a page template or a host configuration template. */
  readonly template: (name: string) => string;
  /** Compiled scripts, styles and types. */
  readonly compiled: readonly SiteFile[];
  readonly schemas: CompiledSchemas;
  readonly handlerModule: HostContext['handlerModule'];
}

export interface SiteInput {
  readonly dataSet: DataSet;
  readonly meta: Meta;
  readonly hosts: readonly HostName[];
  /** The document root in web server configuration. */
  readonly root: string;
  /** The license of the data, which every copy of the data must contain. */
  readonly dataLicense: SiteFile['body'];
  /** Handwritten files and icons. */
  readonly assets: readonly SiteFile[];
  /** Whether the site contains an archive of itself. */
  readonly archive: boolean;
  readonly buildAssets: BuildAssets;
}

/**
 * Generates every file of a site except for its manifest. The OpenAPI document, the
 * schemas and the pages are generated last, because they state the sizes of other
 * files.
 */
export async function generateFiles(site: SiteInput): Promise<SiteFile[]> {
  const { compiled, template } = site.buildAssets;
  const content = [
    ...site.assets,
    ...compiled,
    createOfflineScript({ meta: site.meta, compiled, template }),
    ...createDataFiles(site),
  ];
  const files = [...content, ...createDescriptions(site, content)];
  if (!site.archive) return files;
  const archiveFiles = await createArchiveFiles(site, content);
  return [...files, ...archiveFiles];
}

/**
 * Packs the site into an archive. The site in the archive is generated without an
 * archive, so its front page does not offer one.
 */
async function createArchiveFiles(
  site: SiteInput,
  content: readonly SiteFile[],
): Promise<SiteFile[]> {
  const siteWithoutArchive = { ...site, archive: false };
  const files = [...content, ...createDescriptions(siteWithoutArchive, content)];
  const packed: EncodedFile[] = [];
  for (const file of files) {
    // Operators should not get web server configuration from a download.
    if (isWebServerConfig(file.path)) continue;
    packed.push({ path: file.path, body: encodeBody(file) });
  }
  packed.push(createManifest(packed, site.meta.generator));
  const archive = await packArchive(packed, site.meta.captured);
  const archiveName = ARCHIVE_FILE.slice(DOWNLOAD_FOLDER.length);
  return [
    { path: ARCHIVE_FILE, body: archive },
    { path: CHECKSUM_FILE, body: formatChecksum(archive, archiveName) },
  ];
}

/**
 * Creates the API files, downloads, names and changes, the host configuration, and
 * the data set itself.
 */
function createDataFiles(site: SiteInput): SiteFile[] {
  const { dataSet, meta } = site;
  const records = dataSet.readRecords();
  const { history, oldSlugs } = dataSet.readPast();
  const servedRecords = addUrls(getLinkBase(meta), records);
  const searchIndex = recordFiles.createSearchIndex(records);
  const names = dataSet.readNames();
  const redirects = createRedirects(oldSlugs, records);
  const hostFiles = createHostFiles(site.hosts, {
    records,
    redirects,
    iconRedirect: getIconRedirect(meta.sprites),
    baseUrl: meta.base_url,
    root: site.root,
    handlerModule: site.buildAssets.handlerModule,
    template: site.buildAssets.template,
  });
  const files = [
    ...recordFiles.createApiFiles(servedRecords, meta),
    ...recordFiles.createBulkFiles(servedRecords),
    ...recordFiles.createNamesFiles(names, meta.base_url),
    { path: SEARCH_FILE, body: JSON.stringify(searchIndex) },
    ...createChangeFiles(history, redirects, meta),
    ...hostFiles,
  ];
  const dataSetFiles = createDataSetFiles(dataSet, site.dataLicense);
  for (const { path, body } of [...dataSetFiles.files, dataSetFiles.description]) {
    files.push({ path: DATA_FOLDER + path, body });
  }
  return files;
}

/** Creates the OpenAPI document, the schemas, the docs and the other pages. */
function createDescriptions(
  site: SiteInput,
  content: readonly SiteFile[],
): SiteFile[] {
  const { dataSet, meta, archive } = site;
  const records = dataSet.readRecords();
  const names = dataSet.readNames();
  const { template, schemas } = site.buildAssets;
  const specification = createSpecification(records, meta, {
    archive,
    names,
    template,
    schemas,
  });
  const sizes = new Map<string, number>();
  for (const file of [...content, ...specification]) {
    sizes.set(file.path, encodeBody(file).length);
  }
  const pages = renderPages({ template, records, meta, archive, sizes });
  return [...specification, ...pages];
}
