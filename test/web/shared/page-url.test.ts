import { expect, it } from 'vitest';
import {
  getRelativeUrl,
  removeCredentials,
} from '../../../src/web/shared/page-url.ts';

it.each([
  ['http://user:secret@host.test/a/?b#c', 'http://host.test/a/?b#c'],
  ['https://user@host.test:8080/', 'https://host.test:8080/'],
  ['file:///home/site/index.html', 'file:///home/site/index.html'],
])('removes the user name and password from %s', (href, expected) => {
  expect(removeCredentials(href)).toBe(expected);
});

it.each([
  ['http://user:secret@host.test/a/?b#/c?d#e', '/a/?b#/c?d#e'],
  ['https://host.test', '/'],
])('returns the path, query and fragment of %s', (href, expected) => {
  expect(getRelativeUrl(href)).toBe(expected);
});
