/** A whole site: what is made of the records, what is written by hand, and what its hosts need. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ownArchives } from './archive/downloads.ts';
import { archiveFiles } from './archive/entries.ts';
import { changeFiles } from './changes/files.ts';
import { movedRoutes } from './changes/history.ts';
import type { History } from './contract/changes.ts';
import type { EncodedRecords } from './contract/data-set.ts';
import { type Compress, withDownloads } from './contract/downloads.ts';
import type { Meta } from './contract/meta.ts';
import { specificationFiles } from './contract/openapi/files.ts';
import { type PageTemplates, pageFiles } from './contract/pages/index.ts';
import { createRoutes } from './contract/routes.ts';
import { type DerivedFile, type ListedFile, type SiteFile, siteFiles } from './contract/site.ts';
import { hostFiles } from './hosts/index.ts';
import type { HostName } from './hosts/names.ts';
import { HANDLER_MODULE, PUBLIC_FOLDER } from './options.ts';

export interface WholeSite {
  readonly records: EncodedRecords;
  readonly meta: Meta;
  /** How the data came about. */
  readonly history: History;
  readonly hosts: readonly HostName[];
  /** Files that depend neither on the data nor on options. */
  readonly assets: readonly (SiteFile | ListedFile)[];
  /** Whether the site offers itself for download. */
  readonly archive: boolean;
  readonly compress: Compress;
  /** The files gone through so far: path → bytes. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Yields every file of a site but its manifest: the same bytes whoever asks, a build or a copy that is rebased. */
export function* wholeSite(site: WholeSite): Generator<SiteFile | DerivedFile | ListedFile> {
  yield* ownFiles(site);
  const { captured, generator } = site.meta;
  // Inside an archive is the site without archives, on its front page too.
  const inside = { ...site, archive: false };
  if (site.archive) yield* ownArchives(() => ownFiles(inside), { captured, generator });
}

/** Everything but the archives. */
function* ownFiles(site: WholeSite): Generator<SiteFile | DerivedFile | ListedFile> {
  const { records, meta, history, hosts, assets, compress, sizes } = site;
  yield* assets;
  const routes = createRoutes(records, movedRoutes(history, records), meta.sprites);
  const linkBase = { baseUrl: meta.base_url, links: meta.links };
  /** Made when its turn comes: a host's rules may be as large as the data. */
  function* extras(): Generator<SiteFile> {
    yield* changeFiles(history, routes.moved, { baseUrl: meta.base_url, captured: meta.captured });
    yield* hostFiles(hosts, { routes, handlerModule });
  }
  const plan = { records, meta, linkBase, extras: extras() };
  yield* meta.downloads ? withDownloads(siteFiles(plan), plan, compress) : siteFiles(plan);
  yield* specificationFiles(plan);
  const archives = site.archive ? archiveFiles : [];
  yield* pageFiles({ templates: readTemplates(), records, meta, archives, sizes: () => sizes });
}

/** The hand-written pages that say what is true of one site. */
export function readTemplates(): PageTemplates {
  const read = (name: string): string => readFileSync(path.join(PUBLIC_FOLDER, name), 'utf8');
  return { 'index.html': read('index.html'), 'browse.html': read('browse.html') };
}

/** The handler as one module, as `npm run compile` bundles it. */
const handlerModule = (): string => readFileSync(HANDLER_MODULE, 'utf8');
