/** The pages of a site and the search index, made last: the front page lists the files made before it. */

import type { Meta } from '../contract/meta.ts';
import { BROWSE_FILE, MARK_FILE, NOT_FOUND_FILE, pathOf, SEARCH_FILE } from '../contract/paths.ts';
import type { MadeFile, SiteFile } from '../contract/site-file.ts';
import type { EncodedRecords } from '../dataset/data-set.ts';
import { countGenerations } from './front/chart.ts';
import { type FrontPageContent, fillFrontPage } from './front/page.ts';
import { searchForm } from './search/form.ts';
import { createSearchIndex } from './search/search-index.ts';
import { framed } from './shared/frame.ts';
import { markFile } from './shared/mark.ts';
import { fillPlaceholders, type Markup } from './shared/markup.ts';

/** The pages with placeholders. */
export type PageTemplates = Readonly<Record<'index.html' | 'browse.html' | 'docs.html' | '404.html', string>>;

export interface PagesPlan extends Omit<FrontPageContent, 'sizes' | 'generations' | 'search'> {
  readonly templates: PageTemplates;
  /** The files made so far; called when all others are. */
  readonly sizes: () => FrontPageContent['sizes'];
}

/** Nothing is made of the records before the first of the files is. */
export function* webFiles({ templates, sizes, ...content }: PagesPlan): Generator<SiteFile | MadeFile> {
  const { records, meta } = content;
  let made: ReturnType<typeof searchOf> | undefined;
  const shared = (): ReturnType<typeof searchOf> => {
    made ??= searchOf(records);
    return made;
  };
  yield {
    path: SEARCH_FILE,
    make: () => JSON.stringify(shared().index),
  };
  yield { path: MARK_FILE, body: markFile };
  const top = `${pathOf(meta.base_url)}/`;
  const browse = (path: string, links: BrowseLinks): MadeFile => ({
    path,
    make: () => fillBrowse(templates, meta, shared().search, links),
  });
  // The same page twice: for API paths of any depth, and for plain file servers.
  yield browse(BROWSE_FILE, { root: top, json: '?format=json' });
  yield browse('browse/index.html', { root: '../', json: '../api/gamedata/index.json' });
  yield { path: NOT_FOUND_FILE, body: fillNotFound(templates, meta, top) };
  yield {
    path: 'index.html',
    make() {
      const { generations, search } = shared();
      return fillFrontPage(templates['index.html'], { ...content, generations, search, sizes: sizes() });
    },
  };
}

/** The search index, and what pages show of it. */
function searchOf(records: EncodedRecords) {
  const index = createSearchIndex(records);
  const generations = countGenerations(index);
  return { index, generations, search: searchForm(generations.keys()) };
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
