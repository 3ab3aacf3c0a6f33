/**
 * A complete upstream: recorded responses if they exist next to the project,
 * otherwise responses derived from data/.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Kind, mapKinds } from '../../src/contract/kinds.ts';
import type { Names } from '../../src/contract/names.ts';
import {
  type Answer,
  idIn,
  plainAnswer,
  type UpstreamData,
  upstreamOf,
} from './upstream-data.ts';

const DATA = new URL('../../data/', import.meta.url);
const SPRITES = 'https://raw.githubusercontent.com/PokeAPI/sprites/master';

const RECORDED = fileURLToPath(
  new URL('../../../shared/upstream/api/v2', import.meta.url),
);

export function fullUpstream(): UpstreamData {
  if (existsSync(RECORDED)) return recordedUpstream();
  return { ...upstreamOf(readBundled()), name: 'bundled' };
}

function readData(file: string): string {
  return readFileSync(new URL(file, DATA), 'utf8');
}

function createLink(resource: string, id: number) {
  return { name: '', url: `/api/v2/${resource}/${id}/` };
}

interface Language {
  readonly id: number;
  readonly names: Names;
}

/** Reads the languages with invented ids, except for English. */
function readLanguages(): Language[] {
  const languages: Language[] = [];
  for (const file of readdirSync(new URL('names', DATA))) {
    const names = JSON.parse(readData(`names/${file}`)) as Names;
    const id = names.language === 'en' ? 9 : languages.length + 20;
    languages.push({ id, names });
  }
  return languages;
}

/** Reads the bundled records in the form of upstream responses. */
function readBundled() {
  const languages = readLanguages();
  return mapKinds((kind) => {
    const answers: Answer[] = [];
    for (const line of readData(`${kind}.ndjson`).trimEnd().split('\n')) {
      answers.push(createAnswer(kind, line, languages));
    }
    return answers;
  });
}

/**
 * Creates the response for a line of the bundled data. Fields that a response has in
 * another form are converted. All others are copied, including fields that are added
 * to records in the future.
 */
function createAnswer(
  kind: Kind,
  line: string,
  languages: readonly Language[],
): Answer {
  const {
    id,
    slug,
    name: _,
    generation = 1,
    icon,
    ...otherFields
  } = JSON.parse(line);
  const copiedFields: Record<string, unknown> = {};
  const gameIndices: object[] = [];
  for (const [field, value] of Object.entries(otherFields)) {
    // The field `id4` is the index in generation 4.
    if (!/^id\d$/.test(field)) {
      copiedFields[field] = value;
      continue;
    }
    if (value === null) continue;
    const indexGeneration = createLink('generation', Number(field.slice(2)));
    gameIndices.push({ game_index: value, generation: indexGeneration });
  }
  const translations: object[] = [];
  for (const { id: languageId, names } of languages) {
    const name = names[kind][slug];
    if (name === undefined) continue;
    const language = createLink('language', languageId);
    translations.push({ name, language: { ...language, name: names.language } });
  }
  return plainAnswer(kind, id, {
    ...copiedFields,
    name: slug,
    generation: createLink('generation', generation),
    game_indices: gameIndices,
    sprites: { default: icon && `${SPRITES}/${icon}` },
    names: translations,
  });
}

interface RecordedList {
  readonly results: readonly { name: string; url: string }[];
}

/**
 * Returns the recorded responses. A kind that was not recorded has one plain record
 * instead.
 */
function recordedUpstream(): UpstreamData {
  const plain = upstreamOf({});
  /** The texts that have been read, by path. */
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
      const { results }: RecordedList = JSON.parse(text);
      return results.map(({ name, url }) => ({ id: idIn({ url }), name }));
    },
    record(kind, id) {
      const isRecorded = read(kind) !== undefined;
      return isRecorded ? read(`${kind}/${id}`) : plain.record(kind, id);
    },
  };
}
