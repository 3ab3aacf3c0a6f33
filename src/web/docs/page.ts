/** The docs: a hand-written template, filled from the tables of the contract. */

import { guaranteeNames, guarantees, type Needs } from '../../contract/guarantees.ts';
import { headersOf, type Operation, type Parameter, parameters } from '../../contract/operations.ts';
import { DOCS_PATH } from '../../contract/paths.ts';
import { asSchema, type JsonSchema, typeName } from '../../contract/served.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { framed, type Site } from '../shared/frame.ts';
import { fillPlaceholders, html, type Markup, nothing } from '../shared/markup.ts';

export interface Described {
  readonly operations: readonly Operation[];
  /** Type → its schema, which may refer to others. */
  readonly schemas: ReadonlyMap<string, JsonSchema>;
}

export function fillDocs(template: string, { operations, schemas }: Described, site: Site): string {
  const inGroup = (group: Operation['group']) => operations.filter((one) => one.group === group);
  const endpoints = inGroup('records');
  const downloads = inGroup('downloads');
  const frame = {
    title: 'Docs · gamedata',
    description: 'The endpoints, fields, parameters, errors and downloads of gamedata, with code to copy.',
    root: '../',
    path: DOCS_PATH,
    script: 'docs.js',
    style: 'docs.css',
  };
  return fillPlaceholders(template, {
    ...framed(frame, site),
    base: site.base_url,
    size: PAGE_SIZE,
    contents: html`${endpoints.map(({ path, id }) => html`<li><a href="#${id}"><code>${path}</code></a></li>`)}`,
    endpoints: html`${endpoints.map((endpoint) => endpointSection(endpoint, site.base_url))}`,
    names: html`${inGroup('names').map((endpoint) => endpointSection(endpoint, site.base_url))}`,
    types: html`${Array.from(schemas, ([name, schema]) => typeSection(name, schema))}`,
    errors: html`${errorRows(endpoints)}`,
    headers: html`${headersOf(operations).map(({ name, description, schema }) => {
      const value = schema.const === undefined ? nothing : html`<code>${String(schema.const)}</code>`;
      return html`<tr><th scope="row"><code>${name}</code></th><td>${value}</td><td>${prose(description)}</td></tr>`;
    })}`,
    downloads:
      downloads.length > 0
        ? html`<p>The same records in one request. Append <code>.gz</code> or <code>.br</code> to a <code>.csv</code>,
<code>.ndjson</code> or <code>.json</code> file for a compressed copy.</p>
${fileTable(downloads)}`
        : html`<p>This site has no bulk files.</p>`,
    files: fileTable(inGroup('site')),
    guarantees: html`${guaranteeLists()}`,
  });
}

const parametersOf = ({ pathParameter, parameters: names }: Operation): Parameter[] => [
  ...(pathParameter ? [pathParameter] : []),
  ...names.map((name) => parameters[name]),
];

function endpointSection(endpoint: Operation, baseUrl: string): Markup {
  const { path, id, summary, schema, example, pathParameter } = endpoint;
  const type = typeName(schema ?? '');
  const inPath = String(pathParameter?.example ?? '');
  const shown = path.replace('{offset}', String(PAGE_SIZE)).replace(/\{.+\}/, inPath || '{slug}');
  return html`<section class="endpoint" id="${id}">
<h3><span class="method">GET</span> <code>${path}</code></h3>
<p>${summary}. The response is <a href="#${type}">${type}</a>.</p>
${fieldTable('Parameter', parametersOf(endpoint))}
${codeSamples(id, baseUrl + shown, type)}
${
  example === undefined
    ? nothing
    : html`<details open><summary>${type.endsWith('Page') ? 'Response, shortened' : 'Response'}</summary><pre class="json">${JSON.stringify(example, null, 2)}</pre></details>`
}
${tryForm(endpoint, inPath)}
</section>`;
}

/** Requests that the page itself sends: a script puts the response below. */
const tryForm = (
  endpoint: Operation,
  inPath: string,
): Markup => html`<form class="try scripted" data-path="${endpoint.path}" aria-label="Try ${endpoint.path}" autocomplete="off" autocapitalize="none" spellcheck="false">
${parametersOf(endpoint)
  .filter(({ in: place }) => place !== 'header')
  .map(
    ({ name, in: place, schema }) => html`<div class="field">
<label for="${endpoint.id}-${name}">${name}</label>
<input id="${endpoint.id}-${name}" name="${name}" data-in="${place}" placeholder="${String(schema.default ?? '')}" value="${place === 'path' ? inPath || PAGE_SIZE : ''}"${place === 'path' ? html` required` : nothing}>
</div>`,
  )}
<button>Send request</button>
</form>
<div role="status" class="scripted"></div>`;

/** Each status once, as endpoints share most of them. */
function errorRows(endpoints: readonly Operation[]): Markup[] {
  const all = new Map(
    endpoints.flatMap(({ responses: [, ...others] }) => others.map((one) => [one.status, one])),
  );
  return [...all.values()]
    .sort((a, b) => a.status - b.status)
    .map(({ status, description, detail }) => {
      const body = detail === undefined ? nothing : html`<code>${JSON.stringify({ detail })}</code>`;
      return html`<tr><th scope="row">${status}</th><td>${prose(description)}</td><td>${body}</td></tr>`;
    });
}

