import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInteger } from '../../../src/serve/handler/integer.ts';
import { readFormat, readWindow } from '../../../src/serve/handler/query.ts';

const value = fc.oneof(
  fc.nat({ max: 5000 }).map(String),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '-1', '0', '+7', '1_0', ' 3 ', '1e2', '0x10', '٣'),
);
const name = fc.constantFrom('limit', 'offset', 'format', 'Limit', 'utm', '');
const parameters = fc.array(fc.tuple(name, value), { maxLength: 8 });
const query = (pairs: readonly (readonly [string, string])[]) =>
  new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value]));

describe('any query', () => {
  it('has a window: a limit of at least one, an offset of at least zero', () => {
    fc.assert(
      fc.property(parameters, (pairs) => {
        const { limit, offset } = readWindow(query(pairs));
        expect(limit > 0 && offset >= 0).toBe(true);
      }),
    );
  });

  it('means what the last of each parameter says, and nothing else in it counts', () => {
    fc.assert(
      fc.property(parameters, (pairs) => {
        const last = (wanted: string) => pairs.filter(([name]) => name === wanted).slice(-1);
        const short = query([...last('offset'), ...last('format'), ...last('limit')]);
        expect(readWindow(query(pairs))).toEqual(readWindow(short));
        expect(readFormat(query(pairs))).toBe(readFormat(short));
      }),
    );
  });

  it('with plain numbers is just those', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.nat({ max: 10 ** 9 }), (limit, offset) => {
        expect(
          readWindow(
            query([
              ['limit', `${limit}`],
              ['offset', `${offset}`],
            ]),
          ),
        ).toEqual({ limit, offset });
      }),
    );
  });
});

describe('an integer', () => {
  const zeros = fc.constantFrom('0', '٠', '०', '０', '𝟎', '𝟘', '𝟶');

  it('is read in the digits of any script, with underscores, signs and blanks', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 40n }),
        zeros,
        fc.boolean(),
        fc.boolean(),
        (whole, zero, minus, spread) => {
          const start = zero.codePointAt(0) ?? 0;
          const digits = [...String(whole)].map((digit) => String.fromCodePoint(start + Number(digit)));
          const text = ` ${minus ? '-' : '+'}${digits.join(spread ? '_' : '')}\t`;
          expect(BigInt(parseInteger(text) ?? -1)).toBe(minus ? -whole : whole);
        },
      ),
    );
  });

  it.each([
    ['1_00', 100],
    ['1_2_3', 123],
    ['١_٢٣', 123],
    ['1__0', undefined],
    ['_1', undefined],
    ['1_', undefined],
  ])('may have single underscores inside: %j is %s', (text, expected) => {
    expect(parseInteger(text)).toBe(expected);
  });

  it('is none for any other text', () => {
    const other = fc
      .string({ unit: 'binary' })
      .filter((text) => !/^\s*[+-]?\p{Nd}[\p{Nd}_]*\s*$/u.test(text));
    fc.assert(
      fc.property(other, (text) => {
        expect(parseInteger(text)).toBeUndefined();
      }),
    );
  });
});
