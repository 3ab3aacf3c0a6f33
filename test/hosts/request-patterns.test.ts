import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  lastParameterPattern,
  negotiationRules,
} from '../../src/hosts/request-patterns.ts';
import { prefersPage } from '../../src/serve/handler/request.ts';

const parameters = ['format', 'limit', 'offset'] as const;

const parameterName = fc.constantFrom(
  ...parameters,
  'Limit',
  'xlimit',
  'limits',
  'utm',
);
const parameterValue = fc.constantFrom(
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
const parameterText = fc
  .tuple(parameterName, parameterValue)
  .map(([name, value]) => name + value);
const query = fc
  .array(parameterText, { maxLength: 6 })
  .map((texts) => texts.join('&'));

it.each(parameters)(
  'captures the last value of %s as URLSearchParams does',
  (parameter) => {
    const pattern = new RegExp(lastParameterPattern(parameter));
    const property = fc.property(query, (text) => {
      const match = pattern.exec(text);
      const captured = match ? (match[1] ?? '') : undefined;
      const values = new URLSearchParams(text).getAll(parameter);
      expect(captured).toBe(values.at(-1));
    });
    fc.assert(property, { numRuns: 500 });
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
function join(ranges: fc.Arbitrary<string[]>): fc.Arbitrary<string> {
  const comma = fc.constantFrom(',', ', ', ' ,');
  return fc.tuple(ranges, comma).map(([list, separator]) => list.join(separator));
}

const plain = join(fc.array(range, { minLength: 1, maxLength: 5 }));
// Programs list only JSON. Browsers list `text/html` first and other media ranges at
// the end.
const best = fc.constantFrom('', ';q=1', '; q=1.0');
const quality = fc.constantFrom(
  '',
  ';q=1',
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
    .tuple(unranked, best, some, quality)
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
])(
  'chooses the same format as the request handler for `Accept` headers %s',
  (_, header) => {
    const property = fc.property(header, (accept) => {
      const rule = negotiationRules.find((candidate) =>
        createPattern(candidate.accept).test(accept),
      );
      const getsPage = rule?.getsPage ?? false;
      expect(getsPage, accept).toBe(prefersPage(undefined, accept));
    });
    fc.assert(property, { numRuns: 1000 });
  },
);

/** Removes the inline flag `(?i)`, because only servers support it. */
function createPattern(accept: string): RegExp {
  return new RegExp(accept.replace('(?i)', ''), 'i');
}
