/** The pages of a site and the search index. */

import { BROWSE_FILE, MARK_FILE, NOT_FOUND_FILE, pathOf, SEARCH_FILE } from '../contract/paths.ts';
import type { SiteFile } from '../contract/site-file.ts';
import { countGenerations, type FrontPageContent, fillFrontPage } from './front/page.ts';
import { searchForm } from './search/form.ts';
import { createSearchIndex } from './search/search-index.ts';
import { framed, markFile } from './shared/frame.ts';
import { fillPlaceholders } from './shared/markup.ts';

/** The pages with placeholders. */
export type PageTemplates = Readonly<Record<'index.html' | 'browse.html' | 'docs.html' | '404.html', string>>;

export interface PagesPlan extends Omit<FrontPageContent, 'generations' | 'search'> {
  readonly templates: PageTemplates;
}

export function webFiles({ templates, ...content }: PagesPlan): SiteFile[] {
  const { records, meta } = content;
  const index = createSearchIndex(records);
  const generations = countGenerations(index);
  const search = searchForm(generations.keys());
  const top = `${pathOf(meta.base_url)}/`;
  const browse = (root: string, json: string): string => {
    const description = 'Game moves and items, as tables, cards and JSON.';
    const frame = { title: 'gamedata', description, root, script: 'browse.js' };
    const { footer: _, ...parts } = framed(frame, meta);
    return fillPlaceholders(templates['browse.html'], { ...parts, search, json });
  };
  const description = 'There is nothing at this address.';
  const notFound = framed({ title: 'Not found · gamedata', description, root: top }, meta);
  return [
    { path: SEARCH_FILE, body: JSON.stringify(index) },
    { path: MARK_FILE, body: markFile },
    // The same page twice: for API paths of any depth, and for plain file servers.
    { path: BROWSE_FILE, body: browse(top, '?format=json') },
    { path: 'browse/index.html', body: browse('../', '../api/gamedata/index.json') },
    { path: NOT_FOUND_FILE, body: fillPlaceholders(templates['404.html'], { ...notFound, root: top }) },
    { path: 'index.html', body: fillFrontPage(templates['index.html'], { ...content, generations, search }) },
  ];
}
