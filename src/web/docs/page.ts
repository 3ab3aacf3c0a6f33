/** The docs: a hand-written template, filled with what the OpenAPI document of the site says. */

import { guaranteeNames, guarantees, type Needs } from '../../contract/guarantees.ts';
import { DOCS_PATH } from '../../contract/paths.ts';
import { PAGE_SIZE } from '../../contract/windows.ts';
import { framed, type Site } from '../shared/frame.ts';
import { fillPlaceholders, html, type Markup, nothing } from '../shared/markup.ts';
import { nameOf, type OpenApi, resolved } from './openapi.ts';
import { prose, table, typeSection, typeTable } from './types.ts';

/** An endpoint, with its references resolved. */
type Endpoint = ReturnType<typeof endpointsOf>[number];

export function fillDocs(template: string, document: OpenApi, site: Site): string {
  const { components } = document;
  const endpoints = endpointsOf(document, 'records');
  const names = endpointsOf(document, 'names');
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
    contents: html`${endpoints.map(
      ({ path, operation }) => html`<li><a href="#${operation.operationId}"><code>${path}</code></a></li>`,
    )}`,
    endpoints: html`${endpoints.map((endpoint) => endpointSection(endpoint, site.base_url))}`,
    names: html`${names.map((endpoint) => endpointSection(endpoint, site.base_url))}`,
    types: html`${Object.entries(components.schemas).map(([name, schema]) => typeSection(name, schema))}`,
    errors: html`${errorRows(endpoints)}`,
    headers: html`${Object.entries(components.headers).map(
      ([name, { description, schema }]) =>
        html`<tr><th scope="row"><code>${name}</code></th><td>${schema.const === undefined ? nothing : html`<code>${String(schema.const)}</code>`}</td><td>${prose(description)}</td></tr>`,
    )}`,
    downloads: Object.values(document.paths).some(({ get }) => get.tags.includes('downloads'))
      ? html`<p>The same records in one request. Append <code>.gz</code> or <code>.br</code> to a <code>.csv</code>,
<code>.ndjson</code> or <code>.json</code> file for a compressed copy.</p>
${fileTable(document, 'downloads')}`
      : html`<p>This site has no bulk files.</p>`,
    files: fileTable(document, 'site'),
    guarantees: html`${guaranteeLists()}`,
  });
}

const endpointsOf = ({ paths, components }: OpenApi, tag: string) =>
  Object.entries(paths).flatMap(([path, { get: operation, parameters = [] }]) => {
    if (!operation.tags.includes(tag)) return [];
    const all = [...parameters, ...(operation.parameters ?? [])];
    return [
      {
        path,
        operation,
        parameters: all.map((one) => resolved(one, components.parameters)),
        responses: Object.entries(operation.responses).map(
          ([status, response]) => [status, resolved(response, components.responses)] as const,
        ),
      },
    ];
  });

function endpointSection(endpoint: Endpoint, baseUrl: string): Markup {
  const { path, operation, parameters, responses } = endpoint;
  const { operationId: id, summary } = operation;
  const { schema, example } = responses[0]?.[1].content?.['application/json'] ?? {};
  const type = nameOf(schema?.$ref ?? '');
  const slug = slugOf(example) || String(parameters[0]?.schema.enum?.[0] ?? '');
  const shown = path.replace('{offset}', String(PAGE_SIZE)).replace(/\{.+\}/, slug || '{slug}');
  return html`<section class="endpoint" id="${id}">
<h3><span class="method">GET</span> <code>${path}</code></h3>
<p>${summary}. The response is <a href="#${type}">${type}</a>.</p>
${typeTable('Parameter', parameters)}
${codeSamples(id, baseUrl + shown, type)}
${
  example === undefined
    ? nothing
    : html`<details open><summary>${type.endsWith('Page') ? 'Response, shortened' : 'Response'}</summary><pre class="json">${JSON.stringify(example, null, 2)}</pre></details>`
}
${tryForm(endpoint, slug)}
</section>`;
}

const slugOf = (example: unknown): string =>
  typeof example === 'object' && example !== null && 'slug' in example ? String(example.slug) : '';

/** Requests that the page itself sends: a script puts the response below. */
const tryForm = (
  { path, operation: { operationId: id }, parameters }: Endpoint,
  slug: string,
): Markup => html`<form class="try scripted" data-path="${path}" aria-label="Try ${path}" autocomplete="off" autocapitalize="none" spellcheck="false">
${parameters
  .filter(({ in: place }) => place !== 'header')
  .map(
    ({ name, in: place, schema }) => html`<div class="field">
<label for="${id}-${name}">${name}</label>
<input id="${id}-${name}" name="${name}" data-in="${place}" placeholder="${String(schema.default ?? '')}" value="${place === 'path' ? slug || PAGE_SIZE : ''}"${place === 'path' ? html` required` : nothing}>
</div>`,
  )}
<button>Send request</button>
</form>
<div role="status" class="scripted"></div>`;

/** Each status once, as endpoints share most of them. */
function errorRows(endpoints: readonly Endpoint[]): Markup[] {
  const all = new Map(endpoints.flatMap(({ responses }) => responses));
  return [...all]
    .filter(([status]) => Number(status) >= 300)
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([status, { description, content }]) => {
      const example = content?.['application/json']?.example;
      const body = example === undefined ? nothing : html`<code>${JSON.stringify(example)}</code>`;
      return html`<tr><th scope="row">${status}</th><td>${prose(description)}</td><td>${body}</td></tr>`;
    });
}

/** Files at their own URLs, without their compressed copies. */
const fileTable = ({ paths }: OpenApi, tag: string): Markup =>
  table(
    html`<th scope="col">File</th><th scope="col">Content</th>`,
    Object.entries(paths)
      .filter(([path, { get }]) => get.tags.includes(tag) && !isCopy(path))
      .map(([path, { get }]) => {
        const name = html`<code>${path}</code>`;
        const link = path.includes('{') ? name : html`<a href="..${path}">${name}</a>`;
        return html`<tr><th scope="row">${link}</th><td>${prose(get.summary.replace(/\.?$/, '.'))}</td></tr>`;
      }),
  );

const isCopy = (path: string): boolean => /(?<!\.tar)\.(?:gz|br)$/.test(path);

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
