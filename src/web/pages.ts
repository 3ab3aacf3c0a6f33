/** The pages of a site, what they share, and the search index. */

import { kindNames } from '../contract/kinds.ts';
import { ownNameOf } from '../contract/names.ts';
import { BROWSE_FILE, MARK_FILE, NOT_FOUND_FILE, pathOf, SEARCH_FILE } from '../contract/paths.ts';
import type { SiteFile } from '../contract/site-file.ts';
import { pluralTitle } from '../contract/words.ts';
import { countGenerations, type FrontPageContent, fillFrontPage } from './front/page.ts';
import { createSearchIndex } from './search/search-index.ts';
import { framed, markFile } from './shared/frame.ts';
import { fillPlaceholders, html, type Markup, nothing } from './shared/markup.ts';

/** The pages with placeholders. */
export type PageTemplates = Readonly<Record<'index.html' | 'browse.html' | 'docs.html' | '404.html', string>>;

export interface PagesPlan extends Omit<FrontPageContent, 'generations' | 'search'> {
  readonly templates: PageTemplates;
}

export function webFiles({ templates, ...content }: PagesPlan): SiteFile[] {
  const { records, meta } = content;
  const index = createSearchIndex(records);
  const generations = countGenerations(index);
  const languages = Object.keys(meta.names?.languages ?? {}).filter((language) => language !== 'en');
  const search = searchForm(generations.keys(), languages);
  const top = `${pathOf(meta.base_url)}/`;
  const browse = (root: string, json: string): string => {
    const description = 'Game moves and items, as tables, cards and JSON.';
    const frame = { title: 'gamedata', description, root, script: 'browse.js' };
    return fillPlaceholders(templates['browse.html'], { ...framed(frame, meta), search, json });
  };
  const description = 'There is nothing at this address.';
  const notFound = framed({ title: 'Not found · gamedata', description, root: top }, meta);
  return [
    { path: SEARCH_FILE, body: new TextEncoder().encode(JSON.stringify(index)) },
    { path: MARK_FILE, body: markFile },
    // The same page twice: for API paths of any depth, and for plain file servers.
    { path: BROWSE_FILE, body: browse(top, '?format=json') },
    { path: 'browse/index.html', body: browse('../', '../api/gamedata/index.json') },
    { path: NOT_FOUND_FILE, body: fillPlaceholders(templates['404.html'], { ...notFound, root: top }) },
    { path: 'index.html', body: fillFrontPage(templates['index.html'], { ...content, generations, search }) },
  ];
}

/**
 * @param generations in ascending order; null stands for records without one
 * @param languages besides English; without any, there is no choice
 */
export const searchForm = (
  generations: Iterable<number | null>,
  languages: readonly string[],
): Markup => html`<search>
<form id="search-form" class="scripted">
<div class="field wide">
<label for="query">Name, slug or id</label>
<input id="query" name="q" type="search" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="keys" aria-controls="results">
</div>
<div class="field" id="kind-field">
<label for="kind">Kind</label>
<select id="kind" name="kind">
<option value="">Any</option>
${kindNames.map((kind) => html`<option value="${kind}">${pluralTitle(kind)}</option>`)}
</select>
</div>
<div class="field">
<label for="generation">Generation</label>
<select id="generation" name="generation" aria-describedby="of-items">
<option value="">Any</option>
${[...generations].map(
  (generation) => html`<option value="${generation ?? 'none'}">${generation ?? 'unknown'}</option>`,
)}
</select>
</div>
${
  languages.length === 0
    ? nothing
    : html`<div class="field">
<label for="names-language">Language</label>
<select id="names-language" name="language">
<option value="">English</option>
${languages.map((language) => html`<option value="${language}" lang="${language}">${ownNameOf(language)}</option>`)}
</select>
</div>`
}
<button type="submit">Search</button>
</form>
</search>
<p id="keys" class="quiet scripted"><kbd>/</kbd> to search, <kbd>↑</kbd> <kbd>↓</kbd> to select, <kbd>Enter</kbd> to open.
<label class="option"><input id="shortcut" type="checkbox" checked> Enable the <kbd>/</kbd> key</label></p>
<p id="of-items" class="quiet scripted">The generation of an item is the first in which it has an index.</p>
<p id="found" role="status" class="quiet"></p>
<ol id="results" class="results"></ol>
<button type="button" id="more" hidden>Show more</button>`;
