/** The responses of the REST upstream, and how they are reduced to raw records. */

import * as z from 'zod';
import type { Kind } from '../contract/kinds.ts';
import { parse } from '../contract/parse.ts';
import { idSchema } from '../contract/records.ts';
import type { RawItem, RawMove, RawOf } from './normalize.ts';

/** https://pokeapi.co/docs/v2#resource-listspagination-section */
export const listSchema = z.object({
  count: z.int().min(0),
  results: z.array(z.object({ name: z.string(), url: z.string() })),
});
export type ListAnswer = z.infer<typeof listSchema>;

const names = z.array(z.object({ name: z.string(), language: z.object({ name: z.string() }) }));
const generation = z.object({
  url: z.string().regex(/\/generation\/\d+\/?$/, 'expected a link to a generation'),
});
const common = { id: idSchema, name: z.string().min(1), names };

/** https://pokeapi.co/docs/v2#moves */
const moveSchema = z.object({ ...common, generation });

/** https://pokeapi.co/docs/v2#item */
const itemSchema = z.object({
  ...common,
  game_indices: z.array(z.object({ game_index: z.int().min(0), generation })),
  sprites: z.object({ default: z.string().nullable() }),
});

/** Kind → how a response is reduced to a raw record. `record` names it in errors. */
export const readRecordAnswer: { readonly [K in Kind]: (json: unknown, record: string) => RawOf<K> } = {
  move(json, record): RawMove {
    const answer = parse(moveSchema, json, { kind: 'move', record });
    return { ...identity(answer), generation: generationNumber(answer.generation) };
  },
  item(json, record): RawItem {
    const answer = parse(itemSchema, json, { kind: 'item', record });
    return {
      ...identity(answer),
      gameIndices: answer.game_indices.map((entry) => ({
        generation: generationNumber(entry.generation),
        index: entry.game_index,
      })),
      sprite: answer.sprites.default,
    };
  },
};

function identity(answer: { id: number; name: string; names: z.infer<typeof names> }) {
  // The first name of each language counts.
  const { en = null, ...others } = Object.fromEntries(
    answer.names.toReversed().map(({ language, name }) => [language.name, name]),
  );
  return { id: answer.id, slug: answer.name, englishName: en, names: others };
}

/** `/api/v2/generation/4/` → 4. */
const generationNumber = ({ url }: { url: string }): number =>
  Number(url.split('/').findLast((part) => part !== ''));
