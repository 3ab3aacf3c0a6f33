/** What every page has: its metadata, the header and the footer. */

import { kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import { CARD_FILE, DOCS_PATH, FEED_FILE, listPath, MARK_FILE, OPENAPI_FILE } from '../../contract/paths.ts';
import { pluralTitle } from '../../contract/words.ts';
import { mark } from './mark.ts';
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

type Site = Pick<Meta, 'base_url' | 'links'>;

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
