/** A whole site: what is made of the records, what is written by hand, and what its hosts need. */

import { readFileSync } from 'node:fs';
import { downloads } from './archive/downloads.ts';
import type { EncodedRecords } from './contract/data-set.ts';
import type { Meta } from './contract/meta.ts';
import { createRoutes } from './contract/routes.ts';
import { type DerivedFile, type ListedFile, type SiteFile, siteFiles } from './contract/site.ts';
import { type HostName, hostFiles } from './hosts/index.ts';
import { HANDLER_MODULE } from './options.ts';

export interface WholeSite {
  readonly records: EncodedRecords;
  readonly meta: Meta;
  readonly hosts: readonly HostName[];
  /** Files that depend neither on the data nor on options. */
  readonly assets: readonly (SiteFile | ListedFile)[];
  /** Whether the site offers itself for download. */
  readonly archive: boolean;
}

/** Yields every file of a site but its manifest: the same bytes whoever asks, a build or a copy that is rebased. */
export function* wholeSite(site: WholeSite): Generator<SiteFile | DerivedFile | ListedFile> {
  yield* ownFiles(site);
  const { captured, generator } = site.meta;
  if (site.archive) yield* downloads(() => ownFiles(site), { captured, generator });
}

/** Everything but the archives. */
function* ownFiles({
  records,
  meta,
  hosts,
  assets,
}: WholeSite): Generator<SiteFile | DerivedFile | ListedFile> {
  yield* assets;
  const linkBase = { baseUrl: meta.base_url, links: meta.links };
  /** Made when its turn comes: a host's rules may be as large as the data. */
  function* configuration(): Generator<SiteFile> {
    yield* hostFiles(hosts, { routes: createRoutes(records), handlerModule });
  }
  yield* siteFiles({ records, meta, linkBase, extras: configuration() });
}

/** The handler as one module, as `npm run compile` bundles it. */
const handlerModule = (): string => readFileSync(HANDLER_MODULE, 'utf8');
