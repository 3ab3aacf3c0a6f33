/** Made answers, as many and about as large as the real ones, in case there are no recorded ones. */

import type { Kind } from '../../src/contract/kinds.ts';
import { type Answer, itemAnswer, moveAnswer, upstreamOf } from '../../test/support/upstream-data.ts';

/** Records, and the bytes that the mean answer has beside what every response has, on the day of the recording. */
const REAL = { move: { records: 937, bytes: 20_400 }, item: { records: 2223, bytes: 6_900 } };

const LANGUAGES = ['ja-hrkt', 'ko', 'zh-hant', 'fr', 'de', 'es', 'it', 'ja', 'zh-hans'];

export const madeUpstream = () =>
  upstreamOf({ move: answers('move', moveAnswer), item: answers('item', itemAnswer) });

function answers(kind: Kind, make: (id: number, overrides: Record<string, unknown>) => Answer): Answer[] {
  const { records, bytes } = REAL[kind];
  return Array.from({ length: records }, (_, at) => {
    const id = at + 1;
    const names = [...LANGUAGES, 'en'].map((name, of) => ({
      language: { name, url: `/api/v2/language/${name === 'en' ? 9 : of + 10}/` },
      name: `${kind === 'move' ? 'Move' : 'Item'} ${id}`,
    }));
    const indices = Array.from({ length: kind === 'item' ? 3 : 0 }, (_, of) => ({
      game_index: id,
      generation: { name: `generation-${of + 3}`, url: `/api/v2/generation/${of + 3}/` },
    }));
    const overrides = { names, ...(kind === 'item' && { game_indices: indices }) };
    return { ...make(id, overrides), flavor_text_entries: filler(id, bytes) };
  });
}

/** Texts that repeat about as much as the real ones do. */
function filler(id: number, bytes: number): object[] {
  const entry = (of: number) => ({
    flavor_text: `Text ${(id * 7919 + of * 104_729) % 9973} about number ${id}\nin words that come again`,
    language: { name: LANGUAGES[of % LANGUAGES.length], url: `/api/v2/language/${(of % 9) + 1}/` },
    version_group: { name: `version-${of % 25}`, url: `/api/v2/version-group/${of % 25}/` },
  });
  return Array.from({ length: Math.ceil(bytes / JSON.stringify(entry(0)).length) }, (_, of) => entry(of));
}
