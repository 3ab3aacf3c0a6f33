import { expect, it } from 'vitest';
import { describeReadFailure, errorCode, GamedataError } from '../src/errors.ts';

it('GamedataError has a code, a message and a hint', () => {
  const cause = new Error('EIO');
  const error = new GamedataError('output', 'x: is full', { cause, hint: 'Do y.' });
  expect(error).toMatchObject({
    name: 'GamedataError',
    code: 'output',
    message: 'x: is full',
    hint: 'Do y.',
    cause,
  });
  expect('cause' in new GamedataError('data', 'x')).toBe(false);
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
