/** The files beside the API: bulk files, pictures, and what the site says of itself. */

import { downloads, twinEndings } from '../downloads.ts';
import { mediaTypeOf } from '../headers.ts';
import { MANIFEST_FILE, META_FILE } from '../meta.ts';
import { PICTURES_PATH } from '../pictures.ts';
import { schemaNames } from '../schemas.ts';
import { TYPES_FILE } from '../types.ts';
import { headersNamed } from './headers.ts';
import { fileOperation } from './operations.ts';

export function filePaths({ downloads: hasDownloads }: { downloads: boolean }): object {
  return { ...(hasDownloads && downloadPaths()), ...sitePaths() };
}

function downloadPaths(): object {
  const headers = headersNamed('Access-Control-Allow-Origin', 'Cache-Control', 'Content-Disposition');
  return Object.fromEntries(
    downloads.flatMap(({ path, summary, isEverything }) =>
      ['', ...twinEndings.map((ending) => `.${ending}`)].map((ending) => {
        const file = `${path}${ending}`;
        const schema =
          ending === '' ? (isEverything ? schemaRef('Gamedata') : { type: 'string' }) : undefined;
        const packed = { '': '', '.gz': ' Packed by gzip.', '.br': ' Packed by Brotli.' }[ending] ?? '';
        return [
          `/${file}`,
          {
            get: fileOperation(
              `download${identifier(file)}`,
              'downloads',
              `${summary}${packed}`,
              { [mediaTypeOf(file) ?? 'application/json']: schema ? { schema } : {} },
              headers,
            ),
          },
        ];
      }),
    ),
  );
}

function sitePaths(): object {
  const json = (name: string): object => ({ 'application/json': { schema: schemaRef(name) } });
  const anyJson = { 'application/json': { schema: { type: 'object' } } };
  const path = (name: string, schema: object, operation: object): object => ({
    parameters: [{ name, in: 'path', required: true, schema }],
    get: operation,
  });
  return {
    [`/${META_FILE}`]: {
      get: fileOperation('getMeta', 'site', 'What data this is: has anything changed?', json('Meta')),
    },
    [`/${MANIFEST_FILE}`]: {
      get: fileOperation('getManifest', 'site', 'Every file with its size and SHA-256', json('Manifest')),
    },
    '/openapi.json': { get: fileOperation('getOpenApi', 'site', 'This document', anyJson) },
    '/schemas/{schema}.json': path(
      'schema',
      { type: 'string', enum: schemaNames },
      fileOperation('getSchema', 'site', 'A shape as JSON Schema 2020-12', anyJson),
    ),
    [`/${TYPES_FILE}`]: {
      get: fileOperation('getTypes', 'site', 'The shapes as TypeScript', {
        'text/plain': { schema: { type: 'string' } },
      }),
    },
    [`${PICTURES_PATH}{picture}`]: path('picture', { type: 'string' }, picture),
  };
}

const picture = {
  ...fileOperation('getPicture', 'site', "An item's picture: its `icon` behind the base URL", {
    'image/png': {},
  }),
  responses: {
    200: {
      description: 'The picture, where the site holds it.',
      headers: headersNamed('Access-Control-Allow-Origin'),
      content: { 'image/png': {} },
    },
    302: { description: "The upstream's picture.", headers: headersNamed('Location') },
    404: { description: 'The host knows files only, and the site does not hold this one.' },
  },
};

const schemaRef = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** `download/move.ndjson.gz` → `MoveNdjsonGz`. */
const identifier = (file: string): string =>
  file
    .split(/[/.]/)
    .slice(1)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
