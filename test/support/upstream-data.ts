/** The data of test upstreams. */

import { type Kind, mapKinds } from '../../src/contract/kinds.ts';
import { everyKind } from './kinds.ts';

/** Links in responses start with `/api/v2/`. */
export interface UpstreamData {
  readonly name: 'recorded' | 'bundled' | 'hand-made';
  list(kind: Kind): readonly { id: number; name: string }[];
  record(kind: Kind, id: number): string | undefined;
}

/** The fields of a response that tests need. */
export interface FullAnswer {
  id: number;
  name: string;
  names: { name: string; language: { name: string; url: string } }[];
  accuracy: number | null;
  generation: { url: string };
  /** Only items have this field, like `sprites`. */
  game_indices: { game_index: number; generation: { url: string } }[];
  sprites: { default: string | null };
}

/** Parses the responses for all records of a kind. */
export function answersOf(data: UpstreamData, kind: Kind): FullAnswer[] {
  const answers: FullAnswer[] = [];
  for (const { id } of data.list(kind)) {
    const text = data.record(kind, id) ?? 'null';
    answers.push(JSON.parse(text));
  }
  return answers;
}

/** Returns the id in a link: 4 for `/api/v2/generation/4/`. */
export function idIn({ url }: { readonly url: string }): number {
  const match = /\/(\d+)\/$/.exec(url);
  return Number(match?.[1]);
}

export type Answer = Record<string, unknown> & { id: number; name: string };

function generation(number: number) {
  const url = `/api/v2/generation/${number}/`;
  return { name: `generation-${number}`, url };
}

/** Returns a French name and then the English name, as the upstream lists them. */
export function english(name: string) {
  const fr = { name: 'fr', url: '/api/v2/language/5/' };
  const en = { name: 'en', url: '/api/v2/language/9/' };
  return [
    { language: fr, name: `le ${name}` },
    { language: en, name },
  ];
}

const SPRITES =
  'https://raw.githubusercontent.com/PokeAPI/sprites/master/sprites/items';

function sprite(file: string) {
  return { default: `${SPRITES}/${file}.png` };
}

type Overrides = Record<string, unknown> & { name?: string | undefined };

/**
 * Creates a response with every field that a source reads from records of any kind.
 */
export function plainAnswer(
  kind: Kind,
  id: number,
  overrides: Overrides = {},
): Answer {
  const { name = `${kind}-${id}`, ...otherFields } = overrides;
  const title = kind.charAt(0).toUpperCase() + kind.slice(1);
  return {
    id,
    name,
    accuracy: 100,
    generation: generation(1),
    cost: 0,
    game_indices: [],
    sprites: sprite(name),
    names: english(`${title} ${id}`),
    ...otherFields,
  };
}

export function moveAnswer(id: number, overrides?: Overrides): Answer {
  return plainAnswer('move', id, overrides);
}

export function itemAnswer(id: number, overrides?: Overrides): Answer {
  return plainAnswer('item', id, overrides);
}

function index(gameIndex: number, generationNumber: number) {
  return { game_index: gameIndex, generation: generation(generationNumber) };
}

/** Returns all integers between two integers, including both. */
export function range(first: number, last: number): number[] {
  const numbers: number[] = [];
  for (let number = first; number <= last; number++) numbers.push(number);
  return numbers;
}

/** Creates responses that contain each peculiarity of the real data once. */
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
      const candidates = answers[kind] ?? plain[kind];
      const answer = candidates.find((candidate) => candidate.id === id);
      return answer && JSON.stringify(answer);
    },
  };
}

export const handMadeUpstream = (): UpstreamData => upstreamOf(handMadeAnswers());

/** Creates plain responses with the ids from 1 to the number of records. */
export function tinyUpstream(move = 3, item = 2): Record<Kind, Answer[]> {
  const counts = everyKind({ move, item }, () => 1);
  return mapKinds((kind) => {
    const ids = range(1, counts[kind]);
    return ids.map((id) => plainAnswer(kind, id));
  });
}
