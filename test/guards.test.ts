import { describe, expect, it } from 'vitest';
import { DataError } from '../src/errors.ts';
import { refuseShrinking } from '../src/guards.ts';

const hint = 'If that is right, raise --max-shrink.';

describe('refuseShrinking', () => {
  it.each([
    { before: undefined, now: { move: 1, item: 1 }, maxShrink: 0 },
    { before: { move: 100, item: 200 }, now: { move: 100, item: 200 }, maxShrink: 0 },
    { before: { move: 100, item: 200 }, now: { move: 101, item: 900 }, maxShrink: 0 },
    { before: { move: 100, item: 200 }, now: { move: 99, item: 198 }, maxShrink: 1 },
    { before: { move: 100, item: 200 }, now: { move: 50, item: 100 }, maxShrink: 50 },
    { before: { move: 100, item: 200 }, now: { move: 0, item: 0 }, maxShrink: 100 },
    { before: undefined, now: { move: 0, item: 0 }, maxShrink: 100 },
  ])('lets $before become $now with $maxShrink %', ({ before, now, maxShrink }) => {
    expect(() => refuseShrinking(now, { previous: before, maxShrink })).not.toThrow();
  });

  it.each([
    {
      before: { move: 100, item: 200 },
      now: { move: 98, item: 200 },
      maxShrink: 1,
      kind: 'move',
      problem: 'got 98 records, the last build had 100: expected at most 1 % fewer',
    },
    {
      before: { move: 100, item: 200 },
      now: { move: 900, item: 199 },
      maxShrink: 0,
      kind: 'item',
      problem: 'got 199 records, the last build had 200: expected at most 0 % fewer',
    },
    {
      before: { move: 1, item: 1 },
      now: { move: 0, item: 1 },
      maxShrink: 99,
      kind: 'move',
      problem: 'got 0 records, the last build had 1: expected at most 99 % fewer',
    },
    {
      before: undefined,
      now: { move: 1, item: 0 },
      maxShrink: 1,
      kind: 'item',
      problem: 'got 0 records: expected some',
    },
  ])('refuses that $before becomes $now with $maxShrink %', ({ before, now, maxShrink, kind, problem }) => {
    expect(() => refuseShrinking(now, { previous: before, maxShrink })).toThrow(
      new DataError(problem, { kind }, { hint }),
    );
  });

  it('says that the upstream could not be reached where that is why there are fewer', () => {
    const counts = {
      previous: { move: 937, item: 2223 },
      maxShrink: 1,
      fallback: 'https://up.test could not be reached',
    };
    expect(() => refuseShrinking({ move: 746, item: 954 }, counts)).toThrow(
      expect.objectContaining({
        hint: 'https://up.test could not be reached, and the bundled data is older than what is published, which stays as it is.',
      }),
    );
  });
});
