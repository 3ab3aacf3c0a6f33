import { expect, it } from 'vitest';
import {
  compileSchemas,
  servedSchemas,
  toSchemaObject,
} from '../../src/contract/served.ts';

it('compileSchemas omits defaults', () => {
  const { standalone } = compileSchemas();
  expect(JSON.stringify(standalone)).not.toContain('"default":');
});

it('compileSchemas does not escape slashes in patterns', () => {
  const { standalone } = compileSchemas();
  const pattern =
    '^https?://[^\\s?#]+/api/gamedata/move/(?:index\\.json)?\\?format=api$';
  expect(standalone.root).toMatchObject({ properties: { move: { pattern } } });
});

it('the schemas for reading reject unknown fields, but the published schemas allow them', () => {
  const url = 'https://example.test/api/gamedata/move/pound/?format=api';
  const move = { url, id: 1, slug: 'pound', name: 'Pound', generation: 1 };
  expect(servedSchemas.move.safeParse(move).success).toBe(true);
  const extended = { ...move, 'unknown-field': 40 };
  expect(servedSchemas.move.safeParse(extended).success).toBe(false);
});

const stringSchema = { type: 'string' } as const;

it('toSchemaObject returns a schema object unchanged', () => {
  expect(toSchemaObject(stringSchema)).toEqual(stringSchema);
});

it.each([true, [stringSchema], undefined])(
  'toSchemaObject returns an empty schema for %j',
  (schema) => {
    expect(toSchemaObject(schema)).toEqual({});
  },
);
