/** What every page has: its mark, its metadata, the header and the footer. */

import { kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import { CARD_FILE, DOCS_PATH, FEED_FILE, listPath, MARK_FILE, OPENAPI_FILE } from '../../contract/paths.ts';
import { pluralTitle } from '../../contract/words.ts';
import { html, type Markup, nothing } from './markup.ts';

/** A page. */
export interface Frame {
  readonly title: string;
  /** One sentence for search engines and link previews. */
  readonly description: string;
  /** What leads from the page to the front page: empty, `../`, or an absolute path. */
  readonly root: string;
  /** The page's own path below the base URL; undefined for a page with many. */
  readonly path?: string;
  readonly script?: string;
  /** A style sheet beside that of all pages. */
  readonly style?: string;
}

export type Site = Pick<Meta, 'base_url' | 'links'>;

/** The values of the placeholders that every template has. */
export const framed = (
  frame: Frame,
  site: Site,
): Record<'links' | 'head' | 'header' | 'footer', Markup | string> => ({
  links: site.links,
  head: head(frame, site),
  header: header(frame, site),
  footer: footer(frame),
});

/** Open Graph: https://ogp.me */
const head = (
  { title, description, root, path, script, style }: Frame,
  { base_url: baseUrl }: Site,
): Markup =>
  html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="gamedata">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:image" content="${baseUrl}/${CARD_FILE}">
${path === undefined ? nothing : html`<meta property="og:url" content="${baseUrl}${path}">`}
<link rel="icon" type="image/svg+xml" href="${root}${MARK_FILE}">
<link rel="stylesheet" href="${root}style.css">
${style === undefined ? nothing : html`<link rel="stylesheet" href="${root}${style}">`}
<link rel="alternate" type="application/atom+xml" title="Changes" href="${root}${FEED_FILE}">
<link rel="service-desc" type="application/vnd.oai.openapi+json;version=3.1" href="${root}${OPENAPI_FILE}">
<link rel="service-doc" type="text/html" href="${root}${DOCS_PATH.slice(1)}">
${script === undefined ? nothing : html`<script src="${root}${script}" type="module"></script>`}`;

const header = ({ root, path }: Frame, site: Site): Markup => {
  const link = (to: string, text: string): Markup =>
    html`<a href="${root}${to}"${path === `/${to}` ? html` aria-current="page"` : nothing}>${text}</a>`;
  return html`<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<a class="name" href="${root || './'}">${mark}gamedata</a>
<nav aria-label="Site">
${kindNames.map((kind) => apiLink({ root, links: site.links }, listPath(kind), pluralTitle(kind)))}
${link(DOCS_PATH.slice(1), 'Docs')}
<a href="${root}#downloads">Downloads</a>
</nav>
</header>`;
};

const footer = ({ root }: Frame): Markup => html`<footer>
<p>Data by PokéAPI, under the <a href="${root}data-license.txt">BSD 3-Clause License</a>. Icons are loaded only when an item is
shown; those that this site does not hold come from PokéAPI.</p>
</footer>`;

/** A link to the browsable page of an endpoint. On plain file servers that page takes the path from the fragment. */
export const apiLink = (
  { root, links }: Pick<Frame, 'root'> & Pick<Meta, 'links'>,
  path: string,
  text: string,
): Markup =>
  html`<a href="${root}${links === 'file' ? `browse/#${path}` : path.slice(1)}" data-api="${path}">${text}</a>`;

/** In the header without a request, and as the file that is the icon of every page. */
const shapes = html`<rect width="32" height="32" rx="7"/><path d="M12.5 7.5C9 7.5 9.5 11 9.5 13s-1 3-3 3c2 0 3 1 3 3s-.5 5.5 3 5.5M19.5 7.5C23 7.5 22.5 11 22.5 13s1 3 3 3c-2 0-3 1-3 3s.5 5.5-3 5.5"/><circle cx="16" cy="16" r="2.7"/>`;

/** Colored by the style sheet. */
export const mark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">${shapes}</svg>`;

/** Colored by itself, in light and dark. */
const style = html`rect{fill:#0b55c4}path{fill:none;stroke:#fff;stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}circle{fill:#fff}@media(prefers-color-scheme:dark){rect{fill:#8ab8ff}path{stroke:#131619}circle{fill:#131619}}`;
export const markFile =
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>gamedata</title><style>${style}</style>${shapes}</svg>`
    .text;
