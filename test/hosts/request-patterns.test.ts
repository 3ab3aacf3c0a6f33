import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastParameterPattern, negotiationRules } from '../../src/hosts/web-server.ts';
import { negotiate } from '../../src/serve/handler/request.ts';

describe('lastParameterPattern', () => {
  const parameters = ['format', 'limit', 'offset'] as const;
  const encoded = fc
    .tuple(
      fc.constantFrom(...parameters, 'Limit', 'xlimit', 'limits', 'utm'),
      fc.nat({ max: 6 }),
      fc.boolean(),
    )
    .map(([name, at, upper]) => {
      const code = name.charCodeAt(at % name.length).toString(16);
      return at > 3 ? name : `${name.slice(0, at)}%${upper ? code.toUpperCase() : code}${name.slice(at + 1)}`;
    });
  const value = fc.constantFrom('=', '', '=0', '=100', '=200', '=api', '=json', '=-1', '=a=b');
  const query = fc
    .array(
      fc.tuple(encoded, value).map((pair) => pair.join('')),
      { maxLength: 6 },
    )
    .map((pairs) => pairs.join('&'));

  it.each(parameters)('captures the last value of %s, as URLSearchParams does', (parameter) => {
    fc.assert(
      fc.property(query, (text) => {
        const match = new RegExp(lastParameterPattern(parameter)).exec(text);
        const found = match ? (match[1] ?? '') : undefined;
        expect(found).toBe(new URLSearchParams(text).getAll(parameter).at(-1));
      }),
      { numRuns: 500 },
    );
  });
});

describe('negotiationRules', () => {
  /** Servers need the flag inside the pattern. */
  const ignoringCase = (pattern: string): RegExp => new RegExp(pattern.replace('(?i)', ''), 'i');
  // Without text/*, which the rules treat only as accepting a page.
  const others = ['image/png', 'application/xml', 'text/plain;q=0.8'];
  const range = fc.constantFrom(
    'text/html',
    'TEXT/HTML',
    'application/json',
    '*/*',
    'application/*',
    ...others,
  );
  const separated = (ranges: fc.Arbitrary<string[]>) =>
    ranges.chain((list) => fc.constantFrom(',', ', ', ' ,').map((comma) => list.join(comma)));
  const plain = separated(fc.array(range, { minLength: 1, maxLength: 5 }));
  // Programs list only JSON, browsers everything else at the end.
  const quality = fc.constantFrom('', ';q=1', '; q=1.0', ';q=0.9', '; q=0.8', ';q=.5', ' ; q=0.2', ';q=0.1');
  const unranked = fc.subarray(['image/png', 'application/xml']);
  const some = fc.subarray([...others, 'image/*;q=0.3']);
  const ranked = separated(
    fc
      .tuple(unranked, quality, some, quality)
      .map(([before, html, between, rest]) => [...before, `text/html${html}`, ...between, `*/*${rest}`]),
  );

  it.each([
    ['without qualities', plain],
    ['with qualities', ranked],
  ])('decide as the handler does, %s', (_, header) => {
    fc.assert(
      fc.property(header, (accept) => {
        const says = (pattern: string): boolean => ignoringCase(pattern).test(accept);
        const isPage = negotiationRules.find(([pattern]) => says(pattern))?.[1] === '1';
        expect(isPage, accept).toBe(negotiate(undefined, accept) === 'html');
      }),
      { numRuns: 1000 },
    );
  });
});
