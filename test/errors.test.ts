import { expect, it } from 'vitest';
import {
  DataError,
  describeReadFailure,
  errorCode,
  OutputError,
  UpstreamError,
} from '../src/errors.ts';

const location = { kind: 'item', record: 'x (1)', field: 'names[0].name' };
it.each([
  [
    new UpstreamError('got 404', { request: 'GET http://x.test/move/1/' }),
    'GET http://x.test/move/1/: got 404',
  ],
  [new UpstreamError('2 records cannot be used'), '2 records cannot be used'],
  [new DataError('got 1', location), 'item › x (1) › names[0].name: got 1'],
  [new DataError('got 1', {}), 'got 1'],
  [
    new OutputError('cannot be written (EIO)', 'build'),
    'build: cannot be written (EIO)',
  ],
])('formats the message of an error: %s', (error, message) => {
  expect(error).toMatchObject({
    message,
    name: error.constructor.name,
    hint: undefined,
  });
  expect('cause' in error).toBe(false);
});

it('shortens the parts of a location, because the upstream may send any slug', () => {
  const { message } = new DataError('is bad', { record: 'x'.repeat(1000) });
  expect(message).toBe(`${'x'.repeat(200)}…: is bad`);
});

const coded = (code: string, options?: ErrorOptions) =>
  Object.assign(new Error(code, options), { code });
it.each<[string, unknown, string]>([
  ['its own code', coded('EIO', { cause: coded('ENOENT') }), 'EIO'],
  [
    'the code of its cause',
    new Error('x', { cause: new Error('y', { cause: coded('ENOENT') }) }),
    'ENOENT',
  ],
  [
    'the first of several codes',
    new AggregateError([coded('ECONNREFUSED'), coded('EIO')]),
    'ECONNREFUSED',
  ],
  ['nothing for a plain error', new Error('x'), ''],
  ['nothing for a number', Object.assign(new Error('x'), { code: 5 }), ''],
  ['nothing for another value', 'EIO', ''],
])('finds the code of an error: %s', (_, error, code) => {
  expect(errorCode(error)).toBe(code);
});

it.each([
  [coded('ENOENT'), 'does not exist'],
  [coded('EACCES'), 'cannot be read (EACCES)'],
  [new Error('broken'), 'cannot be read (broken)'],
])('describes why a file cannot be read: %s', (error, description) => {
  expect(describeReadFailure(error)).toBe(description);
});
