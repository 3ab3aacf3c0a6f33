import { fileRows, plainBulkRows, type SiteFileRow } from '../contract/files.ts';
import { kindNames } from '../contract/kinds.ts';
import {
  describeEdition,
  type Edition,
  formatUpstream,
  getLinkBase,
  type Meta,
  type SiteFile,
} from '../contract/meta.ts';
import { getNativeName } from '../contract/names.ts';
import { PAGE_SIZE } from '../contract/page-range.ts';
import * as paths from '../contract/paths.ts';
import {
  describeSubject,
  formatBytes,
  formatCount,
  formatDate,
  formatKindTitle,
  joinWords,
} from '../contract/words.ts';
import { findGenerations, type Records } from '../data/data-set.ts';
import { describeDataset } from './front/describe-dataset.ts';
import { renderFirstRequest } from './front/first-request.ts';
import { renderIcons } from './front/icons.ts';
import {
  fillPlaceholders,
  html,
  type Markup,
  type PageOptions,
  renderApiLink,
  renderPage,
  type Values,
} from './shared/markup.ts';

/** The size of each file in bytes, by path. */
type Sizes = ReadonlyMap<string, number>;

export interface PagesInput {
  /** Reads a template by its file name. */
  readonly template: (name: string) => string;
  readonly records: Records;
  readonly meta: Meta;
  /** The size of each file in the site, except for the pages. */
  readonly sizes: Sizes;
  /** Whether the site contains its own archive. */
  readonly archive: boolean;
}

/**
 * Renders all pages except the docs: the browsable page, the error page and the
 * front page.
 */
export function renderPages(input: PagesInput): SiteFile[] {
  const basePath = `${paths.getBasePath(input.meta.base_url)}/`;
  return [
    // We render the browsable page twice: once for API paths of any depth, and once
    // for plain file servers.
    {
      path: paths.BROWSE_FILE,
      body: renderBrowsePage(input, basePath, '?format=json'),
    },
    {
      path: 'browse/index.html',
      body: renderBrowsePage(input, '../', `..${paths.API_PREFIX}index.json`),
    },
    { path: paths.NOT_FOUND_FILE, body: renderNotFoundPage(input, basePath) },
    { path: 'index.html', body: renderFrontPage(input) },
  ];
}

/**
 * Fills in a page template, and puts the result into the frame that all pages share.
 */
function fillPage(
  { template, meta }: PagesInput,
  name: string,
  values: Values,
  options: PageOptions,
): string {
  const content = fillPlaceholders(template(name), values);
  return renderPage(template('page.html'), content, options, meta);
}

/**
 * Renders the browsable page.
 *
 * @param json the link to the JSON, for browsers without JavaScript
 */
function renderBrowsePage(input: PagesInput, root: string, json: string): string {
  const files: Markup[] = [];
  for (const { path } of listBulkFiles(input.sizes)) {
    files.push(
      html`<li><a href="${root}${path}" download>${getFileName(path)}</a></li>`,
    );
  }
  const bulk = renderBulkLinks(input.sizes, root);
  const values = { search: renderSearch(input), json, files, bulk };
  const options = {
    title: 'gamedata',
    description: `${describeSubject()}, as tables, cards and JSON.`,
    root,
    script: 'browse',
  };
  return fillPage(input, 'browse.html', values, options);
}

/**
 * Renders one line of download links for each kind. The page's script then shows
 * only the line for the kind whose list is visible.
 */
function renderBulkLinks(sizes: Sizes, root: string): Markup[] {
  const lines: Markup[] = [];
  for (const kind of kindNames) {
    const links: Markup[] = [];
    for (const file of listBulkFiles(sizes)) {
      if (file.kind !== kind) continue;
      const format = file.path.replace(/^.*\./, '').toUpperCase();
      links.push(html`<a href="${root}${file.path}" download>${format}</a>`);
    }
    if (links.length === 0) continue;
    lines.push(
      html`<p class="quiet" data-files="${kind}" hidden>Every ${kind} in one file: ${links}</p>`,
    );
  }
  return lines;
}

function renderNotFoundPage(input: PagesInput, root: string): string {
  const options = {
    title: 'Not found · gamedata',
    description: 'There is nothing at this URL.',
    root,
  };
  return fillPage(input, '404.html', { root }, options);
}

/** Renders the front page, which offers every way to read the data. */
function renderFrontPage(input: PagesInput): string {
  const { records, meta, sizes, archive } = input;
  const subject = describeSubject();
  const summary = summarizeCounts(meta);
  const description = `A read-only JSON API of ${summary} from the Pokémon games: static files built from PokéAPI.`;
  const values = {
    title: `${subject}, as JSON`,
    summary,
    example: renderFirstRequest(getLinkBase(meta), records),
    icons: renderIcons(records, meta, sizes),
    negotiated: meta.links === 'query',
    search: renderSearch(input),
    lists: renderLists(meta),
    captured: meta.captured,
    date: formatDate(meta.captured),
    generations: describeGenerations(records),
    upstream: renderUpstream(meta.upstream),
    edition: renderEdition(meta.edition),
    downloads: renderDownloads(sizes, archive),
    descriptions: renderDescriptions(sizes),
    schemas: renderSchemas(sizes),
    dataset: describeDataset(description, meta, sizes, archive),
  };
  const options = {
    title: `gamedata: ${subject} as JSON`,
    description,
    root: '',
    path: '/',
    script: 'front',
  };
  return fillPage(input, 'index.html', values, options);
}

