import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  lastParameterPattern,
  negotiationRules,
} from '../../src/hosts/request-patterns.ts';
import { prefersPage } from '../../src/serve/handler/request.ts';

const parameters = ['format', 'limit', 'offset'] as const;

it.each(parameters)(
  'captures the same last value of %s as URLSearchParams',
  (parameter) => {
    const name = fc.constantFrom(...parameters, 'Limit', 'xlimit', 'limits', 'utm');
    const encoded = fc
      .tuple(name, fc.nat({ max: 6 }), fc.boolean())
      .map(([text, at, isUpper]) => {
        const code = text.charCodeAt(at % text.length).toString(16);
        return at > 3
          ? text
          : `${text.slice(0, at)}%${isUpper ? code.toUpperCase() : code}${text.slice(at + 1)}`;
      });
    const value = fc.constantFrom(
      '=',
      '',
      '=0',
      '=100',
      '=200',
      '=api',
      '=json',
      '=-1',
      '=a=b',
    );
    const pair = fc.tuple(encoded, value).map((both) => both.join(''));
    const query = fc.array(pair, { maxLength: 6 }).map((pairs) => pairs.join('&'));
    fc.assert(
      fc.property(query, (text) => {
        const match = new RegExp(lastParameterPattern(parameter)).exec(text);
        const found = match ? (match[1] ?? '') : undefined;
        expect(found).toBe(new URLSearchParams(text).getAll(parameter).at(-1));
      }),
      { numRuns: 500 },
    );
  },
);

// `text/*` is not one of these, because the rules treat it only as a media range for
// the page.
const others = ['image/png', 'application/xml', 'text/plain;q=0.8'];
const range = fc.constantFrom(
  'text/html',
  'TEXT/HTML',
  'application/json',
  '*/*',
  'application/*',
  ...others,
);
const join = (ranges: fc.Arbitrary<string[]>) =>
  ranges.chain((list) =>
    fc.constantFrom(',', ', ', ' ,').map((comma) => list.join(comma)),
  );
const plain = join(fc.array(range, { minLength: 1, maxLength: 5 }));
// Programs list only JSON. Browsers list `text/html` first and other media ranges at
// the end.
const quality = fc.constantFrom(
  '',
  ';q=1',
  '; q=1.0',
  ';q=0.9',
  '; q=0.8',
  ';q=.5',
  ' ; q=0.2',
  ';q=0.1',
);
const unranked = fc.subarray(['image/png', 'application/xml']);
const some = fc.subarray([...others, 'image/*;q=0.3']);
const ranked = join(
  fc
    .tuple(unranked, quality, some, quality)
    .map(([before, html, between, rest]) => [
      ...before,
      `text/html${html}`,
      ...between,
      `*/*${rest}`,
    ]),
);

it.each([
  ['without qualities', plain],
  ['with qualities', ranked],
])('chooses the same format as the request handler for headers %s', (_, header) => {
  /**
   * Creates a regular expression without the inline flag `(?i)`, which only servers
   * support.
   */
  const ignoringCase = (pattern: string): RegExp =>
    new RegExp(pattern.replace('(?i)', ''), 'i');
  fc.assert(
    fc.property(header, (accept) => {
      const rule = negotiationRules.find((one) =>
        ignoringCase(one.accept).test(accept),
      );
      expect(rule?.getsPage ?? false, accept).toBe(prefersPage(undefined, accept));
    }),
    { numRuns: 1000 },
  );
});
