/** Colors JSON and the code samples of the docs. */

import { type Content, element } from './script.ts';

/** Strings, numbers and keywords. */
const TOKEN =
  /("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b|\b(?:as|await|const|from|if|import|new|throw|type|with|true|false|null)\b)/i;

export type Token = readonly [text: string, name?: 'key' | 'string' | 'literal' | 'null'];

/** Pieces whose text is that of the code, with the class that the style sheet colors them by. */
export function tokensOf(code: string): Token[] {
  const pieces = code.split(TOKEN);
  return pieces.map((piece, at) => {
    if (at % 2 === 0) return [piece];
    if (pieces[at + 1]?.startsWith(':') && piece.startsWith('"')) return [piece, 'key'];
    if (/^["'`]/.test(piece)) return [piece, 'string'];
    return [piece, piece === 'null' ? 'null' : 'literal'];
  });
}

export const coloredToken = ([text, name]: Token): Content =>
  name ? element('span', { class: name }, text) : text;

export const colored = (code: string): Content[] => tokensOf(code).map(coloredToken);