/** Files at their own URLs, without their compressed copies. */
const fileTable = (operations: readonly Operation[]): Markup =>
  table(
    html`<th scope="col">File</th><th scope="col">Content</th>`,
    operations
      .filter(({ path }) => !isCopy(path))
      .map(({ path, summary }) => {
        const name = html`<code>${path}</code>`;
        const link = path.includes('{') ? name : html`<a href="..${path}">${name}</a>`;
        return html`<tr><th scope="row">${link}</th><td>${prose(summary.replace(/\.?$/, '.'))}</td></tr>`;
      }),
  );

const isCopy = (path: string): boolean => /(?<!\.tar)\.(?:gz|br)$/.test(path);

/** A type's fields under its name, to which other types link. */
const typeSection = (
  name: string,
  { description = '', properties = {} }: JsonSchema,
): Markup => html`<section id="${name}">
<h3>${name}</h3>
<p>${prose(description)}</p>
${fieldTable(
  'Field',
  Object.entries(properties).map(([field, schema]) => ({
    name: field,
    schema: asSchema(schema),
    description: asSchema(schema).description ?? '',
  })),
)}
</section>`;

/** @param what the rows are names of; nothing if there are none */
const fieldTable = (
  what: string,
  rows: readonly (Pick<Parameter, 'name' | 'schema' | 'description'> & { in?: string })[],
): Markup =>
  rows.length === 0
    ? nothing
    : table(
        html`<th scope="col">${what}</th><th scope="col">Type</th><th scope="col">Meaning</th>`,
        rows.map(({ name, in: place, schema, description = '' }) => {
          const where = place === undefined ? nothing : html`<span>${place}</span>`;
          return html`<tr><th scope="row"><code>${name}</code>${where}</th><td>${typeOf(schema)}</td><td>${prose(description)}</td></tr>`;
        }),
      );

const table = (heads: Markup, rows: readonly Markup[]): Markup => html`<table class="fields">
<thead><tr>${heads}</tr></thead>
<tbody>
${rows}
</tbody>
</table>`;

/** Text in which code is marked with backticks, as in Markdown. */
const prose = (text: string): Markup =>
  text
    .split('`')
    .reduce(
      (before, part, at) => html`${before}${at % 2 === 1 ? html`<code>${part}</code>` : part}`,
      nothing,
    );

/** A schema in a few words; types with a table of their own are links. */
function typeOf(schema: JsonSchema): Markup {
  const { $ref, anyOf, enum: values, type, items } = schema;
  const name = $ref?.slice($ref.lastIndexOf('/') + 1);
  if (name !== undefined) return html`<a href="#${name}">${name}</a>`;
  if (values) return joined(values.map((value) => html`<code>${String(value)}</code>`));
  if (anyOf) return joined(anyOf.map((one) => typeOf(asSchema(one))));
  if (Array.isArray(type)) return joined(type.map((one) => typeOf({ ...schema, type: one })));
  if (type === 'array') return html`array of ${typeOf(asSchema(items))}`;
  return html`${String(type ?? 'any')}`;
}

const joined = ([first, ...others]: readonly Markup[]): Markup =>
  others.reduce((before, next) => html`${before} or ${next}`, first ?? html``);

/** What hosts need → what is then guaranteed. */
const levels: readonly (readonly [title: string, needs: readonly Needs[]])[] = [
  ['On every host', ['files']],
  ['On hosts with rules for requests', ['rules', 'requests']],
  ['On hosts that run code', ['code']],
];

const guaranteeLists = (): Markup[] =>
  levels.map(
    ([title, needs]) => html`<h3>${title}</h3>
<ul>
${guaranteeNames
  .filter((name) => needs.includes(guarantees[name].needs))
  .map((name) => html`<li>${guarantees[name].title}</li>`)}
</ul>`,
  );

const javaScript = (
  url: string,
  variable: string,
  json: string,
): string => `const response = await fetch('${url}');
if (!response.ok) throw new Error(\`got \${response.status}\`);
const ${variable} = ${json};`;

/** Language → the code of a request. The type is that of the response, as in `types.d.ts`. */
const languages: Readonly<Record<string, (url: string, type: string) => string>> = {
  curl: (url) => `curl '${url}'`,
  JavaScript: (url, type) => javaScript(url, variableOf(type), 'await response.json()'),
  Python: (url, type) => `import json
from urllib.request import urlopen

with urlopen("${url}") as response:
    ${variableOf(type)} = json.load(response)`,
  TypeScript: (url, type) => `import type { ${type} } from './types.d.ts';

${javaScript(url, variableOf(type), `(await response.json()) as ${type}`)}`,
};

/** `MovePage` → `page`, `Move` → `move` */
const variableOf = (type: string): string => (/[A-Z][a-z]+$/.exec(type)?.[0] ?? type).toLowerCase();

/** @param id unique on the page */
export function codeSamples(id: string, url: string, type: string): Markup {
  const names = Object.keys(languages);
  return html`<fieldset class="tabs">
<legend>Code</legend>
${names.map(
  (name, at) =>
    html`<label><input type="radio" name="${id}-code" value="${name}"${at === 0 ? html` checked` : nothing}> ${name}</label>`,
)}
<button type="button" class="scripted">Copy code</button>
${Object.values(languages).map((code) => html`<pre><code>${code(url, type)}</code></pre>`)}
</fieldset>`;
}
