import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { compile, userProject } from '../support/typescript.ts';

const types = readFileSync(
  new URL('../../dist/assets/types.d.ts', import.meta.url),
  'utf8',
);
/** The source folder with forward slashes, as in imports. */
const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url)).replaceAll(
  '\\',
  '/',
);

/** A program that uses every type. */
const program = `
import type { ApiError, Gamedata, Item, ItemPage, Manifest, Meta, Move, MovePage, Root } from 'gamedata/types';

export async function fetchMoves({ move: next }: Root): Promise<readonly Move[]> {
  const response = await fetch(next);
  if (!response.ok) throw new Error(((await response.json()) as ApiError).detail);
  return ((await response.json()) as MovePage).results;
}
export const firstIndex = (item: Item): number => item.id1 ?? 0;
export const icons = ({ results }: ItemPage): string[] => results.map(({ icon }) => icon);
export const both = ({ move, item }: Gamedata): number => move.length + item.length;
export const about = ({ digest, counts, fallback }: Meta): string => digest + counts.move + (fallback ?? '');
export const bytes = ({ files }: Manifest): number => files.reduce((sum, file) => sum + file.bytes, 0);
`;

/**
 * Compares the types inferred from the schemas with the generated types in both
 * directions.
 */
const drift = `
import type * as z from 'gamedata/src/contract/served.ts';
import type { metaSchema, manifestSchema } from 'gamedata/src/contract/meta.ts';
import type * as t from './types.js';
type Served<S extends { _zod: { output: unknown } }> = S['_zod']['output'];
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
export const same: [
  Same<Served<typeof z.servedSchemas.move>, t.Move>,
  Same<Served<typeof z.servedSchemas.item>, t.Item>,
  Same<Served<typeof z.pageSchemas.move>['results'][number], t.MovePage['results'][number]>,
  Same<Served<typeof z.pageSchemas.item>['next'], t.ItemPage['next']>,
  Same<Served<typeof z.rootSchema>, t.Root>,
  Same<Served<typeof z.errorSchema>, t.ApiError>,
  Same<Served<typeof metaSchema>['links'], t.Meta['links']>,
  Same<Served<typeof manifestSchema>['generator'], t.Manifest['generator']>,
] = [true, true, true, true, true, true, true, true];
`;

it("types.d.ts declares the schemas' types, both for sites and for the package", () => {
  const folder = userProject({
    'types.d.ts': types,
    'program.ts': program,
    'drift.ts': drift.replaceAll('gamedata/src/', SOURCES),
  });
  expect(compile(folder, { allowImportingTsExtensions: true, noEmit: true })).toBe(
    '',
  );
});
