/** Integers as the reference framework parses them: like Python's `int()`. */

import { type Integer, narrow } from '../../contract/windows.ts';

/** https://docs.python.org/3/library/stdtypes.html#integer-string-conversion-length-limitation */
const MAX_DIGITS = 4300;

/** Surrounding blanks, a sign, single underscores and digits of any script are allowed. */
export function parseInteger(text: string): Integer | undefined {
  const match = /^([+-]?)(\p{Nd}+(?:_\p{Nd}+)*)$/u.exec(text.trim());
  if (!match) return undefined;
  const [, sign, written = ''] = match;
  const digits = written.replaceAll('_', '').replace(/\P{ASCII}/gu, asciiDigit);
  if (digits.length > MAX_DIGITS) return undefined;
  return narrow(BigInt(digits) * (sign === '-' ? -1n : 1n));
}

/** Digits are consecutive, starting with zero, and ten more may follow: mathematical ones come in five styles. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let distance = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - distance - 1))) distance++;
  return String(distance % 10);
}
