import { describe, expect, it } from 'vitest';
import { negotiate, type Representation } from '../../../src/serve/handler/accept.ts';

describe('what a client gets', () => {
  it.each<[accept: string, representation: Representation | undefined]>([
    ['text/html, */*', 'html'],
    ['*/*, text/html', 'html'],
    ['text/*, application/json', 'json'],
    ['text/html, application/json', 'json'],
    ['text/html, application/*', 'html'],
    ['text/*;q=0.1, text/html;q=0.9, application/json;q=0.5', 'html'],
    ['text/html;q=0.9, text/*;q=0.1, application/json;q=0.5', 'html'],
    ['*/*;q=0.1, text/*;q=0.9, application/json;q=0.5', 'html'],
    ['text/*;q=0.9, */*;q=0.1, application/json;q=0.5', 'html'],
    ['text/html;q=x, application/json;q=0.1', 'json'],
    ['TEXT/HTML', 'html'],
    [' text/html ; q=1 , image/png', 'html'],
    ['text/html;level=1;q=0.1, application/json;q=0.5', 'json'],
    ['x text/html', undefined],
    ['text/html x', undefined],
    ['text/html/x', undefined],
    ['text', undefined],
    ['', undefined],
  ])('for Accept %j is %s', (accept, representation) => {
    expect(negotiate(undefined, accept).representation).toBe(representation);
  });

  it.each([
    ['application/json; indent=4', 4],
    ['application/json;x=5;indent=3', 3],
    ['application/*;indent=2, application/json;indent=4', 4],
    ['application/json;indent=4, application/*;indent=2', 4],
    ['*/*;indent=2, application/*;indent=5', 5],
    ['application/json; indent=9', 8],
    ['application/json; indent=-1', 0],
    ['application/json; indent=1.5', 0],
    ['text/html; indent=4', 0],
  ])('for Accept %j is indented by %i', (accept, indent) => {
    expect(negotiate('json', accept).indent).toBe(indent);
  });
});
