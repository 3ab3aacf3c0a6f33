import { expect, it } from 'vitest';
import { compileSchemas, toSchemaObject } from '../../src/contract/served.ts';

it('compileSchemas omits defaults, and does not escape slashes in patterns', () => {
  const { standalone } = compileSchemas();
  expect(JSON.stringify(standalone)).not.toContain('"default":');
  const pattern = '^https?://[^\\s?#]+/api/gamedata/move/(?:index\\.json)?\\?format=api$';
  expect(standalone.root).toMatchObject({ properties: { move: { pattern } } });
});

it('toSchemaObject replaces everything except a schema with an empty schema', () => {
  const schema = { type: 'string' } as const;
  expect([schema, true, [schema], undefined].map(toSchemaObject)).toEqual([schema, {}, {}, {}]);
});
