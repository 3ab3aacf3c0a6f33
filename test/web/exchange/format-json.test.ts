import { expect, it } from 'vitest';
import { formatJson } from '../../../src/web/exchange/format-json.ts';

it('puts each field on its own line, but three index numbers on one line', () => {
  const record = { id: 17, id1: null, id2: null, id3: 13, id4: 17, slug: 'potion' };
  const lines = [
    '{',
    '  "id": 17,',
    '  "id1": null, "id2": null, "id3": 13,',
    '  "id4": 17,',
    '  "slug": "potion"',
    '}',
  ];
  expect(formatJson(record)).toBe(lines.join('\n'));
});

it('does not change the content of the JSON', () => {
  const record = { id: 1, id1: 1, id2: 2, id3: 3, id4: null, id5: 5 };
  expect(JSON.parse(formatJson(record))).toEqual(record);
});
