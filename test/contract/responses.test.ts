import { expect, it } from 'vitest';
import { getMaxBytes } from '../../src/contract/limits.ts';
import * as contract from '../../src/contract/responses.ts';

it.each([
  ['data/move.csv.gz', 'application/gzip'],
  ['data/gamedata.d.ts', 'text/plain; charset=utf-8'],
  ['.csv/index.html', 'text/html; charset=utf-8'],
  ['.csv/LICENSE', 'application/octet-stream'],
])('getMediaType returns the media type of %s', (file, type) => {
  expect(contract.getMediaType(file)).toBe(type);
});

it.each(['text/css', 'application/json', 'application/atom+xml'])(
  'isCompressible accepts %s',
  (type) => {
    expect(contract.isCompressible(type)).toBe(true);
  },
);

it.each(['image/png', 'application/json-seq'])(
  'isCompressible rejects %s',
  (type) => {
    expect(contract.isCompressible(type)).toBe(false);
  },
);

it('createErrorBody formats errors like Django REST framework', () => {
  const { createErrorBody, errorDetails, describeForbiddenMethod } = contract;
  const notFound = createErrorBody(errorDetails[404]);
  expect(notFound).toBe('{"detail":"Not found."}');
  const notAllowed = createErrorBody(describeForbiddenMethod('POST'));
  expect(notAllowed).toBe('{"detail":"Method \\"POST\\" not allowed."}');
});

it('every error response has a file', () => {
  const errors = Object.keys(contract.errorDetails);
  const files = Object.keys(contract.errorFiles);
  expect(files).toEqual(errors);
});

it.each([
  [{ mode: 'link', upstream: 'https://x.test' }, 'https://x.test/'],
  [{ mode: 'link', upstream: null }, null],
  [{ mode: 'mirror', upstream: 'https://x.test' }, null],
] as const)('getIconRedirect(%j) returns %s', (source, base) => {
  expect(contract.getIconRedirect(source)).toBe(base);
});

it.each([
  ['meta.json', 131_072],
  ['api/gamedata/move/index.json', 1_048_576],
  ['download/move.csv', 268_435_456],
  ['docs/meta.json', 67_108_864],
])('getMaxBytes limits %s to %i bytes', (file, bytes) => {
  expect(getMaxBytes(file)).toBe(bytes);
});
