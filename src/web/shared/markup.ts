import { kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import { DOCS_PATH, FEED_FILE, listPath, SOCIAL_CARD_FILE } from '../../contract/paths.ts';
import { formatKindTitle } from '../../contract/words.ts';

/** HTML, which is not escaped again. */
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

export const html = (text: TemplateStringsArray, ...values: readonly HtmlValue[]): Markup =>
  new Markup(String.raw({ raw: text }, ...values.map(escapeValue)));

export type Values = Readonly<Record<string, HtmlValue | boolean>>;

/** Fills placeholders such as `{{captured}}`, and omits blocks such as `{{#files}}…{{/files}}` if their value is empty or false. */
export function fillPlaceholders(template: string, values: Values): Markup {
  const unused = new Set(Object.keys(values));
  const take = (name: string): HtmlValue | boolean => {
    const value = values[name];
    if (value === undefined) throw new Error(`page template: no value for {{${name}}}`);
    unused.delete(name);
    return value;
  };
  const filled = template
    .replaceAll(/\{\{#(\w+)\}\}\n?(.*?)\{\{\/\1\}\}\n?/gs, (_, name: string, block: string) => {
      const value = take(name);
      return value === '' || value === false || (Array.isArray(value) && value.length === 0)
        ? ''
        : block;
    })
    .replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => escapeValue(take(name) as HtmlValue));
  if (unused.size > 0)
    throw new Error(`page template: no placeholder for ${[...unused].join(', ')}`);
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
  readonly script?: string;
}

export type Site = Pick<Meta, 'base_url' | 'links'>;

export function renderPage(
  template: string,
  content: Markup,
  options: PageOptions,
  site: Site,
): string {
  const { path, script, ...values } = options;
  const { root } = values;
  const { base_url: baseUrl, links } = site;
  const page = fillPlaceholders(template, {
    ...{ ...values, links, content, home: root || './', feed: FEED_FILE },
    card: `${baseUrl}/${SOCIAL_CARD_FILE}`,
    identity:
      path === undefined
        ? html`<meta name="robots" content="noindex">`
        : html`<meta property="og:url" content="${baseUrl}${path}">`,
    script: script === undefined ? '' : html`<script src="${root}${script}.js" defer></script>`,
    nav: [
      ...kindNames.map((kind) =>
        renderApiLink({ root, links }, listPath(kind), formatKindTitle(kind)),
      ),
      html`<a href="${root}docs/"${path === DOCS_PATH ? html` aria-current="page"` : ''}>Docs</a>`,
    ],
  })
    .text.replaceAll(/<(?:code|pre)(?=[ >])/g, '$& translate="no"')
    .replaceAll(/(?<=<code[^>]*>).*?(?=<\/code>)/gs, breakUrls);
  return links === 'file' ? page.replaceAll(FOLDER_LINK, ' href="$1index.html$2"') : page;
}

/** Allows line breaks after the separators of URLs, instead of inside a word. */
const breakUrls = (markup: string): string =>
  markup.replaceAll(/<[^>]*>|(?:[/?=]|&amp;)+(?=[\w{])/g, (match) =>
    match.startsWith('<') ? match : `${match}<wbr>`,
  );

const FOLDER_LINK = / href="(?!#|https?:)([^"#?]*\/|)(#[^"]*)?"/g;

/** Links to an endpoint's page. On plain file servers, the browsable page reads the path from the fragment. */
export const renderApiLink = (
  { root, links }: Pick<PageOptions, 'root'> & Pick<Meta, 'links'>,
  path: string,
  text: HtmlValue,
): Markup =>
  html`<a href="${root}${links === 'file' ? `browse/#${path}` : path.slice(1)}" data-api="${path}">${text}</a>`;
