/** Text that is safe to print on a terminal. */

/** Writes characters as JSON escapes, such as `\u001b`. */
export const escapeCharacters = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Text from outside must not move the cursor, ring the bell or reverse the direction of writing. */
export const printable = (text: string): string =>
  escapeCharacters(text, /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu);
