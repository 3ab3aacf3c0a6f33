import { type Operation, type Parameter, parameters } from '../../contract/operations.ts';
import { PAGE_SIZE } from '../../contract/page-range.ts';
import { DOCS_PATH } from '../../contract/paths.ts';
import { type JsonSchema, toSchemaObject, typeName } from '../../contract/served.ts';
import { describeSubject } from '../../contract/words.ts';
import {
  fillPlaceholders,
  html,
  Markup,
  renderApiLink,
  renderPage,
  type Site,
} from '../shared/markup.ts';

const ROOT = '../';

export interface DocsContent {
  readonly operations: readonly Operation[];
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  /** Path → the first lines of a file that is not JSON. */
  readonly excerpts: ReadonlyMap<string, string>;
  /** Whether the host supports any limit and offset. */
  readonly anyPageRange: boolean;
}

export function renderDocs(
  template: (name: string) => string,
  content: DocsContent,
  site: Site,
): string {
  const { operations, schemas, excerpts, anyPageRange } = content;
  const inGroup = (group: Operation['group']) => operations.filter((one) => one.group === group);
  const [endpoints, names, downloads] = [
    inGroup('records'),
    inGroup('names'),
    inGroup('downloads'),
  ];
  const isNegotiated = site.links === 'query';
  const first =
    endpoints.find(({ pathParameter, example }) => pathParameter && example) ?? endpoints[0];
  const type = typeName(first?.schema ?? '');
  const filled = fillPlaceholders(template('docs.html'), {
    base: site.base_url,
    size: PAGE_SIZE,
    contents: [...endpoints, ...names].map(
      ({ path, id }) => html`<li><a href="#${id}"><code>${path}</code></a></li>`,
    ),
    ...{
      url: site.base_url + (first ? getExamplePath(first) : ''),
      type,
      variable: type.toLowerCase(),
    },
    ...{ negotiated: isNegotiated, file: !isNegotiated },
    ...{ any: isNegotiated && anyPageRange, built: isNegotiated && !anyPageRange },
    endpoints: endpoints.map((endpoint) => renderEndpoint(endpoint, site, anyPageRange)),
    names: names.map((endpoint) => renderEndpoint(endpoint, site, anyPageRange)),
    types: Array.from(schemas, ([name, schema]) => renderType(name, schema)),
    empty: downloads.length === 0,
    downloads: downloads.length === 0 ? '' : renderFiles(downloads),
    ...(downloads.length > 0 && {
      excerpts: Array.from(excerpts, ([path, text]) => renderExample(path, text)),
    }),
    files: renderFiles(inGroup('site')),
    examples: inGroup('site').flatMap(({ path, example }) =>
      example ? renderExample(path, formatJson(example)) : [],
    ),
  });
  const page = {
    title: 'Docs · gamedata',
    description: `The endpoints, fields, errors and downloads of ${describeSubject()} as JSON, with code to copy.`,
    root: ROOT,
    path: DOCS_PATH,
    script: 'docs',
  };
  return renderPage(template('page.html'), filled, page, site);
}

const describePageRange = (
  anyPageRange: boolean,
): Partial<Record<keyof typeof parameters, string>> =>
  anyPageRange
    ? {
        limit: `The maximum number of records on the page. An invalid value means ${PAGE_SIZE}.`,
        offset:
          'The number of records to skip. An invalid value means 0. Beyond the end, there are no results.',
      }
    : {
        limit: `Always ${PAGE_SIZE}.`,
        offset: `The number of records to skip: a multiple of ${PAGE_SIZE} below \`count\`.`,
      };

const getExamplePath = ({ path, pathParameter }: Operation): string =>
  path
    .replace('{offset}', String(PAGE_SIZE))
    .replace(/\{.+\}/, String(pathParameter?.example ?? '{slug}'));

function renderEndpoint(endpoint: Operation, site: Site, anyPageRange: boolean): Markup {
  const { path, id, summary, schema, example, group, pathParameter } = endpoint;
  const type = typeName(schema ?? '');
  const shown = getExamplePath(endpoint);
  const all: Field[] = endpoint.parameters.map((name) => {
    const description = describePageRange(anyPageRange)[name];
    return { ...parameters[name], ...(description && { description }) };
  });
  const page = shown.replace(/(?:offset\/\d+\/)?index\.json$/, '');
  const link =
    group === 'records'
      ? renderApiLink({ root: ROOT, links: site.links }, page, 'Try it in the browser')
      : html`<a href="..${shown}">Open the file</a>`;
  // A kind without records has no example.
  const tryIt = shown.includes('{') ? '' : html` ${link}.`;
  const label = type.endsWith('Page') || group === 'names' ? 'Response, shortened' : 'Response';
  return html`<section id="${id}">
<h3><code>GET ${path}</code></h3>
<p>${summary}. The response is <a href="#${type}">${type}</a>.${tryIt}</p>
${renderFields('Parameter', pathParameter ? [pathParameter, ...all] : all)}
<pre><code>curl "${site.base_url}${shown}"</code></pre>
${example ? html`<pre aria-label="${label}"><code>${formatJson(example)}</code></pre>` : ''}
</section>`;
}

const formatJson = (value: object): string => JSON.stringify(value, null, 2);

const renderExample = (
  path: string,
  text: string,
): Markup => html`<h3><code>${path.replace(/^\//, '')}</code>, shortened</h3>
<pre class="example" tabindex="0" aria-label="Example of ${path}"><code>${text}</code></pre>`;

const renderFiles = (operations: readonly Operation[]): Markup =>
  renderTable(
    ['File', 'Content'],
    operations
      .filter(({ path }) => !/(?<!\.tar)\.gz$/.test(path))
      .map(({ path, summary }) => {
        const name = html`<code>${path}</code>`;
        const link = path.includes('{') ? name : html`<a href="..${path}">${name}</a>`;
        return html`<tr><th scope="row">${link}</th><td>${renderProse(summary.replace(/\.?$/, '.'))}</td></tr>`;
      }),
  );

const renderType = (
  name: string,
  { description = '', properties = {} }: JsonSchema,
): Markup => html`<section id="${name}">
<h3>${name}</h3>
<p>${renderProse(description)}</p>
${renderFields(
  'Field',
  Object.entries(properties).map(([field, schema]) => ({
    name: field,
    schema: toSchemaObject(schema),
  })),
)}
</section>`;

type Field = Pick<Parameter, 'name' | 'schema'> & { in?: string; description?: string | undefined };

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

const renderTable = (
  heads: readonly string[],
  rows: readonly Markup[],
): Markup => html`<table class="fields">
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table>`;

/** Marks up code in backticks, as in Markdown. */
const renderProse = (text: string): Markup =>
  new Markup(html`${text}`.text.replaceAll(/`(.*?)`/g, '<code>$1</code>'));

function describeType(schema: JsonSchema): Markup {
  const { $ref, anyOf, enum: values, type, items } = schema;
  const name = $ref?.slice($ref.lastIndexOf('/') + 1);
  if (name !== undefined) return html`<a href="#${name}">${name}</a>`;
  if (values) return joinTypes(values.map((value) => html`<code>${String(value)}</code>`));
  if (anyOf) return joinTypes(anyOf.map((one) => describeType(toSchemaObject(one))));
  if (Array.isArray(type))
    return joinTypes(type.map((one) => describeType({ ...schema, type: one })));
  if (type === 'array') return html`array of ${describeType(toSchemaObject(items))}`;
  return html`${String(type ?? 'any')}`;
}

const joinTypes = (all: readonly Markup[]): Markup =>
  new Markup(all.map(({ text }) => text).join(' or '));
