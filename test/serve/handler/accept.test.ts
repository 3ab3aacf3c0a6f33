import { expect, it } from 'vitest';
import { negotiate } from '../../../src/serve/handler/request.ts';

it.each<[accept: string, representation: ReturnType<typeof negotiate>]>([
  ['text/html, */*', 'html'],
  ['*/*, text/html', 'html'],
  ['text/*, application/json', 'json'],
  ['text/html, application/*', 'html'],
  ['text/*;q=0.1, text/html;q=0.9, application/json;q=0.5', 'html'],
  ['text/html;q=0.9, text/*;q=0.1, application/json;q=0.5', 'html'],
  ['*/*;q=0.1, text/*;q=0.9, application/json;q=0.5', 'html'],
  ['text/*;q=0.9, */*;q=0.1, application/json;q=0.5', 'html'],
  ['text/html;q=x, application/json;q=0.1', 'json'],
  [' text/html ; q=1 , image/png', 'html'],
  ['text/html;level=1;q=0.1, application/json;q=0.5', 'json'],
  ['x text/html', undefined],
  ['text/html x', undefined],
  ['text', undefined],
  ['', undefined],
  // Java's own client, of today and of before.
  ['text/html, image/gif, image/jpeg, */*; q=0.2', 'json'],
  ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'json'],
])('a client that accepts %j gets %s', (accept, representation) => {
  expect(negotiate(undefined, accept)).toBe(representation);
});
