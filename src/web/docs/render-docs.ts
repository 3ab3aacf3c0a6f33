import type { Meta } from '../../contract/meta.ts';
import { type Operation, parameters } from '../../contract/operations.ts';
import { PAGE_SIZE } from '../../contract/page-range.ts';
import {
  API_PREFIX,
  DOCS_PATH,
  INDEX_FILE,
  namesFile,
  schemaFile,
} from '../../contract/paths.ts';
import { type JsonSchema, schemaNames, typeName } from '../../contract/served.ts';
import { describeSubject } from '../../contract/words.ts';
import { type HtmlValue, html, type Markup } from '../shared/html.ts';
import { fillPlaceholders, renderApiLink, renderPage } from '../shared/markup.ts';
import {
  describeQuery,
  type KeptGuarantees,
  renderErrors,
  renderHeaders,
} from './describe-host.ts';
import { formatChanges, formatMeta, formatResponse } from './format-example.ts';
import {
  type Field,
  joinMarkup,
  renderFields,
  renderProse,
  renderRow,
  renderTable,
  renderTypeFields,
} from './render-fields.ts';

/** The path from the docs to the front page. */
const ROOT = '../';

export interface DocsContent {
  readonly operations: readonly Operation[];
  /** Each type's schema, by name. */
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  /** The first lines of each file that is not JSON, by path. */
  readonly excerpts: ReadonlyMap<string, string>;
  /** The guarantees that the site keeps on each of its hosts. */
  readonly kept: KeptGuarantees;
  /** Whether none of the site's hosts limits the number of requests. */
  readonly hasNoRateLimit: boolean;
}

/**
 * Renders the docs, which show every endpoint, file and type with real requests and
 * responses. They describe this site, so they promise only what its hosts do.
 */
export function renderDocs(
  template: (name: string) => string,
  content: DocsContent,
  site: Meta,
): string {
  const { operations, schemas, kept } = content;
  const endpoints = operations.filter(({ group }) => group === 'records');
  const names = operations.filter(({ group }) => group === 'names');
  const downloads = operations.filter(({ group }) => group === 'downloads');
  const files = operations.filter(({ group }) => group === 'site');
  const values: Record<string, HtmlValue | boolean> = {
    base: site.base_url,
    size: PAGE_SIZE,
    contents: endpoints.map(renderContentsEntry),
    ...describeFirstRequest(endpoints, site),
    parameters: renderFields('Parameter', listParameters(endpoints, kept)),
    endpoints: renderEndpoints(endpoints, schemas, site),
    headers: renderHeaders(kept),
    errors: renderErrors(kept),
    ...describeNames(names, site),
    downloads: renderDownloads(downloads),
    excerpts: renderExcerpts(content.excerpts),
    files: renderFiles([...names, ...files]),
    examples: renderFileExamples(files, site),
    types: renderTypes(schemas, endpoints),
    // The template has a block of text for each of these cases.
    unlimited: content.hasNoRateLimit,
    pages: kept.has('browser'),
    json_only: !kept.has('browser'),
    etags: kept.has('etag'),
    redirected: kept.has('moved'),
    not_redirected: !kept.has('moved'),
  };
  const options = {
    title: 'Docs · gamedata',
    description: `The endpoints, fields, errors and downloads of ${describeSubject()} as JSON, with code to copy.`,
    root: ROOT,
    path: DOCS_PATH,
    script: 'docs',
  };
  const filled = fillPlaceholders(template('docs.html'), values);
  return renderPage(template('page.html'), filled, options, site);
}

/**
 * Renders a link to an endpoint's section. The label omits what all paths have in
 * common.
 */
function renderContentsEntry({ id, path }: Operation): Markup {
  const label = path.slice(API_PREFIX.length - 1).replace(INDEX_FILE, '');
  return html`<li><a href="#${id}"><code>${label}</code></a></li>`;
}

/**
 * Describes a request for the first record. On a site without records, describes a
 * request for the first endpoint instead.
 */
function describeFirstRequest(
  endpoints: readonly Operation[],
  site: Meta,
): { url: string; type: string; variable: string } {
  const record = endpoints.find(
    ({ pathParameter, example }) => pathParameter && example,
  );
  const endpoint = record ?? endpoints[0];
  if (!endpoint) throw new Error('got no endpoints');
  const type = getTypeName(endpoint);
  const url = site.base_url + getExamplePath(endpoint);
  return { url, type, variable: type.toLowerCase() };
}

