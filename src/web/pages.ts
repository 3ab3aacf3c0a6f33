/** The pages of a site and the search index, made last: the front page lists the files made before it. */

import { pathOf, SEARCH_FILE } from '../contract/paths.ts';
import type { SiteFile } from '../contract/site-file.ts';
import { type FrontPageContent, fillFrontPage } from './front/page.ts';
import { createSearchIndex } from './search-index.ts';
import { fillPlaceholders } from './shared/markup.ts';

/** The pages with placeholders. */
export type PageTemplates = Readonly<Record<'index.html' | 'browse.html', string>>;

export interface PagesPlan extends Omit<FrontPageContent, 'sizes' | 'index'> {
  readonly templates: PageTemplates;
  /** The files made so far; called when all others are. */
  readonly sizes: () => FrontPageContent['sizes'];
}

export function* webFiles({ templates, sizes, ...content }: PagesPlan): Generator<SiteFile> {
  const { records, meta } = content;
  const index = createSearchIndex(records);
  yield {
    path: SEARCH_FILE,
    body: JSON.stringify(index),
  };
  // The same page twice: for API paths of any depth, and for plain file servers.
  const browse = (root: string, json: string): string =>
    fillPlaceholders(templates['browse.html'], { root, json, links: meta.links });
  yield { path: 'browse.html', body: browse(`${pathOf(meta.base_url)}/`, '?format=json') };
  yield { path: 'browse/index.html', body: browse('../', '../api/gamedata/index.json') };
  yield {
    path: 'index.html',
    body: fillFrontPage(templates['index.html'], { ...content, index, sizes: sizes() }),
  };
}
