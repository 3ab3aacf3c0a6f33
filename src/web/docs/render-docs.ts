/** The docs: a hand-written template, filled from the tables of the contract. */

import { type Operation, type Parameter, parameters } from '../../contract/operations.ts';
import { PAGE_SIZE } from '../../contract/page-range.ts';
import { DOCS_PATH } from '../../contract/paths.ts';
import { type JsonSchema, toSchemaObject, typeName } from '../../contract/served.ts';
import { listKinds } from '../../contract/words.ts';
import { apiLink, fillPlaceholders, html, Markup, renderPage, type Site } from '../shared/markup.ts';

const ROOT = '../';

export interface DocsContent {
  readonly operations: readonly Operation[];
  /** Type → its schema, which may refer to others. */
  readonly schemas: ReadonlyMap<string, JsonSchema>;
}

export function renderDocs(template: string, { operations, schemas }: DocsContent, site: Site): string {
  const inGroup = (group: Operation['group']) => operations.filter((one) => one.group === group);
  const endpoints = inGroup('records');
  const names = inGroup('names');
  const downloads = inGroup('downloads');
  const content = fillPlaceholders(template, {
    base: site.base_url,
    size: PAGE_SIZE,
    contents: [...endpoints, ...names].map(
      ({ path, id }) => html`<li><a href="#${id}"><code>${path}</code></a></li>`,
    ),
    samples: renderSamples(endpoints, site),
    endpoints: endpoints.map((endpoint) => renderEndpoint(endpoint, site)),
    names: names.map((endpoint) => renderEndpoint(endpoint, site)),
    types: Array.from(schemas, ([name, schema]) => renderType(name, schema)),
    downloads:
      downloads.length > 0
        ? html`<p>The same records in one request. Append <code>.gz</code> to a <code>.csv</code>,
<code>.ndjson</code> or <code>.json</code> file for a compressed copy.</p>
${renderFiles(downloads)}`
        : html`<p>This site has no bulk files.</p>`,
    files: renderFiles(inGroup('site')),
  });
  const page = {
    title: 'Docs · gamedata',
    description: `The endpoints, fields, errors and downloads of ${listKinds()} as JSON, with code to copy.`,
    root: ROOT,
    path: DOCS_PATH,
    script: 'docs',
  };
  return renderPage(content, page, site);
}

/** The path of an example request. */
const examplePath = ({ path, pathParameter }: Operation): string =>
  path.replace('{offset}', String(PAGE_SIZE)).replace(/\{.+\}/, String(pathParameter?.example ?? '{slug}'));

/** Language → the code of a first request, to a record if one exists. */
function renderSamples(endpoints: readonly Operation[], site: Site): Markup[] {
  const endpoint = endpoints.find(({ pathParameter, example }) => pathParameter && example) ?? endpoints[0];
  if (!endpoint) return [];
  const url = site.base_url + examplePath(endpoint);
  const type = typeName(endpoint.schema ?? '');
  const variable = type.toLowerCase();
  const fetchCode = (json: string): string => `const response = await fetch('${url}');
if (!response.ok) throw new Error(\`got \${response.status}\`);
const ${variable} = ${json};`;
  const samples = {
    JavaScript: fetchCode('await response.json()'),
    Python: `import json
from urllib.request import urlopen

with urlopen("${url}") as response:
    ${variable} = json.load(response)`,
    TypeScript: `import type { ${type} } from './types.d.ts';

${fetchCode(`(await response.json()) as ${type}`)}`,
  };
  return Object.entries(samples).map(
    ([language, code]) => html`<h3>${language}</h3>
<pre><code>${code}</code></pre>`,
  );
}

