import { expect, it } from 'vitest';
import { tokenize } from '../../../src/web/shared/tokens.ts';

const describeTokens = (code: string): string[] =>
  tokenize(code).map(({ text, type }) =>
    type === undefined ? text : `${type}:${text}`,
  );

it.each([
  [
    '{"a":"b","c":[-1.5e3,null,true]}',
    [
      ...['{', 'key:"a"', ':', 'string:"b"', ',', 'key:"c"', ':['],
      ...['literal:-1.5e3', ',', 'null:null', ',', 'literal:true', ']}'],
    ],
  ],
  ['"a \\" b"', ['string:"a \\" b"']],
  [
    "const move = await f('x');",
    ['literal:const', ' move = ', 'literal:await', ' f(', "string:'x'", ');'],
  ],
  ['tm01 important', ['tm01 important']],
])('splits the code %s into tokens', (code, tokens) => {
  expect(describeTokens(code)).toEqual(tokens);
});
