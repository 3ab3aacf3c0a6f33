/**
 * Splits JSON and code samples into tokens. Both the build and the browser use these
 * tokens to highlight code.
 */

/** The type of a token, which is also the name of its CSS class in `style.css`. */
type TokenType = 'key' | 'string' | 'literal' | 'null';

export interface Token {
  readonly text: string;
  /** Undefined for the text between tokens, such as punctuation. */
  readonly type: TokenType | undefined;
}

/** Matches strings, numbers and keywords. */
const TOKEN =
  /("(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b|\b(?:as|await|const|from|if|import|new|throw|type|with|true|false|null)\b)/i;

/** Splits code into tokens and the text between them. */
export function tokenize(code: string): Token[] {
  // `TOKEN` captures each token, so every second part that `split` returns is a token.
  const parts = code.split(TOKEN);
  const tokens: Token[] = [];
  for (const [index, text] of parts.entries()) {
    if (text === '') continue;
    const isBetween = index % 2 === 0;
    const type = isBetween ? undefined : classifyToken(text, parts[index + 1]);
    tokens.push({ text, type });
  }
  return tokens;
}

function classifyToken(token: string, next = ''): TokenType {
  if (token.startsWith('"') && next.startsWith(':')) return 'key';
  if (/^["'`]/.test(token)) return 'string';
  if (token === 'null') return 'null';
  return 'literal';
}