/**
 * Returns the name of a response's type, or an empty string for files without a schema,
 * such as CSV.
 */
const getTypeName = ({ schema }: Operation): string => typeName(schema ?? '');

const isList = (endpoint: Operation): boolean =>
  getTypeName(endpoint).endsWith('Page');

/**
 * Returns the path of an operation's example. If there is no example, the path still
 * contains its parameter in braces.
 */
function getExamplePath({ path, pathParameter }: Operation): string {
  const value = String(pathParameter?.example ?? '{slug}');
  return path.replace('{offset}', String(PAGE_SIZE)).replace(/\{.+\}/, value);
}

/** Lists the parameters of all endpoints. Each parameter occurs once. */
function listParameters(
  endpoints: readonly Operation[],
  kept: KeptGuarantees,
): Field[] {
  const fields = new Map<string, Field>();
  for (const { pathParameter } of endpoints) {
    if (pathParameter) fields.set(pathParameter.name, pathParameter);
  }
  const descriptions = describeQuery(kept);
  for (const endpoint of endpoints) {
    for (const name of endpoint.parameters) {
      // The only other parameter is the header `If-None-Match`, which the table of headers
      // explains.
      const isQuery = name === 'format' || name === 'limit' || name === 'offset';
      if (!isQuery) continue;
      fields.set(name, { ...parameters[name], description: descriptions[name] });
    }
  }
  return [...fields.values()];
}

/**
 * Renders each endpoint's section, with the fields of its response. All list pages have
 * the same fields, so only the first list shows them, and the others refer to it.
 */
function renderEndpoints(
  endpoints: readonly Operation[],
  schemas: DocsContent['schemas'],
  site: Meta,
): Markup[] {
  const firstList = endpoints.find(isList);
  const sections: Markup[] = [];
  for (const endpoint of endpoints) {
    const type = getTypeName(endpoint);
    const isLaterList = isList(endpoint) && endpoint !== firstList;
    const fields = isLaterList
      ? renderReferenceToFields(type, firstList)
      : renderOwnFields(type, schemas);
    sections.push(renderEndpoint(endpoint, fields, site));
  }
  return sections;
}

/** Renders a type's fields in an element that other parts of the page link to. */
function renderOwnFields(type: string, schemas: DocsContent['schemas']): Markup {
  return html`<div id="${type}">${renderTypeFields(schemas.get(type))}</div>`;
}

/**
 * Renders a reference to the fields of the first list, because all lists have the same
 * fields. If links point to files, a list has two endpoints with the same type, and the
 * second needs no reference.
 */
function renderReferenceToFields(
  type: string,
  firstList: Operation | undefined,
): HtmlValue {
  const firstType = firstList && getTypeName(firstList);
  if (firstType === undefined || firstType === type) return '';
  return html`<p><code>${type}</code> has the same fields as <a href="#${firstType}">${firstType}</a>.</p>`;
}

/** Renders an endpoint's section, with its request and response beside the text. */
function renderEndpoint(endpoint: Operation, fields: HtmlValue, site: Meta): Markup {
  const { path, id, summary } = endpoint;
  const type = getTypeName(endpoint);
  return html`<section class="pair" id="${id}">
<div>
<h3><code>GET ${path}</code></h3>
<p>${summary}. The response is <code>${type}</code>.${renderTryLink(endpoint, site)}</p>
${fields}
</div>
${renderExchange(endpoint, site)}
</section>`;
}

/**
 * Renders a link to the page that shows an endpoint's response. If a kind has no
 * records, there is no example, and so no link.
 */
function renderTryLink(endpoint: Operation, site: Meta): Markup | '' {
  const path = getExamplePath(endpoint);
  if (path.includes('{')) return '';
  // A built page is shown at the path of its endpoint, not at the path of the file.
  const page = path.replace(/(?:offset\/\d+\/)?index\.json$/, '');
  const place = { root: ROOT, links: site.links };
  const link = renderApiLink(place, `${page}?format=api`, 'Try it in the browser');
  return html` ${link}.`;
}

/** Renders a request, and its response if there is an example. */
function renderExchange(operation: Operation, site: Meta): Markup {
  const url = site.base_url + getExamplePath(operation);
  const request = html`<p class="request-line"><code>curl ${url}</code></p>`;
  if (!operation.example) return html`<div class="exchange">${request}</div>`;
  const response = formatResponse(operation.example);
  return html`<div class="exchange">${request}
<pre class="json" role="group" aria-label="Response"><code>${response}</code></pre></div>`;
}

