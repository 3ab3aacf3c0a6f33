/** The docs: a hand-written template, filled from the tables of the contract. */

import { guaranteeNames, guarantees, type Needs } from '../../contract/guarantees.ts';
import { headersOf, type Operation, type Parameter, parameters } from '../../contract/operations.ts';
import { DOCS_PATH } from '../../contract/paths.ts';
import { asSchema, type JsonSchema, typeName } from '../../contract/served.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { fillPlaceholders, framed, html, Markup, type Site } from '../shared/markup.ts';

/** @param schemas type → its schema, which may refer to others */
export function fillDocs(
  template: string,
  { operations, schemas }: { operations: readonly Operation[]; schemas: ReadonlyMap<string, JsonSchema> },
  site: Site,
): string {
  const inGroup = (group: Operation['group']) => operations.filter((one) => one.group === group);
  const endpoints = inGroup('records');
  const downloads = inGroup('downloads');
  const content = fillPlaceholders(template, {
    base: site.base_url,
    size: PAGE_SIZE,
    contents: endpoints.map(({ path, id }) => html`<li><a href="#${id}"><code>${path}</code></a></li>`),
    endpoints: endpoints.map((endpoint) => endpointSection(endpoint, site.base_url)),
    names: inGroup('names').map((endpoint) => endpointSection(endpoint, site.base_url)),
    types: Array.from(schemas, ([name, schema]) => typeSection(name, schema)),
    errors: table(['Status', 'When', 'Body'], errorRows(endpoints)),
    headers: table(
      ['Header', 'Value', 'Meaning'],
      headersOf(operations).map(({ name, description, schema }) => {
        const value = schema.const === undefined ? '' : html`<code>${String(schema.const)}</code>`;
        return html`<tr><th scope="row"><code>${name}</code></th><td>${value}</td><td>${prose(description)}</td></tr>`;
      }),
    ),
    downloads:
      downloads.length > 0
        ? html`<p>The same records in one request. Append <code>.gz</code> or <code>.br</code> to a <code>.csv</code>,
<code>.ndjson</code> or <code>.json</code> file for a compressed copy.</p>
${fileTable(downloads)}`
        : html`<p>This site has no bulk files.</p>`,
    files: fileTable(inGroup('site')),
    guarantees: guaranteeLists,
  });
  const frame = {
    title: 'Docs · gamedata',
    description: 'The endpoints, fields, parameters, errors and downloads of gamedata, with code to copy.',
    root: '../',
    path: DOCS_PATH,
    script: 'docs',
    style: 'docs',
  };
  return framed(content, frame, site);
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
<div>
<p>${summary}. The response is <a href="#${type}">${type}</a>.</p>
${fieldTable('Parameter', parametersOf(endpoint))}
</div>
<div class="code">
${codeSamples(id, baseUrl + shown, type)}
${
  example === undefined
    ? ''
    : html`<details open><summary>${type.endsWith('Page') ? 'Response, shortened' : 'Response'}</summary><pre class="json">${JSON.stringify(example, null, 2)}</pre></details>`
}
${tryForm(endpoint, inPath)}
</div>
</section>`;
}

/** Requests that the page itself sends: a script puts the response below. */
const tryForm = (
  endpoint: Operation,
  inPath: string,
): Markup => html`<form class="try scripted served" data-path="${endpoint.path}" aria-label="Try ${endpoint.path}" autocomplete="off" autocapitalize="none" spellcheck="false">
${parametersOf(endpoint)
  .filter(({ in: place }) => place !== 'header')
  .map(
    (parameter) => html`<div class="field">
<label for="${endpoint.id}-${parameter.name}">${parameter.name}</label>
${control(`${endpoint.id}-${parameter.name}`, parameter, inPath)}
</div>`,
  )}
<button>Send request</button>
</form>
<div role="status" class="scripted"></div>`;

/** What a visitor fills a parameter in with. */
function control(id: string, { name, in: place, schema }: Parameter, inPath: string): Markup {
  const isRequired = place === 'path';
  if (schema.enum) {
    const options = schema.enum.map((value) => html`<option>${String(value)}</option>`);
    return html`<select id="${id}" name="${name}">${isRequired ? '' : html`<option value="">default</option>`}${options}</select>`;
  }
  return html`<input id="${id}" name="${name}" placeholder="${String(schema.default ?? '')}" value="${isRequired ? inPath || PAGE_SIZE : ''}"${isRequired ? html` required` : ''}>`;
}

/** Each status once, as endpoints share most of them. */
function errorRows(endpoints: readonly Operation[]): Markup[] {
  const all = new Map(
    endpoints.flatMap(({ responses: [, ...others] }) => others.map((one) => [one.status, one])),
  );
  return [...all.values()]
    .sort((a, b) => a.status - b.status)
    .map(({ status, description, detail }) => {
      const body = detail === undefined ? '' : html`<code>${JSON.stringify({ detail })}</code>`;
      return html`<tr><th scope="row">${status}</th><td>${prose(description)}</td><td>${body}</td></tr>`;
    });
}

/** Files at their own URLs, without their compressed copies. */
const fileTable = (operations: readonly Operation[]): Markup =>
  table(
    ['File', 'Content'],
    operations
      .filter(({ path }) => !/(?<!\.tar)\.(?:gz|br)$/.test(path))
      .map(({ path, summary }) => {
        const name = html`<code>${path}</code>`;
        const link = path.includes('{') ? name : html`<a href="..${path}">${name}</a>`;
        return html`<tr><th scope="row">${link}</th><td>${prose(summary.replace(/\.?$/, '.'))}</td></tr>`;
      }),
  );

/** A type's fields under its name, to which other types link. */
const typeSection = (
  name: string,
  { description = '', properties = {} }: JsonSchema,
): Markup => html`<section id="${name}">
<h3>${name}</h3>
<p>${prose(description)}</p>
${fieldTable(
  'Field',
  Object.entries(properties).map(([field, schema]) => ({ name: field, schema: asSchema(schema) })),
)}
</section>`;

/** @param what the rows are names of; nothing if there are none */
const fieldTable = (
  what: string,
  rows: readonly (Pick<Parameter, 'name' | 'schema'> & { in?: string; description?: string | undefined })[],
): Markup | '' =>
  rows.length === 0
    ? ''
    : table(
        [what, 'Type', 'Meaning'],
        rows.map(({ name, in: place, schema, description = schema.description ?? '' }) => {
          const where = place === undefined ? '' : html`<span>${place}</span>`;
          return html`<tr><th scope="row"><code>${name}</code>${where}</th><td>${typeOf(schema)}</td><td>${prose(description)}</td></tr>`;
        }),
      );

const table = (heads: readonly string[], rows: readonly Markup[]): Markup => html`<table class="fields">
<thead><tr>${joined(
  heads.map((head) => html`<th scope="col">${head}</th>`),
  '',
)}</tr></thead>
<tbody>
${rows}
</tbody>
</table>`;

/** Text in which code is marked with backticks, as in Markdown. */
const prose = (text: string): Markup =>
  new Markup(html`${text}`.text.replaceAll(/`(.*?)`/g, '<code>$1</code>'));

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

const joined = (all: readonly Markup[], between = ' or '): Markup =>
  new Markup(all.map(({ text }) => text).join(between));

/** What hosts need → what is then guaranteed. */
const levels: readonly (readonly [title: string, needs: readonly Needs[]])[] = [
  ['On every host', ['files']],
  ['On hosts with rules for requests', ['rules', 'requests']],
  ['On hosts that run code', ['code']],
];

const guaranteeLists = levels.map(
  ([title, needs]) => html`<h3>${title}</h3>
<ul>
${guaranteeNames
  .filter((name) => needs.includes(guarantees[name].needs))
  .map((name) => html`<li>${guarantees[name].title}</li>`)}
</ul>`,
);

/** Language → the code of a request. The type is that of the response, as in `types.d.ts`. */
function samplesOf(url: string, type: string): Readonly<Record<string, string>> {
  // `MovePage` → `page`, `Move` → `move`
  const variable = (/[A-Z][a-z]+$/.exec(type)?.[0] ?? type).toLowerCase();
  const javaScript = (json: string): string => `const response = await fetch('${url}');
if (!response.ok) throw new Error(\`got \${response.status}\`);
const ${variable} = ${json};`;
  return {
    curl: `curl "${url}"`,
    JavaScript: javaScript('await response.json()'),
    Python: `import json
from urllib.request import urlopen

with urlopen("${url}") as response:
    ${variable} = json.load(response)`,
    TypeScript: `import type { ${type} } from './types.d.ts';

${javaScript(`(await response.json()) as ${type}`)}`,
  };
}

/** @param id unique on the page */
function codeSamples(id: string, url: string, type: string): Markup {
  const samples = samplesOf(url, type);
  return html`<fieldset class="tabs">
<legend>Code</legend>
${Object.keys(samples).map(
  (name, at) =>
    html`<label><input type="radio" name="${id}-code" value="${name}"${at === 0 ? html` checked` : ''}> ${name}</label>`,
)}
<button type="button" class="scripted">Copy code</button>
${Object.values(samples).map((code) => html`<pre><code>${code}</code></pre>`)}
</fieldset>`;
}
