/** HTML in which every value is escaped unless it is markup, and the frame of every page. */

import { kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import {
  DOCS_PATH,
  FEED_FILE,
  LOGO_FILE,
  listPath,
  OPENAPI_FILE,
  SOCIAL_CARD_FILE,
} from '../../contract/paths.ts';
import { formatKindTitle } from '../../contract/words.ts';

/** A fragment of HTML. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = string | number | Markup | readonly HtmlValue[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for elements and quoted attributes. Array members are separated by line breaks. */
function escapeValue(value: HtmlValue): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(escapeValue).join('\n');
  return String(value).replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? mark);
}

/** Template tag: ``html`<p>${name}</p>` `` */
export const html = (text: TemplateStringsArray, ...values: readonly HtmlValue[]): Markup =>
  new Markup(String.raw({ raw: text }, ...values.map(escapeValue)));

/**
 * Fills the placeholders of a hand-written template, such as `{{captured}}`.
 *
 * @throws if a placeholder has no value, or a value no placeholder
 */
export function fillPlaceholders(template: string, values: Readonly<Record<string, HtmlValue>>): Markup {
  const unused = new Set(Object.keys(values));
  const filled = template.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`page template: no value for ${placeholder}`);
    unused.delete(name);
    return escapeValue(value);
  });
  if (unused.size > 0) throw new Error(`page template: no placeholder for ${[...unused].join(', ')}`);
  return new Markup(filled);
}

export interface PageOptions {
  readonly title: string;
  /** One sentence for search engines and link previews. */
  readonly description: string;
  /** The path from the page to the front page: empty, `../`, or absolute. */
  readonly root: string;
  /** Below the base URL; undefined for a page that is served at many paths, which search engines skip. */
  readonly path?: string;
  /** The name of the script without its extension. */
  readonly script?: string;
}

export type Site = Pick<Meta, 'base_url' | 'links'>;

/** Renders a whole page. Open Graph: https://ogp.me */
export function renderPage(content: Markup, options: PageOptions, site: Site): string {
  const { title, description, root, path, script } = options;
  const { base_url: baseUrl, links } = site;
  const docs = DOCS_PATH.slice(1);
  const page = html`<!doctype html>
<html lang="en" data-links="${links}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="gamedata">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:image" content="${baseUrl}/${SOCIAL_CARD_FILE}">
${path === undefined ? html`<meta name="robots" content="noindex">` : html`<meta property="og:url" content="${baseUrl}${path}">`}
<link rel="icon" type="image/svg+xml" href="${root}${LOGO_FILE}">
<link rel="stylesheet" href="${root}style.css">
<link rel="alternate" type="application/atom+xml" title="Changes" href="${root}${FEED_FILE}">
<link rel="service-desc" type="application/vnd.oai.openapi+json;version=3.1" href="${root}${OPENAPI_FILE}">
<link rel="service-doc" type="text/html" href="${root}${docs}">
${script === undefined ? '' : html`<script src="${root}${script}.js" defer></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<a class="name" href="${root || './'}"><svg class="mark" viewBox="0 0 32 32" aria-hidden="true">${logoShapes}</svg>gamedata</a>
<nav aria-label="Site">
${kindNames.map((kind) => apiLink({ root, links }, listPath(kind), formatKindTitle(kind)))}
<a href="${root}${docs}"${path === DOCS_PATH ? html` aria-current="page"` : ''}>Docs</a>
<a href="${root}#downloads">Downloads</a>
</nav>
</header>
<main id="main" tabindex="-1">
${content}</main>
<footer>
<p>Data by PokéAPI, under the <a href="${root}data-license.txt">BSD 3-Clause License</a>. Icons are loaded only when an item is
shown; icons that this site does not hold come from PokéAPI.</p>
</footer>
</body>
</html>
`.text;
  const finished = page
    .replaceAll(/<(?:code|pre)(?=[ >])/g, '$& translate="no"')
    .replaceAll(/(?<=<code[^>]*>).*?(?=<\/code>)/gs, breakUrls);
  return links === 'file' ? finished.replaceAll(FOLDER_LINK, ' href="$1index.html$2"') : finished;
}

/** Allows line breaks after the separators of URLs, instead of inside a word. Tags remain as they are. */
const breakUrls = (markup: string): string =>
  markup.replaceAll(/<[^>]*>|(?:[/?=]|&amp;)+(?=[\w{])/g, (match) =>
    match.startsWith('<') ? match : `${match}<wbr>`,
  );

/** A link to a folder of the site, or into its page: plain file servers only know files. */
const FOLDER_LINK = / href="(?!#|https?:)([^"#?]*\/|)(#[^"]*)?"/g;

/** Links to the browsable page of an endpoint. On plain file servers that page takes the path from the fragment. */
export const apiLink = (
  { root, links }: Pick<PageOptions, 'root'> & Pick<Meta, 'links'>,
  path: string,
  text: HtmlValue,
): Markup =>
  html`<a href="${root}${links === 'file' ? `browse/#${path}` : path.slice(1)}" data-api="${path}">${text}</a>`;

/** Inlined into the header, where the style sheet colors it, and the content of the icon file. */
const logoShapes = html`<rect width="32" height="32" rx="7"/><path d="M12.5 7.5C9 7.5 9.5 11 9.5 13s-1 3-3 3c2 0 3 1 3 3s-.5 5.5 3 5.5M19.5 7.5C23 7.5 22.5 11 22.5 13s1 3 3 3c-2 0-3 1-3 3s.5 5.5-3 5.5"/><circle cx="16" cy="16" r="2.7"/>`;

const logoStyle = html`rect{fill:#0b55c4}path{fill:none;stroke:#fff;stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}circle{fill:#fff}@media(prefers-color-scheme:dark){rect{fill:#8ab8ff}path{stroke:#131619}circle{fill:#131619}}`;
export const logoFile =
  html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>gamedata</title><style>${logoStyle}</style>${logoShapes}</svg>`
    .text;