function renderEndpoint(endpoint: Operation, site: Site): Markup {
  const { path, id, summary, schema, example, group, pathParameter } = endpoint;
  const type = typeName(schema ?? '');
  const shown = examplePath(endpoint);
  const all = [
    ...(pathParameter ? [pathParameter] : []),
    ...endpoint.parameters.map((name) => parameters[name]),
  ];
  const page = shown.replace(/(?:offset\/\d+\/)?index\.json$/, '');
  const link =
    group === 'records'
      ? apiLink({ root: ROOT, links: site.links }, page, 'Try it in the browser')
      : html`<a href="..${shown}">Open the file</a>`;
  // A kind without records has no example.
  const tryIt = shown.includes('{') ? '' : html` ${link}.`;
  return html`<section id="${id}">
<h3><code>GET ${path}</code></h3>
<p>${summary}. The response is <a href="#${type}">${type}</a>.${tryIt}</p>
${renderFields('Parameter', all)}
<pre><code>curl "${site.base_url}${shown}"</code></pre>
${
  example === undefined
    ? ''
    : html`<pre aria-label="${type.endsWith('Page') ? 'Response, shortened' : 'Response'}"><code>${JSON.stringify(example, null, 2)}</code></pre>`
}
</section>`;
}

/** Files at their own URLs, without their compressed copies. */
const renderFiles = (operations: readonly Operation[]): Markup =>
  renderTable(
    ['File', 'Content'],
    operations
      .filter(({ path }) => !/(?<!\.tar)\.(?:gz|br)$/.test(path))
      .map(({ path, summary }) => {
        const name = html`<code>${path}</code>`;
        const link = path.includes('{') ? name : html`<a href="..${path}">${name}</a>`;
        return html`<tr><th scope="row">${link}</th><td>${renderProse(summary.replace(/\.?$/, '.'))}</td></tr>`;
      }),
  );

/** A type's fields under its name, to which other types link. */
const renderType = (
  name: string,
  { description = '', properties = {} }: JsonSchema,
): Markup => html`<section id="${name}">
<h3>${name}</h3>
<p>${renderProse(description)}</p>
${renderFields(
  'Field',
  Object.entries(properties).map(([field, schema]) => ({ name: field, schema: toSchemaObject(schema) })),
)}
</section>`;

type Field = Pick<Parameter, 'name' | 'schema'> & { in?: string; description?: string | undefined };

/** @param heading of the first column */
const renderFields = (heading: string, fields: readonly Field[]): Markup | '' =>
  fields.length === 0
    ? ''
    : renderTable(
        [heading, 'Type', 'Meaning'],
        fields.map(({ name, in: place, schema, description = schema.description ?? '' }) => {
          const where = place === undefined ? '' : html`<span>${place}</span>`;
          return html`<tr><th scope="row"><code>${name}</code>${where}</th><td>${describeType(schema)}</td><td>${renderProse(description)}</td></tr>`;
        }),
      );

const renderTable = (heads: readonly string[], rows: readonly Markup[]): Markup => html`<table class="fields">
<thead><tr>${join(
  heads.map((head) => html`<th scope="col">${head}</th>`),
  '',
)}</tr></thead>
<tbody>
${rows}
</tbody>
</table>`;

/** Marks up code in backticks, as in Markdown. */
const renderProse = (text: string): Markup =>
  new Markup(html`${text}`.text.replaceAll(/`(.*?)`/g, '<code>$1</code>'));

/** Describes a schema in a few words; types with a table of their own are links. */
function describeType(schema: JsonSchema): Markup {
  const { $ref, anyOf, enum: values, type, items } = schema;
  const name = $ref?.slice($ref.lastIndexOf('/') + 1);
  if (name !== undefined) return html`<a href="#${name}">${name}</a>`;
  if (values) return join(values.map((value) => html`<code>${String(value)}</code>`));
  if (anyOf) return join(anyOf.map((one) => describeType(toSchemaObject(one))));
  if (Array.isArray(type)) return join(type.map((one) => describeType({ ...schema, type: one })));
  if (type === 'array') return html`array of ${describeType(toSchemaObject(items))}`;
  return html`${String(type ?? 'any')}`;
}

const join = (all: readonly Markup[], separator = ' or '): Markup =>
  new Markup(all.map(({ text }) => text).join(separator));
