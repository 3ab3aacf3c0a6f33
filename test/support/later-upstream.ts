/** An upstream that has gone on since the bundled data set: the recorded one, else the bundled records with changes. */

import { BUNDLED_DATA } from '../../src/cli/commands/package-files.ts';
import { readSnapshot } from '../../src/sources/snapshot.ts';
import { decodeDataSet } from './decode.ts';
import {
  hasRecordedUpstream,
  itemAnswer,
  moveAnswer,
  recordedUpstream,
  type UpstreamData,
  upstreamOf,
} from './upstream-data.ts';

const named = (name: string) => [{ language: { name: 'en', url: '/api/v2/language/9/' }, name }];

export function laterUpstream(): UpstreamData {
  if (hasRecordedUpstream) return recordedUpstream();
  const { records } = decodeDataSet(readSnapshot(BUNDLED_DATA));
  return upstreamOf({
    move: [
      ...records.move.map(({ id, slug, name, generation: number }) =>
        moveAnswer(id, {
          name: id === 1 ? 'pounding' : slug,
          names: named(id === 2 ? 'Karate Kick' : name),
          generation: { name: `generation-${number}`, url: `/api/v2/generation/${number}/` },
        }),
      ),
      moveAnswer(8001, { name: 'brand-new' }),
    ],
    item: [
      ...records.item.map(({ id, slug, name, icon }) =>
        itemAnswer(id, {
          name: slug,
          names: named(name),
          sprites: { default: `https://icons.test/${icon}` },
        }),
      ),
      itemAnswer(80_001),
    ],
  });
}
