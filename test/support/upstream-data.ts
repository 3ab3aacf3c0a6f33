/**
 * The data of test upstreams: recorded responses if they exist next to the project,
 * otherwise a small set.
 */

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Kind, mapKinds } from '../../src/contract/kinds.ts';
import { everyKind } from './kinds.ts';

/** Links in responses start with `/api/v2/`. */
export interface UpstreamData {
  readonly name: 'recorded' | 'bundled' | 'hand-made';
  list(kind: Kind): readonly { id: number; name: string }[];
  record(kind: Kind, id: number): string | undefined;
}

const RECORDED = fileURLToPath(
  new URL('../../../shared/upstream/api/v2', import.meta.url),
);
export const hasRecordedUpstream = existsSync(RECORDED);

export function recordedUpstream(): UpstreamData {
  const plain = upstreamOf({});
  const texts = new Map<string, string>();
  function read(path: string): string | undefined {
    const file = `${RECORDED}/${path}/index.json`;
    if (!texts.has(path) && existsSync(file)) {
      texts.set(path, readFileSync(file, 'utf8'));
    }
    return texts.get(path);
  }
  return {
    name: 'recorded',
    list(kind) {
      const text = read(kind);
      if (text === undefined) return plain.list(kind);
      const { results } = JSON.parse(text) as {
        results: { name: string; url: string }[];
      };
      return results.map(({ name, url }) => ({
        id: Number(url.split('/').at(-2)),
        name,
      }));
    },
    record: (kind, id) =>
      read(kind) === undefined ? plain.record(kind, id) : read(`${kind}/${id}`),
  };
}

/** The fields of a response that tests need. */
export interface FullAnswer {
  id: number;
  name: string;
  names: { name: string; language: { name: string; url: string } }[];
  accuracy: number | null;
  generation: { url: string };
  /** Items only, like `sprites`. */
  game_indices: { game_index: number; generation: { url: string } }[];
  sprites: { default: string | null };
}

export const answersOf = (data: UpstreamData, kind: Kind): FullAnswer[] =>
  data.list(kind).map(({ id }) => JSON.parse(data.record(kind, id) ?? 'null'));

/** `/api/v2/generation/4/` → 4. */
export const idIn = ({ url }: { url: string }): number =>
  Number(/\/(\d+)\/$/.exec(url)?.[1]);

export type Answer = Record<string, unknown> & { id: number; name: string };

const generation = (number: number) => ({
  name: `generation-${number}`,
  url: `/api/v2/generation/${number}/`,
});
export const english = (name: string) => [
  { language: { name: 'fr', url: '/api/v2/language/5/' }, name: `le ${name}` },
  { language: { name: 'en', url: '/api/v2/language/9/' }, name },
];
const sprite = (file: string) => ({
  default: `https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items/${file}.png`,
});

type Overrides = Record<string, unknown> & { name?: string | undefined };

export function plainAnswer(
  kind: Kind,
  id: number,
  { name = `${kind}-${id}`, ...overrides }: Overrides = {},
): Answer {
  const own = {
    accuracy: 100,
    generation: generation(1),
    cost: 0,
    game_indices: [],
    sprites: sprite(name),
  };
  const title = kind.charAt(0).toUpperCase() + kind.slice(1);
  return { id, name, ...own, names: english(`${title} ${id}`), ...overrides };
}
export const moveAnswer = (id: number, own?: Overrides): Answer =>
  plainAnswer('move', id, own);
export const itemAnswer = (id: number, own?: Overrides): Answer =>
  plainAnswer('item', id, own);

const index = (game_index: number, of: number) => ({
  game_index,
  generation: generation(of),
});

export const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Contains each peculiarity of the real data once. */
const handMadeAnswers = (): Answers => ({
  move: [
    moveAnswer(1, { name: 'pound', names: english('Pound') }),
    moveAnswer(2, { name: 'breakneck-blitz--physical', generation: generation(7) }),
    moveAnswer(3),
    moveAnswer(10_001, {
      name: 'shadow-rush',
      names: english('Shadow Rush'),
      generation: generation(3),
    }),
  ],
  item: [
    itemAnswer(1, {
      name: 'master-ball',
      names: english('Master Ball'),
      game_indices: [index(1, 1), index(1, 3)],
    }),
    itemAnswer(2, {
      name: 'poke-ball',
      names: english('Poké Ball'),
      game_indices: [index(65, 2), index(21, 2), index(4, 9)],
    }),
    itemAnswer(3, {
      name: 'tm01',
      names: english('TM01'),
      sprites: sprite('tm-normal'),
    }),
    itemAnswer(5, {
      name: 'data-card-01',
      names: english('Data Card 01'),
      sprites: sprite('data-card'),
    }),
    itemAnswer(6, { name: 'tm-case--old', sprites: { default: null } }),
    itemAnswer(7, {
      name: 'twice-listed',
      game_indices: [index(9, 7), index(9, 7)],
    }),
    itemAnswer(8, { name: 'from-the-future', game_indices: [index(3, 10)] }),
    itemAnswer(20, { game_indices: [index(20, 4)] }),
    itemAnswer(723, { name: 'roseli-berry', names: english('Roseli Berry') }),
    itemAnswer(2278, { name: 'gold-leaf', names: [], sprites: { default: null } }),
    itemAnswer(2279, { name: 'roseli-berry', names: [] }),
  ],
});

/**
 * Other kinds have one plain record, because the guard rejects a kind without
 * records.
 */
export type Answers = Partial<Record<Kind, Answer[]>>;

export function upstreamOf(answers: Answers): UpstreamData {
  const plain = mapKinds((kind) => [plainAnswer(kind, 1)]);
  return {
    name: 'hand-made',
    list: (kind) => answers[kind] ?? plain[kind],
    record(kind, id) {
      const answer = (answers[kind] ?? plain[kind]).find(
        (candidate) => candidate.id === id,
      );
      return answer && JSON.stringify(answer);
    },
  };
}

export const handMadeUpstream = (): UpstreamData => upstreamOf(handMadeAnswers());

export function tinyUpstream(move = 3, item = 2): Record<Kind, Answer[]> {
  const counts = everyKind({ move, item }, () => 1);
  return mapKinds((kind) =>
    range(1, counts[kind]).map((id) => plainAnswer(kind, id)),
  );
}