/**
 * Renders the values for the chapter about names: the request for the names in one
 * language, and a link to the names in each language.
 */
function describeNames(
  operations: readonly Operation[],
  site: Meta,
): Record<string, HtmlValue> {
  const file = operations.find(({ pathParameter }) => pathParameter);
  // The template omits the chapter if this value is empty.
  if (!file) return { names: '' };
  const links: Markup[] = [];
  for (const language of Object.keys(site.names?.languages ?? {})) {
    const path = ROOT + namesFile(language);
    links.push(html`<a class="whole" href="${path}"><code>${language}</code></a>`);
  }
  return { names: renderExchange(file, site), languages: joinMarkup(links, ', ') };
}

/**
 * Renders a table of downloads, followed by the notes about them. Compressed copies are
 * omitted, because the text above the table mentions them.
 */
function renderDownloads(downloads: readonly Operation[]): Markup {
  const rows: Markup[] = [];
  const notes = new Set<string>();
  for (const operation of downloads) {
    const isCompressedCopy = /(?<!\.tar)\.gz$/.test(operation.path);
    if (isCompressedCopy) continue;
    rows.push(renderRow(renderFileLink(operation), describeFile(operation)));
    if (operation.note !== undefined) notes.add(operation.note);
  }
  const table = renderTable(['File', 'Content'], rows);
  return html`${table}
${[...notes].map((note) => html`<p>${note}</p>`)}`;
}

/** Adds a period if there is none. */
const formatSentence = (summary: string): string => summary.replace(/\.?$/, '.');

function renderFileLink({ path }: Operation): Markup {
  const name = html`<code>${path}</code>`;
  return path.includes('{') ? name : html`<a href="..${path}">${name}</a>`;
}

/**
 * Renders the first lines of downloads. Long lines scroll, because wrapping would make
 * it hard to tell the lines apart.
 */
function renderExcerpts(excerpts: DocsContent['excerpts']): Markup[] {
  return Array.from(
    excerpts,
    ([path, text]) => html`<div>
<h3><code>/${path}</code>, shortened</h3>
<pre class="example" tabindex="0" role="group" aria-label="Example of ${path}"><code>${text}</code></pre>
</div>`,
  );
}

/** Renders a table of the files about the site, with the type of each file. */
function renderFiles(files: readonly Operation[]): Markup {
  const rows: Markup[] = [];
  for (const file of files) {
    const type = getTypeName(file);
    const typeLink = type === '' ? '' : html`<a href="#${type}">${type}</a>`;
    rows.push(renderRow(renderFileLink(file), describeFile(file), typeLink));
  }
  return renderTable(['File', 'Content', 'Type'], rows);
}

/**
 * Describes a file. No other page lists the schemas, so their description links to each
 * of them.
 */
function describeFile({ id, summary }: Operation): Markup {
  const sentence = renderProse(formatSentence(summary));
  if (id !== 'getSchema') return sentence;
  const links: Markup[] = [];
  for (const name of schemaNames) {
    links.push(html`<a href="${ROOT}${schemaFile(name)}">${name}</a>`);
  }
  return html`${sentence} ${joinMarkup(links, ', ')}.`;
}

/**
 * Renders an example of each file about the site that has one: `meta.json` and the history
 * of changes. Both are shortened.
 */
function renderFileExamples(files: readonly Operation[], site: Meta): Markup[] {
  const examples: Markup[] = [];
  for (const { id, path, example } of files) {
    if (!example) continue;
    // The operation's example of `meta.json` has too many fields, so we show a part of this
    // site's own file.
    const isMeta = id === 'getMeta';
    const text = isMeta ? formatMeta(site) : formatChanges(example);
    examples.push(html`<div>
<h3><code>${path}</code>, shortened</h3>
<pre><code>${text}</code></pre>
</div>`);
  }
  return examples;
}

/** Renders the types that no endpoint responds with. */
function renderTypes(
  schemas: DocsContent['schemas'],
  endpoints: readonly Operation[],
): Markup[] {
  const endpointTypes = new Set(endpoints.map(getTypeName));
  const sections: Markup[] = [];
  for (const [name, schema] of schemas) {
    if (endpointTypes.has(name)) continue;
    const fields = renderTypeFields(schema);
    // Types with fields are already described in the table of files.
    const description =
      fields === '' ? html`<p>${schema.description ?? ''}</p>` : fields;
    sections.push(html`<section id="${name}">
<h3>${name}</h3>
${description}
</section>`);
  }
  return sections;
}
