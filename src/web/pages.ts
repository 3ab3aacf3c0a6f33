/** The pages of a site and the search index. */

import type { Meta } from '../contract/meta.ts';
import { BROWSE_FILE, MARK_FILE, NOT_FOUND_FILE, pathOf, SEARCH_FILE } from '../contract/paths.ts';
import type { SiteFile } from '../contract/site-file.ts';
import { countGenerations } from './front/chart.ts';
import { type FrontPageContent, fillFrontPage } from './front/page.ts';
import { searchForm } from './search/form.ts';
import { createSearchIndex } from './search/search-index.ts';
import { framed } from './shared/frame.ts';
import { markFile } from './shared/mark.ts';
import { fillPlaceholders, type Markup } from './shared/markup.ts';

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
  const browse = (links: BrowseLinks): string => fillBrowse(templates, meta, search, links);
  return [
    { path: SEARCH_FILE, body: JSON.stringify(index) },
    { path: MARK_FILE, body: markFile },
    // The same page twice: for API paths of any depth, and for plain file servers.
    { path: BROWSE_FILE, body: browse({ root: top, json: '?format=json' }) },
    { path: 'browse/index.html', body: browse({ root: '../', json: '../api/gamedata/index.json' }) },
    { path: NOT_FOUND_FILE, body: fillNotFound(templates, meta, top) },
    { path: 'index.html', body: fillFrontPage(templates['index.html'], { ...content, generations, search }) },
  ];
}

interface BrowseLinks {
  readonly root: string;
  readonly json: string;
}

function fillBrowse(
  templates: PageTemplates,
  meta: Meta,
  search: Markup,
  { root, json }: BrowseLinks,
): string {
  const description = 'Game moves and items, as tables, cards and JSON.';
  const frame = { title: 'gamedata', description, root, script: 'browse.js' };
  const { footer: _, ...parts } = framed(frame, meta);
  return fillPlaceholders(templates['browse.html'], { ...parts, search, json });
}

function fillNotFound(templates: PageTemplates, meta: Meta, root: string): string {
  const frame = { title: 'Not found · gamedata', description: 'There is nothing at this address.', root };
  return fillPlaceholders(templates['404.html'], { ...framed(frame, meta), root });
}