/** Formats the number of records of each kind: `746 moves and 954 items`. */
function summarizeCounts({ counts }: Meta): string {
  return joinWords(kindNames.map((kind) => formatCount(counts[kind], kind)));
}

/** Renders the search form with its choices of kinds and languages. */
function renderSearch({ template, meta }: PagesInput): Markup {
  const kinds = kindNames.map(
    (kind) => html`<option value="${kind}">${formatKindTitle(kind)}</option>`,
  );
  const languages: Markup[] = [];
  for (const language of Object.keys(meta.names?.languages ?? {})) {
    // Records have English names, so the template already contains the option for
    // English.
    if (language === 'en') continue;
    const name = getNativeName(language);
    languages.push(
      html`<option value="${language}" lang="${language}">${name}</option>`,
    );
  }
  return fillPlaceholders(template('search.html'), { kinds, languages });
}

function renderLists({ counts, links }: Meta): Markup[] {
  return kindNames.map((kind) => {
    const link = renderApiLink(
      { root: '', links },
      paths.listPath(kind),
      formatKindTitle(kind),
    );
    return html`<li>${link}
<span>${formatCount(counts[kind], 'record')}, ${PAGE_SIZE} per page</span></li>`;
  });
}

/** Formats the range of generations: ` (generations 1 to 7)`. */
function describeGenerations(records: Records): string {
  const generations = findGenerations(records);
  if (!generations) return '';
  const { first, last } = generations;
  if (first === last) return ` (generation ${first})`;
  return ` (generations ${first} to ${last})`;
}

/**
 * Renders the upstream as a link. Local files have no URL, so they get a plain
 * label.
 */
function renderUpstream(upstream: string): Markup | string {
  const label = formatUpstream(upstream);
  if (!paths.isUrl(upstream)) return label;
  return html`<a href="${upstream}" rel="noreferrer">${label}</a>`;
}

function renderEdition(edition: Edition | null): Markup | string {
  if (edition === null) return '';
  return html`, <span title="${edition.hash}">${describeEdition(edition)}</span>`;
}

/** Renders a table row for each bulk file, and for the archive if there is one. */
export function renderDownloads(sizes: Sizes, archive: boolean): Markup[] {
  const rows: Markup[] = [];
  for (const file of listBulkFiles(sizes)) {
    const size = formatSize(sizes, file.path);
    rows.push(renderDownload(file, size, renderCompressedCopy(sizes, file.path)));
  }
  if (!archive) return rows;
  for (const file of fileRows.archives) {
    // The archive contains this page, so its size is not known when the page is
    // rendered.
    rows.push(renderDownload(file, '–', '–'));
  }
  return rows;
}

function renderDownload(
  { path, summary }: SiteFileRow,
  size: string,
  copy: string | Markup,
): Markup {
  const firstSentence = summary.replace(/\. .*/s, '.');
  return html`<tr><th scope="row"><a href="${path}" download>${getFileName(path)}</a></th><td>${firstSentence}</td>
<td>${size}</td>
<td>${copy}</td></tr>`;
}

/** Renders a link to the compressed copy of a bulk file. */
function renderCompressedCopy(sizes: Sizes, path: string): Markup | string {
  const copy = paths.gzipFile(path);
  if (!sizes.has(copy)) return '–';
  const size = formatSize(sizes, copy);
  const label = `${getFileName(copy)}, ${size}`;
  return html`<a href="${copy}" download aria-label="${label}">${size}</a>`;
}

const listBulkFiles = (sizes: Sizes): SiteFileRow[] =>
  plainBulkRows.filter(({ path }) => sizes.has(path));

const getFileName = (path: string): string =>
  path.slice(paths.DOWNLOAD_FOLDER.length);

const formatSize = (sizes: Sizes, path: string): string =>
  formatBytes(sizes.get(path) ?? 0, '\u00a0');

/** The files that the front page describes, with the most useful files first. */
const describedFiles: readonly string[] = [
  paths.OPENAPI_FILE,
  paths.TYPES_FILE,
  paths.NAMES_INDEX_FILE,
  paths.CHANGES_FILE,
  paths.FEED_FILE,
  paths.META_FILE,
  paths.SEARCH_FILE,
  paths.MANIFEST_FILE,
];

/**
 * Renders the table of files that describe the site. Its first row links to the docs.
 */
function renderDescriptions(sizes: Sizes): Markup[] {
  const rows = [
    renderDescription('docs/', 'Every endpoint and field, with code to copy'),
  ];
  for (const path of describedFiles) {
    const file = [...fileRows.names, ...fileRows.site].find(
      (row) => row.path === path,
    );
    if (!file) throw new Error(`${path}: no file has this path`);
    if (path === paths.NAMES_INDEX_FILE && !sizes.has(path)) continue;
    rows.push(renderDescription(path, file.summary));
  }
  return rows;
}

const renderDescription = (path: string, summary: string): Markup =>
  html`<tr><th scope="row">${renderFileLink(path)}</th><td>${summary}.</td></tr>`;

const [SCHEMAS_FOLDER = ''] = paths.schemaFile('{schema}').split('{');

/** Renders a link to each JSON Schema. */
export function renderSchemas(sizes: Sizes): Markup[] {
  const links: Markup[] = [];
  for (const path of [...sizes.keys()].sort()) {
    if (!path.startsWith(SCHEMAS_FOLDER)) continue;
    links.push(
      html`<li>${renderFileLink(path, path.slice(SCHEMAS_FOLDER.length))}</li>`,
    );
  }
  return links;
}

const renderFileLink = (path: string, text = path): Markup =>
  html`<a href="${path}">${text}</a>`;
