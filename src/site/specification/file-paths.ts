/** The files outside the API: bulk files, icons, and files about the site. */

import { mediaTypeOf } from '../../contract/headers.ts';
import {
  ARCHIVE_NAMES,
  type ArchiveName,
  archiveFile,
  CHANGES_FILE,
  CHECKSUMS_NAME,
  EVERYTHING_FILE,
  FEED_FILE,
  ICONS_PATH,
  MANIFEST_FILE,
  META_FILE,
  MOVED_FILE,
  SEARCH_FILE,
  TYPES_FILE,
} from '../../contract/paths.ts';
import { capitalize } from '../../contract/words.ts';
import { downloads } from '../downloads.ts';
import { fileOperation, headersNamed } from './components.ts';
import { schemaNames } from './schemas.ts';

export function filePaths(has: { readonly downloads: boolean; readonly archive: boolean }): object {
  return { ...(has.downloads && downloadPaths()), ...(has.archive && archivePaths()), ...sitePaths() };
}

/** Archive → what it is, and its media type as every host serves it. */
const archives: Readonly<Record<ArchiveName, readonly [summary: string, type: string]>> = {
  'gamedata.tar.gz': ['The complete site, to serve elsewhere.', 'application/gzip'],
  'gamedata.zip': ['The same as a ZIP file.', 'application/zip'],
  'gamedata.sha256': ['The SHA-256 checksums of both.', 'application/octet-stream'],
};

function archivePaths(): object {
  const paths = ARCHIVE_NAMES.map((name) => {
    const [summary, type] = archives[name];
    const content = { [type]: name === CHECKSUMS_NAME ? { schema: { type: 'string' } } : {} };
    return downloadPath(archiveFile(name), summary, content);
  });
  return Object.assign({}, ...paths);
}

function downloadPaths(): object {
  const typeOf = (file: string): string => mediaTypeOf(file) ?? 'application/json';
  const paths = downloads.flatMap(({ path, summary }) => {
    const schema = path === EVERYTHING_FILE ? schemaRef('Gamedata') : { type: 'string' };
    const [gzip, brotli] = [`${path}.gz`, `${path}.br`];
    return [
      downloadPath(path, summary, { [typeOf(path)]: { schema } }),
      downloadPath(gzip, `${summary} Compressed with gzip.`, { [typeOf(gzip)]: {} }),
      downloadPath(brotli, `${summary} Compressed with Brotli.`, { [typeOf(brotli)]: {} }),
    ];
  });
  return Object.assign({}, ...paths);
}

function downloadPath(file: string, summary: string, content: object): object {
  const headers = headersNamed('Access-Control-Allow-Origin', 'Cache-Control', 'Content-Disposition');
  const get = fileOperation(`download${identifier(file)}`, 'downloads', summary, content, headers);
  return { [`/${file}`]: { get } };
}

function sitePaths(): object {
  const json = (schema: object): object => ({ 'application/json': { schema } });
  const anyJson = json({ type: 'object' });
  const text = { 'text/plain': { schema: { type: 'string' } } };
  const file = (id: string, summary: string, content: object): object => ({
    get: fileOperation(id, 'site', summary, content),
  });
  const parameter = (name: string, schema: object): object => ({
    parameters: [{ name, in: 'path', required: true, schema }],
  });
  const about = 'Description of the data; its digest tells whether anything changed';
  return {
    [`/${META_FILE}`]: file('getMeta', about, json(schemaRef('Meta'))),
    [`/${MANIFEST_FILE}`]: file(
      'getManifest',
      'Every file with its size and SHA-256',
      json(schemaRef('Manifest')),
    ),
    [`/${CHANGES_FILE}`]: file(
      'getChanges',
      'What changed, step by step, newest first: records added, removed, renamed and changed',
      json({ type: 'object', properties: { steps: { type: 'array', items: { type: 'object' } } } }),
    ),
    [`/${FEED_FILE}`]: file('getFeed', 'The same as an Atom feed', {
      'application/atom+xml': { schema: { type: 'string' } },
    }),
    [`/${MOVED_FILE}`]: file(
      'getMoved',
      'The former paths of renamed records, and their present ones',
      json({ type: 'object', additionalProperties: { type: 'string' } }),
    ),
    [`/${SEARCH_FILE}`]: file('getSearchIndex', 'The search index: every record, in columns', anyJson),
    '/openapi.json': file('getOpenApi', 'This document', anyJson),
    '/schemas/{schema}.json': {
      ...parameter('schema', { type: 'string', enum: schemaNames }),
      ...file('getSchema', 'A JSON Schema 2020-12', anyJson),
    },
    [`/${TYPES_FILE}`]: file('getTypes', 'The types as TypeScript', text),
    [`${ICONS_PATH}{icon}`]: { ...parameter('icon', { type: 'string' }), get: icon },
  };
}

const icon = {
  ...fileOperation('getPicture', 'site', "An item's icon: `{base_url}/{icon}`", {
    'image/png': {},
  }),
  responses: {
    200: {
      description: 'The icon, if the site holds it.',
      headers: headersNamed('Access-Control-Allow-Origin'),
      content: { 'image/png': {} },
    },
    302: { description: "The upstream's icon.", headers: headersNamed('Location') },
    404: { description: 'The host only serves files, and the site does not hold this icon.' },
  },
};

const schemaRef = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** `download/move.ndjson.gz` → `MoveNdjsonGz`. */
const identifier = (file: string): string => file.split(/[/.]/).slice(1).map(capitalize).join('');
