/** The pages of a site and what their scripts read, made last: the front page names files that came before it. */

import { pageFile } from '../addresses.ts';
import { kindNames } from '../kinds.ts';
import { createSearchIndex, SEARCH_FILE } from '../search.ts';
import type { DerivedFile, SiteFile } from '../site.ts';
import { pageOffsets } from '../windows.ts';
import { type FrontPageContent, fillFrontPage } from './front-page.ts';
import { fillPlaces } from './markup.ts';

/** The hand-written pages with places to fill, by their names in public/. */
export const pageTemplates = ['index.html', 'browse.html'] as const;
export type PageTemplates = Readonly<Record<(typeof pageTemplates)[number], string>>;

export interface PagesPlan extends Omit<FrontPageContent, 'sizes' | 'index'> {
  readonly templates: PageTemplates;
  /** The files of the site that are done, asked for when all others are. */
  readonly sizes: () => FrontPageContent['sizes'];
}

export function* pageFiles({ templates, sizes, ...content }: PagesPlan): Generator<SiteFile | DerivedFile> {
  const { records, meta } = content;
  const index = createSearchIndex(records);
  yield {
    path: SEARCH_FILE,
    of: kindNames.flatMap((kind) =>
      pageOffsets(records[kind].length).map((offset) => pageFile(kind, offset)),
    ),
    make: () => new TextEncoder().encode(JSON.stringify(index)),
  };
  // The same page twice: for the API's own addresses, whatever their depth, and for hosts that know only files.
  const browse = (root: string, json: string): string =>
    fillPlaces(templates['browse.html'], { root, json, links: meta.links });
  yield { path: 'browse.html', body: browse('/', '?format=json') };
  yield { path: 'browse/index.html', body: browse('../', '../api/gamedata/index.json') };
  yield {
    path: 'index.html',
    body: fillFrontPage(templates['index.html'], { ...content, index, sizes: sizes() }),
  };
}
