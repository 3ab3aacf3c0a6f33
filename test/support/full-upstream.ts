/**
 * A complete upstream: recorded responses if they exist next to the project,
 * otherwise responses derived from data/.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { mapKinds } from '../../src/contract/kinds.ts';
import type { Names } from '../../src/contract/names.ts';
import {
  hasRecordedUpstream,
  plainAnswer,
  recordedUpstream,
  type UpstreamData,
  upstreamOf,
} from './upstream-data.ts';

const DATA = new URL('../../data/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, DATA), 'utf8');
const link = (resource: string, id: number) => ({
  name: '',
  url: `/api/v2/${resource}/${id}/`,
});

export const fullUpstream = (): UpstreamData =>
  hasRecordedUpstream
    ? recordedUpstream()
    : { ...upstreamOf(readBundled()), name: 'bundled' };

function readBundled() {
  const languages = readdirSync(new URL('names', DATA))
    .map((file) => JSON.parse(read(`names/${file}`)) as Names)
    .map((names, at) => ({ names, id: names.language === 'en' ? 9 : at + 20 }));
  return mapKinds((kind) =>
    read(`${kind}.ndjson`)
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { id, slug, generation = 1, icon, ...others } = JSON.parse(line);
        const indices = Object.entries(others).filter(
          ([field, index]) => /^id\d$/.test(field) && index !== null,
        );
        return plainAnswer(kind, id, {
          name: slug,
          generation: link('generation', generation),
          game_indices: indices.map(([field, game_index]) => ({
            game_index,
            generation: link('generation', Number(field.slice(2))),
          })),
          sprites: {
            default:
              icon &&
              `https://raw.githubusercontent.com/PokeAPI/sprites/master/${icon}`,
          },
          names: languages.flatMap(({ names, id }) => {
            const name = names[kind][slug];
            return name === undefined
              ? []
              : [
                  {
                    name,
                    language: { ...link('language', id), name: names.language },
                  },
                ];
          }),
        });
      }),
  );
}
