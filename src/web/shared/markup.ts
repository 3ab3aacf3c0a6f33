import { kindNames } from '../../contract/kinds.ts';
import type { Meta } from '../../contract/meta.ts';
import {
  DOCS_PATH,
  FEED_FILE,
  listPath,
  SEARCH_FILE,
  SOCIAL_CARD_FILE,
} from '../../contract/paths.ts';
import { formatKindTitle, TRADEMARK_NOTE } from '../../contract/words.ts';
import { breakUrls, escapeValue, type HtmlValue, html, Markup } from './html.ts';

export type Values = Readonly<Record<string, HtmlValue | boolean>>;

const BLOCK = /\{\{#(\w+)\}\}\n?(.*?)\{\{\/\1\}\}\n?/gs;
const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/**
 * Fills in placeholders such as `{{captured}}`. A block such as
 * `{{#files}}…{{/files}}` is omitted if its value is empty or false. Blocks are
 * resolved first, because the placeholders in an omitted block need no values.
 *
 * @throws if a placeholder has no value, or a value has no placeholder
 */
export function fillPlaceholders(template: string, values: Values): Markup {
  const withoutBlocks = template.replaceAll(
    BLOCK,
    (_, name: string, content: string) =>
      isEmpty(getOrThrow(values, name)) ? '' : content,
  );
  const filled = withoutBlocks.replaceAll(PLACEHOLDER, (_, name: string) =>
    escapeValue(getOrThrow(values, name) as HtmlValue),
  );
  const blockNames = listNames(template, BLOCK);
  const placeholderNames = listNames(withoutBlocks, PLACEHOLDER);
  assertAllUsed(values, new Set([...blockNames, ...placeholderNames]));
  return new Markup(filled);
}

/** @throws if the name has no value */
function getOrThrow(values: Values, name: string): HtmlValue | boolean {
  const value = values[name];
  if (value !== undefined) return value;
  throw new Error(`page template: no value for {{${name}}}`);
}

/** Lists the names that a pattern captures in a template. */
const listNames = (template: string, pattern: RegExp): (string | undefined)[] =>
  Array.from(template.matchAll(pattern), ([, name]) => name);

/** @throws if there is a value that the template does not use */
function assertAllUsed(
  values: Values,
  usedNames: ReadonlySet<string | undefined>,
): void {
  const unused = Object.keys(values).filter((name) => !usedNames.has(name));
  if (unused.length === 0) return;
  throw new Error(`page template: no placeholder for ${unused.join(', ')}`);
}

function isEmpty(value: HtmlValue | boolean): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === '' || value === false;
}

export interface PageOptions {
  readonly title: string;
  /** A sentence that describes the page for search engines and link previews. */
  readonly description: string;
  /**
   * The path from this page to the front page: an empty string, `../`, or an
   * absolute path.
   */
  readonly root: string;
  /** The path below the base URL. Undefined for a page that is served at many paths. */
  readonly path?: string;
  /** Whether to ask search engines not to list the page. */
  readonly isUnlisted?: boolean;
  /** The name of the page's script without its file extension. */
  readonly script?: string;
  /** Whether the page's script loads the search immediately. */
  readonly startsWithSearch?: boolean;
}

/** The parts of a site's metadata that a page needs for its links. */
export type LinkedSite = Pick<Meta, 'base_url' | 'links' | 'sprites'>;

/**
 * Puts a page's content into the frame that all pages share: the title, the navigation and
 * the footer. Then adapts the code and the links of the whole page.
 */
export function renderPage(
  template: string,
  content: Markup,
  options: PageOptions,
  site: LinkedSite,
): string {
  const { title, description, root, script } = options;
  const { base_url: baseUrl, links } = site;
  // An empty link would keep the current query of the page.
  const home = root === '' ? './' : root;
  const filled = fillPlaceholders(template, {
    title,
    description,
    root,
    links,
    icons: site.sprites.mode,
    content,
    home,
    feed: FEED_FILE,
    card: `${baseUrl}/${SOCIAL_CARD_FILE}`,
    identity: renderIdentity(baseUrl, options),
    script: renderScript(root, script),
    preloads: renderPreloads(options),
    nav: renderNavigation(options, links),
    trademark: TRADEMARK_NOTE,
  });
  const page = adaptCode(filled.text);
  // Plain file servers may not respond to the URL of a folder with its index page.
  return links === 'file' ? nameIndexPages(page) : page;
}

/** Matches the start of an opening `code` or `pre` tag, up to its attributes. */
const CODE_TAG = /<(?:code|pre)(?=[ >])/g;
const CODE_CONTENT = /(?<=<code[^>]*>).*?(?=<\/code>)/gs;

/** Excludes all code from translation, and allows line breaks in long URLs. */
function adaptCode(page: string): string {
  const untranslated = page.replaceAll(CODE_TAG, '$& translate="no"');
  return untranslated.replaceAll(CODE_CONTENT, breakUrls);
}

/** Matches a relative link to a folder, which may have a fragment. */
const FOLDER_LINK = / href="(?!#|https?:)([^"#?]*\/|)(#[^"]*)?"/g;

/** Adds `index.html` to each link to a folder: `docs/#move` → `docs/index.html#move`. */
function nameIndexPages(page: string): string {
  return page.replaceAll(FOLDER_LINK, ' href="$1index.html$2"');
}

function renderScript(root: string, script: string | undefined): HtmlValue {
  if (script === undefined) return '';
  return html`<script src="${root}${script}.js" defer></script>`;
}

/**
 * Preloads the search engine and its index, so that the browser requests them in
 * parallel with the page's script instead of after running it.
 */
function renderPreloads({ root, startsWithSearch = false }: PageOptions): HtmlValue {
  if (!startsWithSearch) return '';
  return html`<link rel="modulepreload" href="${root}search.js">
<link rel="preload" href="${root}${SEARCH_FILE}" as="fetch" crossorigin>`;
}

function renderIdentity(
  baseUrl: string,
  { path, isUnlisted = false }: PageOptions,
): HtmlValue {
  if (isUnlisted) return html`<meta name="robots" content="noindex">`;
  if (path === undefined) return '';
  return html`<meta property="og:url" content="${baseUrl}${path}">`;
}

/** Renders the links to every list and to the docs. */
function renderNavigation(
  { root, path }: PageOptions,
  links: Meta['links'],
): Markup[] {
  const navigation: Markup[] = [];
  for (const kind of kindNames) {
    navigation.push(
      renderApiLink({ root, links }, listPath(kind), formatKindTitle(kind)),
    );
  }
  const current = path === DOCS_PATH ? html` aria-current="page"` : '';
  navigation.push(html`<a href="${root}docs/"${current}>Docs</a>`);
  return navigation;
}

/**
 * Renders a link to an endpoint's page. On plain file servers, the link leads to the
 * browsable page, which reads the path from the fragment.
 */
export function renderApiLink(
  place: LinkPlace,
  path: string,
  text: HtmlValue,
): Markup {
  return html`<a href="${getPageLink(place, path)}" data-api="${path}">${text}</a>`;
}

/** The page that contains a link, and the site's style of links. */
type LinkPlace = Pick<PageOptions, 'root'> & Pick<Meta, 'links'>;

/** Returns the relative URL of an endpoint's page. */
export function getPageLink({ root, links }: LinkPlace, path: string): string {
  const target = links === 'file' ? `browse/#${path}` : path.slice(1);
  return root + target;
}
