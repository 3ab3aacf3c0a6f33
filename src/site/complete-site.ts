/** The complete site: everything made from the records, the assets, and what the hosts need. */

import type { History } from '../contract/changes.ts';
import { type AnyFile, encodeBody, getLinkBase, type Meta, type SiteFile } from '../contract/meta.ts';
import type { Names } from '../contract/names.ts';
import { ARCHIVE_FILE, CHECKSUM_FILE, DOWNLOAD_FOLDER } from '../contract/paths.ts';
import { createRoutes } from '../contract/routes.ts';
import { addUrls, type Records } from '../dataset/data-set.ts';
import { createRedirects, type Former } from '../dataset/former.ts';
import type { HostContext, WebServerPaths } from '../hosts/host.ts';
import { hostFiles } from '../hosts/index.ts';
import type { HostName } from '../hosts/names.ts';
import { type PageTemplates, renderPages } from '../web/render-pages.ts';
import { formatChecksum, listContents, packArchive } from './archive.ts';
import { changeFiles } from './change-files.ts';
import { specificationFiles } from './openapi.ts';
import { apiFiles, downloadFiles, namesFiles, searchFile } from './record-files.ts';

/** What every site needs, whatever its data and options. */
export interface Package {
  readonly templates: PageTemplates;
  /** Style sheets and scripts of the pages. */
  readonly compiled: readonly SiteFile[];
  /** The handler as the text of one ES module. */
  readonly handlerModule: () => string;
  readonly hostTemplate: HostContext['template'];
}

export interface CompleteSite {
  readonly records: Records;
  readonly names: readonly Names[];
  readonly meta: Meta;
  readonly history: History;
  readonly former: Former;
  readonly hosts: readonly HostName[];
  /** How web servers serve the site. */
  readonly serving: WebServerPaths;
  /** Hand-written files, and icons. */
  readonly assets: readonly AnyFile[];
  /** Whether the site offers itself for download. */
  readonly archive: boolean;
  readonly package: Package;
}

/** Generates every file of a site except its manifest. */
export async function completeSite(site: CompleteSite): Promise<AnyFile[]> {
  const content = [...site.assets, ...site.package.compiled, ...dataFiles(site)];
  const inside = [...content, ...describingFiles(site, content, false)];
  if (!site.archive) return inside;
  // The archive contains the site without an archive, and its front page does not mention one.
  const packed = inside.map((file) => ({ path: file.path, body: encodeBody(file) }));
  const archive = await packArchive(
    [...packed, listContents(packed, site.meta.generator)],
    site.meta.captured,
  );
  return [
    ...content,
    ...describingFiles(site, content, true),
    { path: ARCHIVE_FILE, body: archive },
    { path: CHECKSUM_FILE, body: formatChecksum(archive, ARCHIVE_FILE.slice(DOWNLOAD_FOLDER.length)) },
  ];
}

/** The API's files, bulk files, the change history and the hosts' configuration. */
function dataFiles(site: CompleteSite): SiteFile[] {
  const { records, meta, history, former } = site;
  const linkBase = getLinkBase(meta);
  const routes = createRoutes(records, createRedirects(former, records), meta.sprites);
  const served = addUrls(linkBase, records);
  const { handlerModule, hostTemplate: template } = site.package;
  const context = { ...site.serving, routes, baseUrl: meta.base_url, handlerModule, template };
  return [
    ...apiFiles(served, meta),
    ...(meta.downloads ? downloadFiles(served) : []),
    ...namesFiles(site.names, meta.base_url),
    searchFile(records),
    ...changeFiles({ history, former, moved: routes.moved }, meta),
    ...hostFiles(site.hosts, context),
  ];
}

/** The specification and the pages, which say what else the site has. */
function describingFiles(site: CompleteSite, content: readonly AnyFile[], archive: boolean): SiteFile[] {
  const { records, meta } = site;
  const { templates } = site.package;
  const specification = specificationFiles(records, meta, { archive, docs: templates['docs.html'] });
  const sizes = new Map([...content, ...specification].map((file) => [file.path, sizeOf(file)]));
  return [...specification, ...renderPages({ templates, records, meta, archive, sizes })];
}

const sizeOf = (file: AnyFile): number => ('bytes' in file ? file.bytes : Buffer.byteLength(file.body));
