import {
  encodeBody,
  getLinkBase,
  type Meta,
  type SiteFile,
} from '../contract/meta.ts';
import type { Names } from '../contract/names.ts';
import {
  ARCHIVE_FILE,
  CHECKSUM_FILE,
  DOWNLOAD_FOLDER,
  SEARCH_FILE,
} from '../contract/paths.ts';
import { getIconRedirect } from '../contract/responses.ts';
import type { CompiledSchemas } from '../contract/served.ts';
import { addUrls, type Records } from '../dataset/data-set.ts';
import { createRedirects } from '../dataset/old-slugs.ts';
import type { Past } from '../dataset/past.ts';
import type { HostContext } from '../hosts/host.ts';
import { createHostFiles, type HostName } from '../hosts/index.ts';
import { renderPages } from '../web/render-pages.ts';
import { createManifest, formatChecksum, packArchive } from './archive.ts';
import { createChangeFiles } from './change-files.ts';
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
  readonly records: Records;
  readonly names: readonly Names[];
  readonly meta: Meta;
  readonly past: Past;
  readonly hosts: readonly HostName[];
  /** The document root in web server configuration. */
  readonly root: string;
  /** Hand-written files and icons. */
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
  const content = [
    ...site.assets,
    ...site.buildAssets.compiled,
    ...createDataFiles(site),
  ];
  if (!site.archive) return [...content, ...createDescriptions(site, content)];
  const archiveFiles = await createArchiveFiles(site, content);
  return [...content, ...createDescriptions(site, content), ...archiveFiles];
}

/**
 * Packs the site into an archive. The site in the archive is generated without an
 * archive, so its front page does not offer one.
 */
async function createArchiveFiles(
  site: SiteInput,
  content: readonly SiteFile[],
): Promise<SiteFile[]> {
  const files = [
    ...content,
    ...createDescriptions({ ...site, archive: false }, content),
  ];
  const packed = files.map((file) => ({ path: file.path, body: encodeBody(file) }));
  packed.push(createManifest(packed, site.meta.generator));
  const archive = await packArchive(packed, site.meta.captured);
  const archiveName = ARCHIVE_FILE.slice(DOWNLOAD_FOLDER.length);
  return [
    { path: ARCHIVE_FILE, body: archive },
    { path: CHECKSUM_FILE, body: formatChecksum(archive, archiveName) },
  ];
}

/**
 * Creates the API files, downloads, names and changes, and the host configuration.
 */
function createDataFiles(site: SiteInput): SiteFile[] {
  const { records, names, meta, past } = site;
  const served = addUrls(getLinkBase(meta), records);
  const searchIndex = recordFiles.createSearchIndex(records);
  const redirects = createRedirects(past.oldSlugs, records);
  const hostFiles = createHostFiles(site.hosts, {
    records,
    redirects,
    iconRedirect: getIconRedirect(meta.sprites),
    baseUrl: meta.base_url,
    root: site.root,
    handlerModule: site.buildAssets.handlerModule,
    template: site.buildAssets.template,
  });
  const files = recordFiles.createApiFiles(served, meta);
  if (meta.downloads) files.push(...recordFiles.createBulkFiles(served));
  files.push(...recordFiles.createNamesFiles(names, meta.base_url));
  files.push({ path: SEARCH_FILE, body: JSON.stringify(searchIndex) });
  files.push(...createChangeFiles(past, redirects, meta));
  files.push(...hostFiles);
  return files;
}

/** Creates the OpenAPI document, the schemas, the docs and the other pages. */
function createDescriptions(
  site: SiteInput,
  content: readonly SiteFile[],
): SiteFile[] {
  const { records, meta, names, archive } = site;
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
