/** The files outside the API: bulk files, icons, and files about the site. */

import { mediaTypeOf } from '../../contract/headers.ts';
import type { Meta } from '../../contract/meta.ts';
import * as paths from '../../contract/paths.ts';
import { capitalize } from '../../contract/words.ts';
import { downloads } from '../downloads.ts';
import { fileNotModified, fileOperation, headersNamed, ref } from './components.ts';
import { schemaNames } from './schemas.ts';

export const filePaths = (has: Pick<Meta, 'downloads' | 'names'> & { archive: boolean }): object => ({
  ...(has.names && namesPaths(Object.keys(has.names.languages))),
  ...(has.downloads && Object.fromEntries(bulk.map(downloadPath))),
  ...(has.archive && Object.fromEntries(archives.map(downloadPath))),
  ...sitePaths,
});

const text = { schema: { type: 'string' } };
const json = (schema: object): object => ({ 'application/json': { schema } });
const anyJson = json({ type: 'object' });

const bulkHeaders = headersNamed('Access-Control-Allow-Origin', 'Cache-Control', 'Content-Disposition');

/** A file to download, and its content if that is text. */
type DownloadRow = readonly [file: string, summary: string, content: object];

const bulk = downloads.flatMap(({ path, summary }): DownloadRow[] => {
  const content = path === paths.EVERYTHING_FILE ? { schema: ref('schemas/Gamedata') } : text;
  return [
    [path, summary, content],
    [`${path}.gz`, `${summary} Compressed with gzip.`, {}],
    [`${path}.br`, `${summary} Compressed with Brotli.`, {}],
  ];
});

const archives: readonly DownloadRow[] = [
  ['download/gamedata.tar.gz', 'The complete site, to serve elsewhere.', {}],
  ['download/gamedata.zip', 'The same as a ZIP file.', {}],
  ['download/gamedata.sha256', 'The SHA-256 checksums of both.', text],
];

function downloadPath([file, summary, content]: DownloadRow): [path: string, item: object] {
  // `download/move.ndjson.gz` → `downloadMoveNdjsonGz`.
  const id = ['download', ...file.split(/[/.]/).slice(1).map(capitalize)].join('');
  return [
    `/${file}`,
    { get: fileOperation(id, 'downloads', summary, { [mediaTypeOf(file)]: content }, bulkHeaders) },
  ];
}

const siteFile = (id: string, summary: string, content: object): object => ({
  get: fileOperation(id, 'site', summary, content),
});

const parameters = (name: string, example: string, schema: object = { type: 'string' }): object => ({
  parameters: [{ name, in: 'path', required: true, schema, example }],
});

const language = { name: 'language', in: 'path', required: true, description: 'A BCP 47 tag.' };

const namesPaths = (languages: readonly string[]): object => ({
  [`/${paths.NAMES_INDEX_FILE}`]: namesPath('NamesIndex', 'The languages in which records have names'),
  [`/${paths.namesFile('{language}')}`]: {
    parameters: [{ ...language, schema: { type: 'string', enum: languages }, example: languages[0] }],
    ...namesPath('Names', 'The names of records in one language'),
  },
});

const namesPath = (type: string, summary: string): object => ({
  get: fileOperation(`get${type}`, 'names', summary, json(ref(`schemas/${type}`)), bulkHeaders),
});

const image = { 'image/png': {} };

const sitePaths = {
  [`/${paths.META_FILE}`]: siteFile(
    'getMeta',
    'Description of the data; its digest tells whether anything changed',
    json(ref('schemas/Meta')),
  ),
  [`/${paths.MANIFEST_FILE}`]: siteFile(
    'getManifest',
    'Every file with its size and SHA-256',
    json(ref('schemas/Manifest')),
  ),
  [`/${paths.CHANGES_FILE}`]: siteFile(
    'getChanges',
    'What changed, step by step, newest first: records added, removed, renamed and changed',
    json(ref('schemas/Changes')),
  ),
  [`/${paths.FEED_FILE}`]: siteFile('getFeed', 'The same as an Atom feed', { 'application/atom+xml': text }),
  [`/${paths.FORMER_FILE}`]: siteFile(
    'getFormer',
    'The slugs that records had before they were renamed or removed, and the ids of these records',
    json(ref('schemas/Former')),
  ),
  [`/${paths.MOVED_FILE}`]: siteFile(
    'getMoved',
    'The former paths of renamed records, and their present ones',
    json(ref('schemas/Moved')),
  ),
  [`/${paths.SEARCH_FILE}`]: siteFile(
    'getSearchIndex',
    'The search index: every record, in columns',
    json(ref('schemas/Search')),
  ),
  [`/${paths.OPENAPI_FILE}`]: siteFile('getOpenApi', 'The API as an OpenAPI 3.1 document', anyJson),
  '/schemas/{schema}.json': {
    ...parameters('schema', 'move', { type: 'string', enum: schemaNames }),
    ...siteFile('getSchema', 'A JSON Schema 2020-12', anyJson),
  },
  [`/${paths.TYPES_FILE}`]: siteFile('getTypes', 'The types as TypeScript', { 'text/plain': text }),
  [`/${paths.BROWSE_FILE}`]: siteFile('getPage', 'What browsers get instead of JSON', { 'text/html': text }),
  [`${paths.ICONS_PATH}{icon}`]: {
    ...parameters('icon', 'unknown.png'),
    get: {
      ...fileOperation('getPicture', 'site', "An item's icon: `{base_url}/{icon}`", image),
      responses: {
        200: {
          description: 'The icon, if the site holds it.',
          headers: headersNamed('Access-Control-Allow-Origin'),
          content: image,
        },
        302: { description: "The upstream's icon.", headers: headersNamed('Location') },
        304: fileNotModified,
        404: { description: 'The host only serves files, and the site does not hold this icon.' },
      },
    },
  },
};
