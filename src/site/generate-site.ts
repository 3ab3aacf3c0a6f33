import {
  type AnyFile,
  encodeBody,
  getLinkBase,
  type Meta,
  type SiteFile,
} from '../contract/meta.ts';
import type { Names } from '../contract/names.ts';
import { ARCHIVE_FILE, CHECKSUM_FILE, DOWNLOAD_FOLDER, SEARCH_FILE } from '../contract/paths.ts';
import { getIconRedirect } from '../contract/responses.ts';
import type { CompiledSchemas } from '../contract/served.ts';
import { addUrls, type Records } from '../dataset/data-set.ts';
import { createRedirects } from '../dataset/old-slugs.ts';
import type { Past } from '../dataset/past.ts';
import type { HostContext } from '../hosts/host.ts';
import { createHostFiles, type HostName } from '../hosts/index.ts';
import { renderPages } from '../web/render-pages.ts';
import { formatChecksum, listContents, packArchive } from './archive.ts';
import { createChangeFiles } from './change-files.ts';
import { createSpecification } from './openapi.ts';
import * as recordFiles from './record-files.ts';

/** The parts of a site that depend on neither data nor options. */
export interface BuildAssets {
  /** Reads a template of a page or a host. */
  readonly template: (name: string) => string;
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
  readonly root: string;
  /** Hand-written files and icons. */
  readonly assets: readonly AnyFile[];
  readonly archive: boolean;
  readonly buildAssets: BuildAssets;
}

/** Generates every file of a site except its manifest. */
export async function generateFiles(site: SiteInput): Promise<AnyFile[]> {
  const content = [...site.assets, ...site.buildAssets.compiled, ...createDataFiles(site)];
  const complete = [...content, ...createDescriptions(site, content, false)];
  if (!site.archive) return complete;
  // The archive contains the site without an archive, so its front page does not mention one.
  const packed = complete.map((file) => ({ path: file.path, body: encodeBody(file) }));
  const manifest = listContents(packed, site.meta.generator);
  const archive = await packArchive([...packed, manifest], site.meta.captured);
  return [
    ...content,
    ...createDescriptions(site, content, true),
    { path: ARCHIVE_FILE, body: archive },
    {
      path: CHECKSUM_FILE,
      body: formatChecksum(archive, ARCHIVE_FILE.slice(DOWNLOAD_FOLDER.length)),
    },
  ];
}

function createDataFiles({ records, names, meta, past, root, ...site }: SiteInput): SiteFile[] {
  const served = addUrls(getLinkBase(meta), records);
  const redirects = createRedirects(past.oldSlugs, records);
  const { handlerModule, template } = site.buildAssets;
  const hosting = {
    root,
    baseUrl: meta.base_url,
    redirects,
    iconRedirect: getIconRedirect(meta.sprites),
  };
  return [
    ...recordFiles.createApiFiles(served, meta),
    ...(meta.downloads ? recordFiles.createBulkFiles(served) : []),
    ...recordFiles.createNamesFiles(names, meta.base_url),
    { path: SEARCH_FILE, body: JSON.stringify(recordFiles.createSearchIndex(records)) },
    ...createChangeFiles(past, redirects, meta),
    ...createHostFiles(site.hosts, { ...hosting, records, handlerModule, template }),
  ];
}

function createDescriptions(
  site: SiteInput,
  content: readonly AnyFile[],
  archive: boolean,
): SiteFile[] {
  const { records, meta, names } = site;
  const { template, schemas } = site.buildAssets;
  const specification = createSpecification(records, meta, { archive, names, template, schemas });
  const sizes = new Map([...content, ...specification].map((file) => [file.path, getSize(file)]));
  return [...specification, ...renderPages({ template, records, meta, archive, sizes })];
}

const getSize = (file: AnyFile): number =>
  'bytes' in file ? file.bytes : Buffer.byteLength(file.body);
