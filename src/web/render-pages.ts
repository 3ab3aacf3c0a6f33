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
import * as paths from '../contract/paths.ts';
import {
  describeSubject,
  formatBytes,
  formatCount,
  formatDate,
  formatKindTitle,
  joinWords,
  NOTHING_HERE,
} from '../contract/words.ts';
import type { Records } from '../data/data-set.ts';
import { describeDataset } from './front/describe-dataset.ts';
import { chooseExamples, renderExample, renderExamples } from './front/examples.ts';
import { renderFrieze } from './front/frieze.ts';
import {
  type GenerationGroup,
  groupByGeneration,
  renderCounts,
  renderGenerationOptions,
  renderStripes,
} from './front/generations.ts';
import { HEADLINE, renderLettering } from './front/headline.ts';
import { html, type Markup } from './shared/html.ts';
import {
  fillPlaceholders,
  type PageOptions,
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
  /** Whether the site contains an archive of itself. */
  readonly archive: boolean;
}

/**
 * Renders all pages except the docs: the browsable page, the error page and the
 * front page.
 */
export function renderPages(input: PagesInput): SiteFile[] {
  const basePath = `${paths.getBasePath(input.meta.base_url)}/`;
  const groups = groupByGeneration(input.records);
  const generations = renderGenerationOptions(groups);
  return [
    // We render the browsable page twice: once for API paths of any depth, and once
    // for plain file servers.
    {
      path: paths.BROWSE_FILE,
      body: renderBrowsePage(input, {
        root: basePath,
        json: '?format=json',
        generations,
      }),
    },
    {
      path: 'browse/index.html',
      body: renderBrowsePage(input, {
        root: '../',
        json: `..${paths.API_PREFIX}index.json`,
        generations,
        // On plain file servers, the URLs of all records differ only in the fragment.
        isUnlisted: true,
      }),
    },
    { path: paths.NOT_FOUND_FILE, body: renderNotFoundPage(input, basePath) },
    { path: 'index.html', body: renderFrontPage(input, groups) },
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

interface BrowsePage extends Pick<PageOptions, 'root' | 'isUnlisted'> {
  /** The link to the JSON, for browsers without JavaScript. */
  readonly json: string;
  /** The options of the generation field. */
  readonly generations: readonly Markup[];
}

/** Renders the browsable page, in which a script shows an endpoint's response. */
function renderBrowsePage(
  input: PagesInput,
  { root, json, generations, isUnlisted = false }: BrowsePage,
): string {
  const files: Markup[] = [];
  for (const { path } of listBulkFiles(input.sizes)) {
    files.push(
      html`<li><a href="${root}${path}" download>${getFileName(path)}</a></li>`,
    );
  }
  const bulk = renderBulkLinks(input.sizes, root);
  const search = renderSearch(input, {
    total: '',
    placeholder: 'Name, slug or id',
    examples: [],
    generations,
  });
  const values = { search, json, files, bulk };
  const options = {
    title: 'gamedata',
    description: `${describeSubject()}, as tables, pictures and JSON.`,
    root,
    isUnlisted,
    script: 'browse',
  };
  return fillPage(input, 'browse.html', values, options);
}

/**
 * Renders one line of download links for each kind, such as links to all moves as CSV. The
 * page's script then shows only the line for the kind whose list is visible.
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
    description: NOTHING_HERE,
    root,
    isUnlisted: true,
  };
  return fillPage(input, '404.html', { root, reason: NOTHING_HERE }, options);
}

/** Renders the front page, which offers every way to read the data. */
function renderFrontPage(
  input: PagesInput,
  groups: readonly GenerationGroup[],
): string {
  const { records, meta, sizes, archive } = input;
  const examples = chooseExamples(records);
  const count = kindNames.reduce((sum, kind) => sum + meta.counts[kind], 0);
  const summary = summarizeCounts(meta);
  const description = `A read-only JSON API of ${summary} from the Pokémon games: static files built from PokéAPI.`;
  const values = {
    headline: HEADLINE,
    lettering: renderLettering(),
    frieze: renderFrieze(groups),
    summary,
    captured: meta.captured,
    date: formatDate(meta.captured),
    size: formatCompressedSize(sizes),
    search: renderSearch(input, {
      total: formatCount(count, 'record'),
      placeholder: 'potion, fire punch, ぱんち',
      examples: renderExamples(examples, meta),
      generations: [],
    }),
    example: renderExample(examples, records, getLinkBase(meta)),
    stripes: renderStripes(groups, meta),
    counts: renderCounts(groups),
    downloads: renderDownloads(sizes, archive),
    upstream: renderUpstream(meta.upstream),
    edition: renderEdition(meta.edition),
    dataset: describeDataset(description, meta, sizes, archive),
  };
  const options = {
    title: `gamedata: ${describeSubject()} as JSON`,
    description,
    root: '',
    path: '/',
    script: 'front',
    startsWithSearch: true,
  };
  return fillPage(input, 'index.html', values, options);
}

/**
 * Formats the size of the smallest file that contains every record. Returns an empty
 * string if there is no such file.
 */
function formatCompressedSize(sizes: Sizes): string {
  const compressedSizes: number[] = [];
  for (const { path, kind } of plainBulkRows) {
    const size = sizes.get(paths.gzipFile(path));
    if (kind === undefined && size !== undefined) compressedSizes.push(size);
  }
  if (compressedSizes.length === 0) return '';
  // A no-break space keeps the number and the unit on one line.
  return formatBytes(Math.min(...compressedSizes), '\u00a0');
}

/** Formats the number of records of each kind: `746 moves and 954 items`. */
function summarizeCounts({ counts }: Meta): string {
  return joinWords(kindNames.map((kind) => formatCount(counts[kind], kind)));
}

/** What the search form shows before the user searches. */
interface UnusedSearch {
  /** The number of records. Empty in lists, which show it elsewhere. */
  readonly total: string;
  /** The text in the empty search field. */
  readonly placeholder: string;
  readonly examples: readonly Markup[];
  /**
   * The options of the generation field. Empty on the front page, which shows all
   * generations.
   */
  readonly generations: readonly Markup[];
}

/** Renders the search form with its choices of kinds, generations and languages. */
function renderSearch(
  { template, meta }: PagesInput,
  { total, placeholder, examples, generations }: UnusedSearch,
): Markup {
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
  return fillPlaceholders(template('search.html'), {
    kinds,
    generations,
    languages,
    total,
    placeholder,
    examples,
  });
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
