/** Colors JSON and the code samples of the docs. */

import { breakUrls, element } from './dom.ts';

/** Strings, numbers and keywords. */
const TOKEN =
  /("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b|\b(?:as|await|const|from|if|import|new|throw|type|with|true|false|null)\b)/i;

/** The class is undefined for text between tokens. */
type Token = readonly [text: string, className?: 'key' | 'string' | 'literal' | 'null'];

function tokenize(code: string): Token[] {
  const pieces = code.split(TOKEN);
  return pieces.map((piece, at) => {
    if (at % 2 === 0) return [piece];
    if (pieces[at + 1]?.startsWith(':') && piece.startsWith('"')) return [piece, 'key'];
    if (/^["'`]/.test(piece)) return [piece, 'string'];
    return [piece, piece === 'null' ? 'null' : 'literal'];
  });
}

/**
 * Returns nodes whose text is the code.
 *
 * @param linkString creates a link for a string of JSON; undefined if the string is not a link
 */
export const highlight = (
  code: string,
  linkString: (text: string) => Node | undefined = () => undefined,
): (Node | string)[] =>
  tokenize(code).map(([text, className]) => {
    if (className === undefined) return text;
    const link = className === 'string' ? linkString(text) : undefined;
    return link ?? element('span', { class: className }, ...breakUrls(text));
  });
