import { kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import { DOCS_PATH, FEED_FILE, listPath, SOCIAL_CARD_FILE } from '../../contract/paths.ts';
import { formatKindTitle, TRADEMARK_NOTE } from '../../contract/words.ts';
import { tokenize } from './tokens.ts';

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

/** A template tag that escapes its values: html`<b>${name}</b>`. */
export function html(text: TemplateStringsArray, ...values: readonly HtmlValue[]): Markup {
  const escaped = values.map(escapeValue);
  // `String.raw` only joins the text and the values here.
  return new Markup(String.raw({ raw: text }, ...escaped));
}

/** Highlights code, and allows line breaks between the members of compact JSON. */
export function highlightCode(code: string): Markup {
  let highlighted = '';
  for (const { text, type } of tokenize(code)) {
    const escaped = escapeValue(text);
    if (type === undefined) highlighted += escaped.replaceAll(',', ',<wbr>');
    else highlighted += `<span class="${type}">${escaped}</span>`;
  }
  return new Markup(highlighted);
}

export type Values = Readonly<Record<string, HtmlValue | boolean>>;

const BLOCK = /\{\{#(\w+)\}\}\n?(.*?)\{\{\/\1\}\}\n?/gs;
const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/**
 * Fills placeholders such as `{{captured}}`, and omits blocks such as `{{#files}}…{{/files}}` if
 * their value is empty or false. Blocks are resolved first, because an omitted block may contain
 * placeholders.
 *
 * @throws if a placeholder has no value, or a value no placeholder
 */
export function fillPlaceholders(template: string, values: Values): Markup {
  const unused = new Set(Object.keys(values));
  const take = (name: string): HtmlValue | boolean => {
    const value = values[name];
    if (value === undefined) throw new Error(`page template: no value for {{${name}}}`);
    unused.delete(name);
    return value;
  };
  const withoutBlocks = template.replaceAll(BLOCK, (_, name: string, content: string) =>
    isEmpty(take(name)) ? '' : content,
  );
  const filled = withoutBlocks.replaceAll(PLACEHOLDER, (_, name: string) =>
    escapeValue(take(name) as HtmlValue),
  );
  if (unused.size > 0) {
    throw new Error(`page template: no placeholder for ${[...unused].join(', ')}`);
  }
  return new Markup(filled);
}

function isEmpty(value: HtmlValue | boolean): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === '' || value === false;
}

export interface PageOptions {
  readonly title: string;
  /** One sentence for search engines and link previews. */
  readonly description: string;
  /** The path from the page to the front page: empty, `../`, or absolute. */
  readonly root: string;
  /**
   * Below the base URL; undefined for a page that is served at many paths, which search engines
   * skip.
   */
  readonly path?: string;
  /** The name of the page's script without its extension. */
  readonly script?: string;
}

/** What a page needs to link to the site. */
export type LinkedSite = Pick<Meta, 'base_url' | 'links'>;

/**
 * Puts the content of a page into the frame of all pages. Then changes what no template should have
 * to repeat: code is not translated, long URLs in code may break, and on plain file servers, links
 * to folders name the index page.
 */
export function renderPage(
  template: string,
  content: Markup,
  options: PageOptions,
  site: LinkedSite,
): string {
  const { title, description, root, path, script } = options;
  const { base_url: baseUrl, links } = site;
  const filled = fillPlaceholders(template, {
    title,
    description,
    root,
    links,
    content,
    home: root === '' ? './' : root,
    feed: FEED_FILE,
    card: `${baseUrl}/${SOCIAL_CARD_FILE}`,
    identity: renderIdentity(baseUrl, path),
    script: script === undefined ? '' : html`<script src="${root}${script}.js" defer></script>`,
    nav: renderNavigation(options, links),
    trademark: TRADEMARK_NOTE,
  });
  const untranslated = filled.text.replaceAll(CODE_TAG, '$& translate="no"');
  const page = untranslated.replaceAll(CODE_CONTENT, breakUrls);
  if (links === 'query') return page;
  return page.replaceAll(FOLDER_LINK, ' href="$1index.html$2"');
}

function renderIdentity(baseUrl: string, path: string | undefined): Markup {
  if (path === undefined) return html`<meta name="robots" content="noindex">`;
  return html`<meta property="og:url" content="${baseUrl}${path}">`;
}

function renderNavigation({ root, path }: PageOptions, links: Meta['links']): Markup[] {
  const navigation: Markup[] = [];
  for (const kind of kindNames) {
    navigation.push(renderApiLink({ root, links }, listPath(kind), formatKindTitle(kind)));
  }
  const current = path === DOCS_PATH ? html` aria-current="page"` : '';
  navigation.push(html`<a href="${root}docs/"${current}>Docs</a>`);
  return navigation;
}

/** A tag, which stays as it is, or a separator of a URL before a word or a placeholder. */
const TAG_OR_SEPARATOR = /<[^>]*>|(?:[/?=]|&amp;)(?=[\w{])/g;

/** Allows line breaks after the separators of URLs, instead of inside a word. */
function breakUrls(markup: string): string {
  return markup.replaceAll(TAG_OR_SEPARATOR, (match) => {
    const isTag = match.startsWith('<');
    return isTag ? match : `${match}<wbr>`;
  });
}

/** Matches the beginning of an opening tag of code, before its attributes. */
const CODE_TAG = /<(?:code|pre)(?=[ >])/g;
const CODE_CONTENT = /(?<=<code[^>]*>).*?(?=<\/code>)/gs;

/** Matches a relative link to a folder, with an optional fragment. */
const FOLDER_LINK = / href="(?!#|https?:)([^"#?]*\/|)(#[^"]*)?"/g;

/**
 * Links to an endpoint's page. On plain file servers, the browsable page reads the path from the
 * fragment.
 */
export function renderApiLink(
  { root, links }: Pick<PageOptions, 'root'> & Pick<Meta, 'links'>,
  path: string,
  text: HtmlValue,
): Markup {
  const target = links === 'file' ? `browse/#${path}` : path.slice(1);
  return html`<a href="${root}${target}" data-api="${path}">${text}</a>`;
}
