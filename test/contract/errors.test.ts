import { describe, expect, it } from 'vitest';
import { createErrorBody, errorDetails, errorFiles, formatNotAllowed } from '../../src/contract/routes.ts';
import {
  DataError,
  errorCode,
  GamedataError,
  OutputError,
  UpstreamError,
  UsageError,
} from '../../src/errors.ts';

describe('the bodies of errors', () => {
  it('have the reference framework’s form', () => {
    expect(Object.keys(errorDetails)).toEqual(Object.keys(errorFiles));
    expect(createErrorBody(errorDetails[404])).toBe('{"detail":"Not found."}');
    expect(createErrorBody(formatNotAllowed('POST'))).toBe(
      String.raw`{"detail":"Method \"POST\" not allowed."}`,
    );
  });
});

describe('the family of errors', () => {
  const request = { method: 'GET', url: 'http://upstream.test/move/1/', attempts: 1, unreachable: false };
  it.each<[GamedataError, string, string]>([
    [new UsageError('--host: got "x"'), 'usage', '--host: got "x"'],
    [new UpstreamError('got 404', request), 'upstream', 'GET http://upstream.test/move/1/: got 404'],
    [
      new UpstreamError('got 503', { ...request, attempts: 5 }),
      'upstream',
      'GET http://upstream.test/move/1/: got 503 (5 attempts)',
    ],
    [
      new DataError('got 1', { kind: 'item', record: 'x (1)', field: 'names[0].name' }),
      'data',
      'item › x (1) › names[0].name: got 1',
    ],
    [new DataError('got 1', {}), 'data', 'got 1'],
    [new OutputError('cannot be written (EIO)', 'build'), 'output', 'build: cannot be written (EIO)'],
  ])('has a code and a message: %s', (error, code, message) => {
    expect(error).toBeInstanceOf(GamedataError);
    expect(error.code).toBe(code);
    expect(error.message).toBe(message);
    expect(error.name).toBe(error.constructor.name);
    expect(error.hint).toBeUndefined();
    expect('cause' in error).toBe(false);
  });

  it('keeps its cause and hint', () => {
    const cause = new Error('inner');
    const error = new OutputError('x', 'y', { cause, hint: 'do this' });
    expect(error.cause).toBe(cause);
    expect(error.hint).toBe('do this');
  });
});

describe('the code of an error', () => {
  const coded = (code: string, options?: ErrorOptions) => Object.assign(new Error(code, options), { code });
  it.each<[string, unknown, string]>([
    ['is its own', coded('EIO', { cause: coded('ENOENT') }), 'EIO'],
    ['is its cause’s', new Error('x', { cause: new Error('y', { cause: coded('ENOENT') }) }), 'ENOENT'],
    ['is the first of several', new AggregateError([coded('ECONNREFUSED'), coded('EIO')]), 'ECONNREFUSED'],
    ['is empty for a plain error', new Error('x'), ''],
    ['is empty for a number that is no code', Object.assign(new Error('x'), { code: 5 }), ''],
    ['is empty for what is no error', 'EIO', ''],
  ])('%s', (_, error, code) => {
    expect(errorCode(error)).toBe(code);
  });
});
