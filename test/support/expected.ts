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

interface ExpectedRecord {
  readonly slug: string;
  readonly record: object;
}

/** Lists the records of a kind in order of id. */
function listRecords(
  data: UpstreamData,
  kind: Kind,
  baseUrl: string,
): ExpectedRecord[] {
  const answers = answersOf(data, kind).sort((a, b) => a.id - b.id);
  const usedNames = new Set<string>();
  const records: ExpectedRecord[] = [];
  for (const answer of answers) {
    const { id, name } = answer;
    const slug = usedNames.has(name) ? `${name}-${id}` : name;
    usedNames.add(name);
    const url = `${baseUrl}/api/gamedata/${kind}/${slug}/?format=api`;
    records.push({ slug, record: createRecord(kind, answer, { url, slug }) });
  }
  return records;
}

/** Creates a record with its fields in the order that the contract specifies. */
function createRecord(
  kind: Kind,
  answer: FullAnswer,
  { url, slug }: { url: string; slug: string },
): object {
  const { id } = answer;
  const name = englishName(answer);
  if (kind !== 'item') {
    return { url, id, slug, name, generation: idIn(answer.generation) };
  }
  const [id1, id2, id3, id4, id5, id6, id7, id8, id9] = indices(answer);
  const ids = { id1, id2, id3, id4, id5, id6, id7, id8, id9 };
  return { url, id, ...ids, slug, name, icon: icon(answer) };
}

function englishName({ name, names }: FullAnswer): string {
  for (const candidate of names) {
    if (candidate.language.name === 'en') return candidate.name;
  }
  return name
    .replace(/-+/g, ' ')
    .replace(/(^| )(\w)/g, (_, space, letter) => space + letter.toUpperCase());
}

/** Returns the first index for each of generations 1 to 9. */
function indices({ game_indices }: FullAnswer): (number | null)[] {
  const slots = Array<number | null>(10).fill(null);
  for (const entry of game_indices.toReversed()) {
    slots[idIn(entry.generation)] = entry.game_index;
  }
  return slots.slice(1, 10);
}

function icon({ sprites }: FullAnswer): string {
  if (sprites.default === null) return 'sprites/items/unknown.png';
  const [, file] = sprites.default.split('/sprites/items/');
  return `sprites/items/${file}`;
}

/** Returns the text of every file below `api/gamedata`, by path. */
export function expectedFiles(
  data: UpstreamData,
  baseUrl: string,
): Map<string, string> {
  const api = `${baseUrl}/api/gamedata`;
  const root: Record<string, string> = {};
  for (const kind of kindNames) root[kind] = `${api}/${kind}/?format=api`;
  const files = new Map<string, string>();
  files.set('index.json', JSON.stringify(root));
  for (const kind of kindNames) {
    const records = listRecords(data, kind, baseUrl);
    for (const { slug, record } of records) {
      files.set(`${kind}/${slug}/index.json`, JSON.stringify(record));
    }
    const count = records.length;
    const link = (start: number): string =>
      `${api}/${kind}/?format=api&limit=100&offset=${start}`;
    for (let offset = 0; offset < count; offset += 100) {
      const pageRecords = records.slice(offset, offset + 100);
      const page = {
        count,
        next: offset + 100 < count ? link(offset + 100) : null,
        previous: offset >= 100 ? link(offset - 100) : null,
        results: pageRecords.map(({ record }) => record),
      };
      const folder = offset === 0 ? kind : `${kind}/offset/${offset}`;
      files.set(`${folder}/index.json`, JSON.stringify(page));
    }
  }
  return files;
}
