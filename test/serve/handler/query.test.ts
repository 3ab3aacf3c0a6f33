import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readFormat, readWindow } from '../../../src/serve/handler/plain-request.ts';

const integer = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
const value = fc.oneof(
  fc.nat({ max: 5000 }).map(String),
  integer.map(String),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '-1', '0', '+7', '1_0', ' 3 ', '1e2', '0x10', '٣'),
);
const name = fc.constantFrom('limit', 'offset', 'format', 'Limit', 'utm', '');
const parameters = fc.array(fc.tuple(name, value), { maxLength: 8 });

it('the last of each parameter counts, and nothing else', () => {
  fc.assert(
    fc.property(parameters, (pairs) => {
      const last = (wanted: string) => pairs.filter(([name]) => name === wanted).slice(-1);
      const long = new URLSearchParams(pairs);
      const short = new URLSearchParams([...last('offset'), ...last('format'), ...last('limit')]);
      expect(readWindow(long)).toEqual(readWindow(short));
      expect(readFormat(long)).toBe(readFormat(short));
    }),
  );
});

it('a limit is at least one, an offset at least zero, and both are exact', () => {
  fc.assert(
    fc.property(integer, integer, (limit, offset) => {
      const window = readWindow(new URLSearchParams({ limit: `${limit}`, offset: `${offset}` }));
      expect(BigInt(window.limit)).toBe(limit > 0n ? limit : 100n);
      expect(BigInt(window.offset)).toBe(offset > 0n ? offset : 0n);
    }),
  );
});

it('an integer is an optional sign and digits', () => {
  const other = fc.string({ unit: 'binary' }).filter((text) => !/^[+-]?\d+$/.test(text));
  fc.assert(
    fc.property(other, (text) => {
      expect(readWindow(new URLSearchParams({ limit: text, offset: text }))).toEqual({
        limit: 100,
        offset: 0,
      });
    }),
  );
});
