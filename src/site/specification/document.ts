/**
 * The specification: the OpenAPI 3.1 document of a site (https://spec.openapis.org/oas/v3.1.1.html), with the JSON Schemas, the
 * TypeScript types, and the docs, which are made from it.
 */

import { linkBaseOf, type Meta } from '../../contract/meta.ts';
import { DOCS_PATH, OPENAPI_FILE, TYPES_FILE } from '../../contract/paths.ts';
import type { SiteFile } from '../../contract/site-file.ts';
import { counted } from '../../contract/words.ts';
import type { Records } from '../../dataset/data-set.ts';
import type { OpenApi } from '../../web/docs/openapi.ts';
import { fillDocs } from '../../web/docs/page.ts';
import { apiPaths, type Examples, examplesOf } from './api-paths.ts';
import { headerComponents, parameterComponents, responseComponents } from './components.ts';
import { filePaths } from './file-paths.ts';
import { completeSchemas, jsonSchemas, schemaFile, typeDeclarations, typeName } from './schemas.ts';

/** @param archive whether the site offers itself for download */
export function openApiDocument(site: Meta, examples: Examples, { archive }: { archive: boolean }): object {
  const { base_url: baseUrl, links } = site;
  const paths = { ...apiPaths(links, examples), ...filePaths({ ...site, archive }) };
  return {
    openapi: '3.1.1',
    info: {
      title: 'gamedata',
      version: site.generator.split('/').at(-1),
      summary: 'Moves and items of a series of creature-collecting games, as static JSON.',
      description: description(site),
      license: { name: "BSD-3-Clause (the data, which is PokéAPI's)", url: `${baseUrl}/data-license.txt` },
    },
    servers: [{ url: baseUrl, description: 'The base URL of this site.' }],
    security: [],
    tags: [
      { name: 'records', description: 'Lists and single records.' },
      { name: 'names', description: 'Names of records in every language.' },
      { name: 'downloads', description: 'Every record in one request.' },
      { name: 'site', description: 'About the site itself.' },
    ],
    paths,
    components: usedBy(paths, {
      schemas: componentSchemas(),
      parameters: parameterComponents,
      headers: headerComponents,
      responses: responseComponents,
    }),
  };
}

type Components = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** The components to which something refers, be it another component: sites differ in their paths. */
function usedBy(paths: object, components: Components): Components {
  const used = new Set<string>();
  const follow = (value: object): void => {
    const references = JSON.stringify(value).matchAll(/#\/components\/(\w+)\/([\w-]+)/g);
    for (const [reference, part = '', name = ''] of references) {
      if (used.has(reference)) continue;
      used.add(reference);
      follow(components[part]?.[name] ?? {});
    }
  };
  follow(paths);
  const parts = Object.entries(components).map(([part, all]) => {
    const kept = Object.entries(all).filter(([name]) => used.has(`#/components/${part}/${name}`));
    return [part, Object.fromEntries(kept)];
  });
  return Object.fromEntries(parts);
}

/** The schemas of `/schemas/`, with references inside the document. */
function componentSchemas(): Record<string, object> {
  const schemas = jsonSchemas((name) => `#/components/schemas/${typeName(name)}`);
  const entries = Array.from(schemas, ([name, { $id: _id, $schema: _dialect, ...schema }]) => [
    typeName(name),
    schema,
  ]);
  return Object.fromEntries(entries);
}

function description({ base_url: baseUrl, links, counts }: Meta): string {
  const about = `Every response is a pre-built static file: ${counted(counts.move, 'move')} and ${counted(counts.item, 'item')}. For people: ${baseUrl}${DOCS_PATH}. The schemas are also available as files (\`${baseUrl}/${schemaFile('move')}\`), and as TypeScript types (\`${baseUrl}/${TYPES_FILE}\`).`;
  const hosts =
    links === 'file'
      ? 'This site is built for plain file servers: links point to the files themselves, and queries are ignored.'
      : 'Hosts that do not run code serve built pages only, and reject any other limit or offset with 400 or 404, and a body that says which exist.';
  return `${about}\n\n${hosts}`;
}

/**
 * @param archive whether the site offers itself for download
 * @param docs the docs with placeholders
 */
export function specificationFiles(
  records: Records,
  meta: Meta,
  { archive, docs }: { archive: boolean; docs: string },
): SiteFile[] {
  const document = openApiDocument(meta, examplesOf(records, linkBaseOf(meta)), { archive });
  const schemas = completeSchemas((name) => `${meta.base_url}/${schemaFile(name)}`);
  return [
    { path: OPENAPI_FILE, body: JSON.stringify(document) },
    { path: `${DOCS_PATH.slice(1)}index.html`, body: fillDocs(docs, document as OpenApi, meta) },
    ...schemas.map(([name, schema]) => ({ path: schemaFile(name), body: JSON.stringify(schema) })),
    { path: TYPES_FILE, body: typeDeclarations() },
  ];
}
