import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { FORMAT, formatField, refuseNewerFormat } from '../../src/contract/meta.ts';
import { OutputError } from '../../src/errors.ts';

const check = (json: unknown) => () =>
  refuseNewerFormat(json, (problem, options) => new OutputError(problem, 'meta.json', options));

describe('the format of a file', () => {
  it.each([
    ['this version’s', { format: FORMAT }],
    ['an older one', { format: FORMAT - 1 }],
    ['none', {}],
    ['not a number: the schema says what is wrong', { format: '9' }],
    ['that of something that is not even an object', null],
  ])('is read if it is %s', (_, json) => {
    expect(check(json)).not.toThrow();
  });

  it('is refused if it is newer, with the way out', () => {
    const hint = 'A newer version of gamedata wrote it: upgrade, or use another folder.';
    expect(check({ format: FORMAT + 1 })).toThrow(
      new OutputError(
        `has format ${FORMAT + 1}, this version of gamedata reads format ${FORMAT}`,
        'meta.json',
        { hint },
      ),
    );
  });

  it('of a file without one is 1', () => {
    expect(z.object(formatField).parse({})).toEqual({ format: 1 });
    expect(z.object(formatField).safeParse({ format: 0 }).success).toBe(false);
  });
});
