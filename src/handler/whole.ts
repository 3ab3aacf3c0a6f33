/** Whole numbers as the reference framework reads them out of a query: as Python's `int()` does. */

import { narrow, type Whole } from '../contract/windows.ts';

/** https://docs.python.org/3/library/stdtypes.html#integer-string-conversion-length-limitation */
const MAX_DIGITS = 4300;

/** The number that a text means: blanks around, a sign, single underscores and any script's digits are fine. */
export function parseWhole(text: string): Whole | undefined {
  const match = /^([+-]?)(\p{Nd}+(?:_\p{Nd}+)*)$/u.exec(text.trim());
  if (!match) return undefined;
  const [, sign, written = ''] = match;
  const digits = written.replaceAll('_', '').replace(/\P{ASCII}/gu, asciiDigit);
  if (digits.length > MAX_DIGITS) return undefined;
  return narrow(BigInt(digits) * (sign === '-' ? -1n : 1n));
}

/** Digits of a script stand in a row, zero first; how far back a row begins is its value. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return String(value);
}
