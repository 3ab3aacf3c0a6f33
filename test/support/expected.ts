/**
 * The files of a site, derived from the upstream's responses by the contract alone.
 * Only the list of kinds comes from `src`.
 */

import { type Kind, kindNames } from '../../src/contract/kinds.ts';
import {
  answersOf,
  type FullAnswer,
  idIn,
  type UpstreamData,
} from './upstream-data.ts';

/** Lists the records of a kind in order of id. */
function expectedRecords(data: UpstreamData, kind: Kind, baseUrl: string) {
  const answers = answersOf(data, kind).sort((a, b) => a.id - b.id);
  const seen = new Set<string>();
  return answers.map((answer) => {
    const slug = seen.has(answer.name) ? `${answer.name}-${answer.id}` : answer.name;
    seen.add(answer.name);
    const name = englishName(answer);
    const url = `${baseUrl}/api/gamedata/${kind}/${slug}/?format=api`;
    const { id } = answer;
    if (kind !== 'item') {
      return {
        slug,
        record: { url, id, slug, name, generation: idIn(answer.generation) },
      };
    }
    const [id1, id2, id3, id4, id5, id6, id7, id8, id9] = indices(answer);
    const ids = { id1, id2, id3, id4, id5, id6, id7, id8, id9 } as Record<
      string,
      number | null
    >;
    return { slug, record: { url, id, ...ids, slug, name, icon: icon(answer) } };
  });
}

function englishName({ name, names }: FullAnswer): string {
  for (const candidate of names) {
    if (candidate.language.name === 'en') return candidate.name;
  }
  return name
    .replace(/-+/g, ' ')
    .replace(/(^| )(\w)/g, (_, space, letter) => space + letter.toUpperCase());
}

/** Returns the first index of each of the generations 1 … 9. */
function indices({ game_indices }: FullAnswer): (number | null)[] {
  const slots = Array<number | null>(10).fill(null);
  for (const entry of game_indices.toReversed()) {
    slots[idIn(entry.generation)] = entry.game_index;
  }
  return slots.slice(1, 10);
}

const icon = ({ sprites }: FullAnswer): string =>
  sprites.default === null
    ? 'sprites/items/unknown.png'
    : `sprites/items/${sprites.default.split('/sprites/items/')[1]}`;

/** Path → text of every file below `api/gamedata`. */
export function expectedFiles(
  data: UpstreamData,
  baseUrl: string,
): Map<string, string> {
  const api = `${baseUrl}/api/gamedata`;
  const root = Object.fromEntries(
    kindNames.map((kind) => [kind, `${api}/${kind}/?format=api`]),
  );
  const files = new Map([['index.json', JSON.stringify(root)]]);
  for (const kind of kindNames) {
    const records = expectedRecords(data, kind, baseUrl);
    for (const { slug, record } of records) {
      files.set(`${kind}/${slug}/index.json`, JSON.stringify(record));
    }
    const count = records.length;
    for (let offset = 0; offset < count; offset += 100) {
      const to = (start: number) =>
        `${api}/${kind}/?format=api&limit=100&offset=${start}`;
      const page = {
        count,
        next: offset + 100 < count ? to(offset + 100) : null,
        previous: offset >= 100 ? to(offset - 100) : null,
        results: records.slice(offset, offset + 100).map(({ record }) => record),
      };
      const folder = offset === 0 ? kind : `${kind}/offset/${offset}`;
      files.set(`${folder}/index.json`, JSON.stringify(page));
    }
  }
  return files;
}
