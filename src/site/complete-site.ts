/** The complete site: everything made from the records, the assets, and what the hosts need. */

import type { History } from '../contract/changes.ts';
import { linkBaseOf, type Meta } from '../contract/meta.ts';
import { archiveFiles } from '../contract/paths.ts';
import { createRoutes } from '../contract/routes.ts';
import type { AnyFile, ListedFile, SiteFile } from '../contract/site-file.ts';
import type { EncodedRecords } from '../dataset/data-set.ts';
import { movedRoutes } from '../dataset/history.ts';
import type { Serving } from '../hosts/host.ts';
import { hostFiles } from '../hosts/index.ts';
import { type HostName, hasWebServer } from '../hosts/names.ts';
import { type PageTemplates, webFiles } from '../web/pages.ts';
import { apiFiles } from './api-files.ts';
import { siteArchives } from './archive/site-archives.ts';
import { changeFiles } from './change-files.ts';
import { withDownloads } from './downloads.ts';
import { specificationFiles } from './specification/files.ts';

/** What every site needs, whatever its data and options. */
export interface Package {
  readonly templates: PageTemplates;
  /** Style sheets and scripts of the pages. */
  readonly compiled: readonly SiteFile[];
  /** The handler as the text of one ES module. */
  readonly handlerModule: () => string;
}

export interface CompleteSite {
  readonly records: EncodedRecords;
  readonly meta: Meta;
  readonly history: History;
  readonly hosts: readonly HostName[];
  /** How web servers serve the site. */
  readonly serving: Serving;
  /** Hand-written files, and icons. */
  readonly assets: readonly (SiteFile | ListedFile)[];
  /** Whether the site offers itself for download. */
  readonly archive: boolean;
  readonly package: Package;
  /** The files made so far: path → bytes. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Yields every file of a site except its manifest: the same bytes for a build and for a rebased copy. */
export function* completeSite(site: CompleteSite): Generator<AnyFile> {
  yield* ownFiles(site);
  const { captured, generator } = site.meta;
  // An archive contains the site without archives, and its front page does not mention any.
  const inside = { ...site, archive: false };
  if (site.archive) yield* siteArchives(() => ownFiles(inside), { captured, generator });
}

/** Everything except the archives. */
function* ownFiles(site: CompleteSite): Generator<AnyFile> {
  const { records, meta, assets, sizes } = site;
  yield* assets;
  yield* site.package.compiled;
  const plan = { records, meta, linkBase: linkBaseOf(meta) };
  const files = withExtras(site);
  yield* meta.downloads ? withDownloads(files, plan) : files;
  yield* specificationFiles({ ...plan, archive: site.archive, docs: site.package.templates['docs.html'] });
  const archives = site.archive ? archiveFiles : [];
  const { templates } = site.package;
  yield* webFiles({ templates, records, meta, archives, sizes: () => sizes });
}

/** The API's files, the change history and the hosts' configuration, which may be as large as the data. */
function* withExtras({
  records,
  meta,
  history,
  hosts,
  serving,
  package: { handlerModule },
}: CompleteSite): Generator<AnyFile> {
  const linkBase = linkBaseOf(meta);
  yield* apiFiles({ records, meta, linkBase });
  const routes = createRoutes(records, movedRoutes(history, records), meta.sprites);
  yield* changeFiles(history, routes.moved, { ...linkBase, captured: meta.captured });
  const address = { routes, baseUrl: meta.base_url, ...(hasWebServer(hosts) && serving) };
  yield* hostFiles(hosts, { ...serving, ...address, handlerModule });
}
