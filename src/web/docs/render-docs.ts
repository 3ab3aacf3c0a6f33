import {
  type Operation,
  type Parameter,
  type ParameterName,
  parameters,
} from '../../contract/operations.ts';
import { PAGE_SIZE } from '../../contract/page-range.ts';
import { DOCS_PATH } from '../../contract/paths.ts';
import { type JsonSchema, toSchemaObject, typeName } from '../../contract/served.ts';
import { describeSubject } from '../../contract/words.ts';
import { type HtmlValue, html, Markup } from '../shared/html.ts';
import {
  fillPlaceholders,
  type LinkedSite,
  renderApiLink,
  renderPage,
} from '../shared/markup.ts';

/** The path from the docs to the front page. */
const ROOT = '../';

export interface DocsContent {
  readonly operations: readonly Operation[];
  /** Each type's schema, by name. */
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  /** The first lines of each file that is not JSON, by path. */
  readonly excerpts: ReadonlyMap<string, string>;
  /** Whether the host supports any limit and offset. */
  readonly supportsAnyPageRange: boolean;
}

/**
 * Renders the docs, which show every endpoint, file and type with real requests and
 * responses.
 */
export function renderDocs(
  template: (name: string) => string,
  content: DocsContent,
  site: LinkedSite,
): string {
  const { operations, supportsAnyPageRange } = content;
  const endpoints = operations.filter(({ group }) => group === 'records');
  const names = operations.filter(({ group }) => group === 'names');
  const downloads = operations.filter(({ group }) => group === 'downloads');
  const files = operations.filter(({ group }) => group === 'site');
  const renderSection = (operation: Operation): Markup =>
    renderEndpoint(operation, site, supportsAnyPageRange);
  const isNegotiated = site.links === 'query';
  const values: Record<string, HtmlValue | boolean> = {
    base: site.base_url,
    size: PAGE_SIZE,
    contents: renderContents([...endpoints, ...names]),
    ...describeFirstRequest(endpoints, site),
    // The template has a block of text for each of these cases.
    negotiated: isNegotiated,
    file: !isNegotiated,
    any: isNegotiated && supportsAnyPageRange,
    built: isNegotiated && !supportsAnyPageRange,
    endpoints: endpoints.map(renderSection),
    names: names.map(renderSection),
    types: renderTypes(content.schemas),
    downloads: renderFiles(downloads),
    excerpts: renderExcerpts(content.excerpts),
    files: renderFiles(files),
    examples: renderFileExamples(files),
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

/** Renders the table of contents. */
function renderContents(operations: readonly Operation[]): Markup[] {
  return operations.map(
    ({ path, id }) => html`<li><a href="#${id}"><code>${path}</code></a></li>`,
  );
}

/**
 * Describes a request for the first record. On a site without records, describes a
 * request for the first endpoint instead.
 */
function describeFirstRequest(
  endpoints: readonly Operation[],
  site: LinkedSite,
): { url: string; type: string; variable: string } {
  const record = endpoints.find(
    ({ pathParameter, example }) => pathParameter && example,
  );
  const endpoint = record ?? endpoints[0];
  if (!endpoint) throw new Error('got no endpoints');
  const type = typeName(endpoint.schema ?? '');
  const url = site.base_url + getExamplePath(endpoint) + getQuery(endpoint);
  return { url, type, variable: type.toLowerCase() };
}

/**
 * Returns the path of an operation's example. If there is no example, the path still
 * contains its parameter in braces.
 */
function getExamplePath({ path, pathParameter }: Operation): string {
  const value = String(pathParameter?.example ?? '{slug}');
  return path.replace('{offset}', String(PAGE_SIZE)).replace(/\{.+\}/, value);
}

/**
 * Returns an example's query. Links in API responses contain `format=api`, so the
 * examples do, too.
 */
const getQuery = ({ group }: Operation): string =>
  group === 'records' ? '?format=api' : '';

/**
 * Renders an endpoint's section.
 *
 * @param supportsAnyPageRange whether the host supports any limit and offset
 */
function renderEndpoint(
  endpoint: Operation,
  site: LinkedSite,
  supportsAnyPageRange: boolean,
): Markup {
  const { path, id, summary, schema, example, group } = endpoint;
  // Only files such as CSV have no schema, and they are not listed here.
  const type = typeName(schema ?? '');
  const url = site.base_url + getExamplePath(endpoint) + getQuery(endpoint);
  const isShortened = type.endsWith('Page') || group === 'names';
  const label = isShortened ? 'Response, shortened' : 'Response';
  const response = example
    ? html`<pre aria-label="${label}"><code>${formatJson(example)}</code></pre>`
    : '';
  return html`<section id="${id}">
<h3><code>GET ${path}</code></h3>
<p>${summary}. The response is <a href="#${type}">${type}</a>.${renderTryLink(endpoint, site)}</p>
${renderFields('Parameter', describeParameters(endpoint, supportsAnyPageRange))}
<pre><code>curl "${url}"</code></pre>
${response}
</section>`;
}

/**
 * Renders a link to the page that shows an endpoint's response. If a kind has no
 * records, there is no example, and so no link.
 */
function renderTryLink(endpoint: Operation, site: LinkedSite): Markup | '' {
  const path = getExamplePath(endpoint);
  if (path.includes('{')) return '';
  if (endpoint.group !== 'records') {
    return html` <a href="..${path}">Open the file</a>.`;
  }
  // A built page is shown at the path of its endpoint, not at the path of the file.
  const page =
    path.replace(/(?:offset\/\d+\/)?index\.json$/, '') + getQuery(endpoint);
  const link = renderApiLink(
    { root: ROOT, links: site.links },
    page,
    'Try it in the browser',
  );
  return html` ${link}.`;
}

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  /** The part of the request that contains a parameter: path, query or header. */
  readonly in?: string;
  readonly description?: string | undefined;
}

/** Lists an endpoint's parameters, with the page ranges that this host accepts. */
function describeParameters(
  endpoint: Operation,
  supportsAnyPageRange: boolean,
): Field[] {
  const fields: Field[] = [];
  if (endpoint.pathParameter) fields.push(endpoint.pathParameter);
  const rangeDescriptions = describePageRange(supportsAnyPageRange);
  for (const name of endpoint.parameters) {
    const parameter: Parameter = parameters[name];
    const description = rangeDescriptions[name] ?? parameter.description;
    fields.push({ ...parameter, description });
  }
  return fields;
}

/**
 * Describes the page ranges that this host accepts. The OpenAPI document, in
 * contrast, describes all hosts.
 */
function describePageRange(
  supportsAnyPageRange: boolean,
): Partial<Record<ParameterName, string>> {
  if (!supportsAnyPageRange) {
    return {
      limit: `Always ${PAGE_SIZE}.`,
      offset: `The number of records to skip: a multiple of ${PAGE_SIZE} below \`count\`.`,
    };
  }
  return {
    limit: `The maximum number of records on the page. An invalid value means ${PAGE_SIZE}.`,
    offset:
      'The number of records to skip. An invalid value means 0. Beyond the end, there are no results.',
  };
}

const formatJson = (value: object): string => JSON.stringify(value, null, 2);

function renderFileExamples(files: readonly Operation[]): Markup[] {
  const examples: Markup[] = [];
  for (const { path, example } of files) {
    if (example) examples.push(renderExample(path, formatJson(example)));
  }
  return examples;
}

function renderExcerpts(excerpts: DocsContent['excerpts']): Markup[] {
  return Array.from(excerpts, ([path, text]) => renderExample(path, text));
}

function renderExample(path: string, text: string): Markup {
  const name = path.replace(/^\//, '');
  return html`<h3><code>${name}</code>, shortened</h3>
<pre class="example" tabindex="0" aria-label="Example of ${path}"><code>${text}</code></pre>`;
}

/**
 * Renders a table of files. Compressed copies are omitted, because the text above
 * the table mentions them.
 */
function renderFiles(operations: readonly Operation[]): Markup {
  const rows: Markup[] = [];
  for (const { path, summary } of operations) {
    if (/(?<!\.tar)\.gz$/.test(path)) continue;
    const name = html`<code>${path}</code>`;
    const link = path.includes('{') ? name : html`<a href="..${path}">${name}</a>`;
    const sentence = summary.replace(/\.?$/, '.');
    rows.push(
      html`<tr><th scope="row">${link}</th><td>${renderProse(sentence)}</td></tr>`,
    );
  }
  return renderTable(['File', 'Content'], rows);
}

function renderTypes(schemas: DocsContent['schemas']): Markup[] {
  return Array.from(schemas, ([name, schema]) => renderType(name, schema));
}

/** Renders the section of a type, with a table of its fields. */
function renderType(
  name: string,
  { description = '', properties = {} }: JsonSchema,
): Markup {
  const fields = Object.entries(properties).map(([field, schema]) => ({
    name: field,
    schema: toSchemaObject(schema),
  }));
  return html`<section id="${name}">
<h3>${name}</h3>
<p>${renderProse(description)}</p>
${renderFields('Field', fields)}
</section>`;
}

function renderFields(heading: string, fields: readonly Field[]): Markup | '' {
  if (fields.length === 0) return '';
  return renderTable([heading, 'Type', 'Meaning'], fields.map(renderField));
}

function renderField({ name, in: place, schema, description }: Field): Markup {
  const where = place === undefined ? '' : html`<span>${place}</span>`;
  const meaning = renderProse(description ?? schema.description ?? '');
  return html`<tr><th scope="row"><code>${name}</code>${where}</th><td>${describeType(schema)}</td><td>${meaning}</td></tr>`;
}

function renderTable(heads: readonly string[], rows: readonly Markup[]): Markup {
  return html`<table class="fields">
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table>`;
}

/** Converts text in backticks to code, as in Markdown. */
function renderProse(text: string): Markup {
  const escaped = html`${text}`.text;
  return new Markup(escaped.replaceAll(/`(.*?)`/g, '<code>$1</code>'));
}

/** Describes the type of a field in words, such as `string or null`. */
function describeType(schema: JsonSchema): Markup {
  const { $ref, anyOf, enum: values, type, items } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (values) {
    return joinTypes(values.map((value) => html`<code>${String(value)}</code>`));
  }
  if (anyOf) {
    return joinTypes(anyOf.map((option) => describeType(toSchemaObject(option))));
  }
  if (Array.isArray(type)) {
    return joinTypes(
      type.map((option) => describeType({ ...schema, type: option })),
    );
  }
  if (type === 'array') return html`array of ${describeType(toSchemaObject(items))}`;
  return html`${type ?? 'any'}`;
}

const joinTypes = (types: readonly Markup[]): Markup =>
  new Markup(types.map(({ text }) => text).join(' or '));
