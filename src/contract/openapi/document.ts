/** The OpenAPI 3.1 document of a site: https://spec.openapis.org/oas/v3.1.1.html */

import { clauseNames, clauses } from '../clauses.ts';
import type { Meta } from '../meta.ts';
import { jsonSchemas, schemaFile, schemaNames, typeName } from '../schemas.ts';
import { apiPaths } from './api-paths.ts';
import type { Examples } from './examples.ts';
import { filePaths } from './file-paths.ts';
import { headerComponents } from './headers.ts';
import { parameterComponents } from './parameters.ts';
import { responseComponents } from './responses.ts';

export const OPENAPI_FILE = 'openapi.json';

/** @param examples real records of the site */
export function openApiDocument(meta: Meta, examples: Examples): object {
  const { base_url: baseUrl, links, downloads } = meta;
  return {
    openapi: '3.1.1',
    info: {
      title: 'gamedata',
      version: meta.generator.split('/').at(-1),
      summary: 'Moves and items of a series of creature-collecting games, as static JSON.',
      description: description(meta),
      license: { name: "BSD-3-Clause (the data, which is PokéAPI's)", url: `${baseUrl}/data-license.txt` },
    },
    servers: [{ url: baseUrl, description: 'The address that this site is built for.' }],
    security: [],
    tags: [
      { name: 'records', description: 'Lists of records, and each record by itself.' },
      { name: 'downloads', description: 'Every record in one request.' },
      { name: 'site', description: 'What the site says of itself.' },
    ],
    paths: { ...apiPaths(links, examples), ...filePaths({ downloads }) },
    components: {
      schemas: componentSchemas(),
      parameters: parameterComponents,
      headers: headerComponents,
      responses: responseComponents,
    },
  };
}

/** The same schemas as the files under `/schemas/`, referring to each other inside the document. */
function componentSchemas(): object {
  const schemas = jsonSchemas((name) => `#/components/schemas/${typeName(name)}`);
  return Object.fromEntries(
    schemaNames.map((name) => {
      const { $id: _id, $schema: _dialect, ...schema } = schemas[name];
      return [typeName(name), schema];
    }),
  );
}

function description({ base_url: baseUrl, links, counts }: Meta): string {
  const kept = (needs: readonly string[]): string =>
    clauseNames
      .filter((name) => needs.includes(clauses[name].needs))
      .map((name) => `- ${clauses[name].title}`)
      .join('\n');
  const about = `Every answer is a file that was made when the site was built: ${counts.move} moves and ${counts.item} items. The schemas are also files of their own (\`${baseUrl}/${schemaFile('move')}\`), and TypeScript types are at \`${baseUrl}/types.d.ts\`.`;
  if (links === 'file') {
    return `${about}

This site is built for hosts that know nothing but files: links lead to the files themselves, and a query is carried along without being looked at.`;
  }
  return `${about}

Every host keeps these promises:

${kept(['files'])}

Hosts that look at requests keep these too:

${kept(['rules', 'requests'])}

Where code runs, these as well:

${kept(['code'])}

Hosts without code serve the built pages only, and refuse every other window with 400 or 404 and a body that says what there is.`;
}
