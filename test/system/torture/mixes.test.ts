import { expect, it } from 'vitest';
import { describeMix, makeMix, tryMix } from '../../support/fault-mix.ts';

const seeds = Array.from({ length: 24 }, (_, at) => at + 1);

it('several faults at once end in a whole site or in a error that is listed', async () => {
  const ends = new Set<string>();
  for (const seed of seeds) {
    const mix = makeMix(seed);
    const { ended, problems } = await tryMix(mix);
    expect(problems, `seed ${seed}: ${describeMix(mix)}`).toEqual([]);
    ends.add(ended);
  }
  expect([...ends].sort()).toEqual(['built', 'refused']);
});

it('the same seed makes the same mix', () => {
  expect(seeds.map((seed) => describeMix(makeMix(seed)))).toEqual(
    seeds.map((seed) => describeMix(makeMix(seed))),
  );
});
