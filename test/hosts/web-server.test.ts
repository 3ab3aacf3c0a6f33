import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accepts, lastValue, negotiation, webServer } from '../../src/hosts/web-server.ts';
import { negotiate, resolveTarget } from '../../src/serve/handler/request.ts';
import { hostContext, rawRecords, siteOf } from '../support/sites.ts';

const { routes } = siteOf(rawRecords(3, 3));
const patterns = webServer(hostContext(routes)).paths;
const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
/** As servers read them: the flag stands inside. */
const ignoringCase = (pattern: string): RegExp => new RegExp(pattern.replace('(?i)', ''), 'i');

describe('what servers find in a query', () => {
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

  it.each(parameters)('of %s is what the handler finds', (parameter) => {
    fc.assert(
      fc.property(query, (text) => {
        const match = new RegExp(lastValue(parameter)).exec(text);
        const found = match ? (match[1] ?? '') : undefined;
        expect(found).toBe(new URLSearchParams(text).getAll(parameter).at(-1));
      }),
      { numRuns: 500 },
    );
  });
});

describe('what servers see in a path', () => {
  const segment = fc.constantFrom(
    ...['api', 'gamedata', 'move', 'item', 'berry', 'a-1', 'a--b', 'A'],
    ...['offset', '100', 'index.json', '..', '', '_x'],
  );
  const path = fc
    .oneof(
      fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join('/')}`),
      fc.array(segment, { maxLength: 3 }).map((segments) => `/api/gamedata/${segments.join('/')}`),
    )
    .filter((text) => !text.startsWith('//'));

  it.each(['list', 'record', 'slashless'] as const)('is a %s where it is one for the handler', (type) => {
    fc.assert(
      fc.property(path, (text) => {
        const target = resolveTarget(text);
        // A slug in capitals is none; servers leave it to what is not there.
        const isOne =
          target.type === type && !(type === 'record' && 'file' in target && target.file === undefined);
        expect(whole(patterns[type]).test(text), text).toBe(isOne);
      }),
      { numRuns: 1000 },
    );
  });

  it('is hidden if the handler has no file', () => {
    fc.assert(
      fc.property(path, (text) => {
        if (new RegExp(patterns.hidden).test(text)) expect(resolveTarget(text).type).not.toBe('file');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('what servers make of Accept', () => {
  // Without text/*, which servers count as no more than being able to read a page.
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
  // Programs list JSON by itself, browsers everything else at the end.
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
  ])('is what the handler makes of it, %s', (_, header) => {
    fc.assert(
      fc.property(header, (accept) => {
        const says = (pattern: string): boolean => ignoringCase(pattern).test(accept);
        const page = negotiation.find(([pattern]) => says(pattern))?.[1] ? 'html' : undefined;
        const expected = page ?? (says(accepts.json) ? 'json' : undefined);
        expect(expected, accept).toBe(negotiate(undefined, accept));
      }),
      { numRuns: 1000 },
    );
  });
});
