import { describe, expect, it } from 'vitest';
import { mapKinds } from '../../src/contract/kinds.ts';
import type { Edition } from '../../src/contract/meta.ts';
import type { DataSet, Provenance, Warning } from '../../src/dataset/data-set.ts';
import { checkUpdate, type GuardOptions } from '../../src/dataset/guard.ts';
import {
  type Addressed,
  type AddressedRecords,
  noOldSlugs,
  type OldSlugs,
} from '../../src/dataset/old-slugs.ts';
import { emptyPast } from '../../src/dataset/past.ts';
import {
  type Next,
  type Previous,
  planUpdate,
  type Update,
  type UpdateOptions,
} from '../../src/dataset/update.ts';
import { GuardError } from '../../src/errors.ts';
import { namedEdition } from '../support/editions.ts';
import { everyKind } from '../support/kinds.ts';
import { PROVENANCE } from '../support/sites.ts';

/** Returns the numbers from 1 up to the given length. */
function range(length: number): number[] {
  return Array.from({ length }, (_, at) => at + 1);
}

/**
 * Creates moves and items with slugs such as `move-1`. Every other kind has one
 * record.
 */
function records(moves: number, items: number): AddressedRecords {
  const sizes = everyKind({ move: moves, item: items }, () => 1);
  return mapKinds((kind) =>
    range(sizes[kind]).map((id) => ({ id, slug: `${kind}-${id}` })),
  );
}

function withMoves(...moves: Addressed[]): AddressedRecords {
  return { ...records(0, 1), move: moves };
}

/** Removes the ids, as if the records' own files were damaged. */
function removeIds(some: AddressedRecords): AddressedRecords {
  return mapKinds((kind) => some[kind].map(({ slug }) => ({ slug })));
}

function oldMove(slug: string, id: number): OldSlugs {
  return { ...noOldSlugs, move: new Map([[slug, id]]) };
}

/** Returns the past of a move that previously had another slug. */
function withOldMove(slug: string, id: number): Partial<Previous> {
  const past = { ...emptyPast, oldSlugs: oldMove(slug, id), notices: [] };
  return { readPast: () => past };
}

type Data = Partial<Omit<DataSet, 'provenance'> & Provenance>;

/**
 * Creates a data set as if a source had read it. The guard only needs the ids and
 * slugs of records.
 */
function createNext(some: AddressedRecords, data: Data = {}): Next {
  const { captured = PROVENANCE.captured, edition = null, ...others } = data;
  const dataSet = {
    warnings: [],
    namesSummary: undefined,
    readNames: () => [],
    digest: JSON.stringify(some),
    provenance: { ...PROVENANCE, edition, captured },
    counts: mapKinds((kind) => some[kind].length),
    records: some,
    ...others,
  };
  return { dataSet: dataSet as unknown as DataSet, isCopy: false };
}

function createPrevious(
  some: AddressedRecords,
  others: Partial<Previous> = {},
): Previous {
  return {
    digest: JSON.stringify(some),
    captured: '2026-01-02',
    edition: null,
    counts: mapKinds((kind) => some[kind].length),
    records: () => some as never,
    listed: () => some,
    readPast: () => ({ ...emptyPast, notices: [] }),
    ...others,
  };
}

type Options = Partial<GuardOptions & UpdateOptions>;

/** Plans an update and checks it with the guard. */
function update(
  next: Next,
  previous: Previous | undefined,
  options: Options = {},
): Update {
  const allOptions = {
    today: '2026-04-01',
    maxShrink: 0,
    allowMissing: [],
    readBundled: () => undefined,
    ...options,
  };
  const planned = planUpdate(next, previous, allOptions);
  checkUpdate(planned, allOptions);
  return planned;
}

/**
 * Returns the guard's error message, or undefined if the guard accepts the update.
 */
function findProblem(...args: Parameters<typeof update>): string | undefined {
  try {
    update(...args);
  } catch (error) {
    if (error instanceof GuardError) return error.message;
    throw error;
  }
  return undefined;
}

const fallback = 'https://up.test could not be reached';
const french = (count: number) => {
  const move = Object.fromEntries(range(count).map((id) => [`move-${id}`, 'x']));
  const names = [
    { language: 'fr', ...everyKind<Record<string, string>>({ move }, () => ({})) },
  ];
  return {
    namesSummary: { digest: `${count}`, languages: {} },
    readNames: () => names,
  };
};
const publishedFrench = createPrevious(records(200, 1), {
  names: french(200).namesSummary,
  readNames: french(200).readNames,
});

describe('checkUpdate limits missing records', () => {
  type Sizes = [moves: number, items: number];
  const noMoves = 'move: got 0 records, expected at least one';
  it.each<
    [before: Sizes | undefined, now: Sizes, maxShrink: number, problem?: string]
  >([
    [undefined, [1, 1], 0],
    [[100, 200], [101, 900], 0],
    [[100, 200], [99, 198], 1],
    [[100, 200], [0, 0], 100],
    [
      [100, 200],
      [98, 200],
      1,
      'move: got 2 of 100 records missing, expected at most 1 %: move-99, move-100',
    ],
    [
      [100, 200],
      [900, 199],
      0,
      'item: got 1 of 200 records missing, expected at most 0 %: item-200',
    ],
    [[1, 1], [0, 1], 99, noMoves],
    [undefined, [1, 0], 1, 'item: got 0 records, expected at least one'],
  ])(
    'checks %j records followed by %j with --max-shrink %i',
    (before, now, maxShrink, problem) => {
      const previous = before && createPrevious(records(...before));
      expect(findProblem(createNext(records(...now)), previous, { maxShrink })).toBe(
        problem,
      );
    },
  );

  const now = withMoves({ id: 1, slug: 'now' });
  const taken = withMoves({ id: 2, slug: 'now' });
  const shifted = withMoves(
    ...range(4).map((id) => ({ id: id + 2, slug: `move-${id + 2}` })),
  );
  const shiftProblem =
    'move: got 2 of 4 records missing, expected at most 49 %: move-1, move-2';
  const skip = everyKind({ move: [5] }, () => []);
  it.each<
    [
      string,
      before: AddressedRecords,
      now: AddressedRecords,
      options: Options,
      problem?: string,
    ]
  >([
    ['ignores a renamed record', records(1, 1), now, {}],
    ['ignores a record whose slug belongs to another record', now, taken, {}],
    ['ignores skipped records', records(5, 1), records(4, 1), { skip }],
    ['accepts replaced records', records(4, 1), shifted, { maxShrink: 50 }],
    [
      'counts replaced records as missing',
      records(4, 1),
      shifted,
      { maxShrink: 49 },
      shiftProblem,
    ],
    [
      'accepts missing records and old data if an archive is restored',
      records(9, 1),
      records(1, 1),
      { isRestored: true, maxAge: 1 },
    ],
    [
      'rejects a restored archive that has no records of one kind',
      records(1, 1),
      records(0, 1),
      { isRestored: true },
      noMoves,
    ],
  ])('%s', (_, before, now, options, problem) => {
    expect(findProblem(createNext(now), createPrevious(before), options)).toBe(
      problem,
    );
  });

  const oneMissing = 'move: got 1 of 1 records missing, expected at most 0 %';

  it('counts a renamed record as missing if its previous id is unreadable', () => {
    const damaged = createPrevious(removeIds(records(1, 1)), {
      records: () => undefined,
    });
    expect(findProblem(createNext(now), damaged)).toBe(`${oneMissing}: move-1`);
  });

  it('counts a renamed record as missing if an older slug no longer redirects', () => {
    const redirecting = createPrevious(now, withOldMove('old', 1));
    expect(findProblem(createNext(taken), redirecting)).toBe(`${oneMissing}: now`);
  });

  function readBundled(): Previous & Provenance {
    const bundled = createPrevious(records(746, 954));
    return { ...bundled, ...PROVENANCE, upstream: 'https://other.test' };
  }

  it.each<[Sizes, maxShrink: number, problem?: string]>([
    [[739, 2000], 1],
    [[738, 2000], 1, 'move: got 8 of 746 records missing, expected at most 1 %'],
    [[746, 14], 1, 'item: got 940 of 954 records missing, expected at most 1 %'],
    [[1, 1], 100],
  ])(
    'compares a first build with the bundled data set: %j with --max-shrink %i',
    (sizes, maxShrink, problem) => {
      expect(
        findProblem(createNext(records(...sizes)), undefined, {
          readBundled,
          maxShrink,
        }),
      ).toBe(problem);
    },
  );

  it('accepts the loss of a record that the user allowed by its current or old slug', () => {
    const move = new Map(Object.entries({ old: 5, other: 4 }));
    const previous = createPrevious(records(5, 5), {
      readPast: () => ({
        ...emptyPast,
        oldSlugs: { ...noOldSlugs, move },
        notices: [],
      }),
    });
    const lose = (...allowMissing: string[]) =>
      update(createNext(records(4, 5)), previous, { allowMissing });
    expect(() => lose('item/item-5', 'move/move-4', 'move/other')).toThrow(
      / 1 of 5 .*: move-5$/,
    );
    for (const allowed of ['move/move-5', 'move/old']) {
      expect(lose(allowed).missing).toEqual(
        everyKind({ move: ['move-5'] }, () => []),
      );
    }
  });

  const next = createNext(records(1, 1));
  const previous = createPrevious(records(2, 1));
  it.each<[string, Parameters<typeof update>]>([
    [
      'If they are really gone, list them with --allow-missing, or raise --max-shrink.',
      [next, previous],
    ],
    [
      'The bundled data set has more, and nothing is published. If the upstream is right, build with --max-shrink 100.',
      [next, undefined, { readBundled }],
    ],
    [
      'If they are really gone, add --allow-missing names/fr, or raise --max-shrink.',
      [createNext(records(200, 1), french(1)), publishedFrench],
    ],
    [
      `${fallback}. It has less than the published data, which is unchanged.`,
      [
        {
          ...createNext(records(1, 1), { captured: '2026-02-02' }),
          isCopy: true,
          fallback,
        },
        previous,
      ],
    ],
    [
      `${fallback}. The next build that reaches the upstream will update the site.`,
      [{ ...next, isCopy: true, fallback }, previous],
    ],
  ])('shows the hint %j', (hint, args) => {
    expect(() => update(...args)).toThrow(expect.objectContaining({ hint }));
  });
});

describe('checkUpdate limits renamed and renumbered records', () => {
  const before = records(300, 40);
  const rename = ({ slug }: Addressed) => ({ slug: `new-${slug}` });
  const renumber = ({ id = 0 }: Addressed) => ({ id: id + 1000 });
  const edit = (
    kind: 'move' | 'item',
    count: number,
    change: (one: Addressed) => object,
  ) =>
    createNext({
      ...before,
      [kind]: before[kind].map((one, at) => ({
        ...one,
        ...(at < count && change(one)),
      })),
    });

  it.each([
    ['renamed', rename],
    ['renumbered', renumber],
  ])('accepts five times as many %s records as may disappear', (_, change) => {
    const find = (count: number, options: Options = {}) =>
      findProblem(edit('move', count, change), createPrevious(before), {
        maxShrink: 1,
        ...options,
      });
    expect(find(15)).toBeUndefined();
    expect(find(16)).toMatch(
      /^move: got 16 of 300 records renamed or renumbered, expected at most 5 %: move-1 \(1\), .* and 6 more$/,
    );
    expect(find(16, { allowMissing: ['move/move-3'] })).toBeUndefined();
    expect(find(60, { maxShrink: 4 })).toBeUndefined();
  });

  it('accepts up to nine renumbered records in a small kind', () => {
    const options = { maxShrink: 1 };
    expect(
      findProblem(edit('item', 9, renumber), createPrevious(before), options),
    ).toBeUndefined();
    expect(
      findProblem(edit('item', 10, renumber), createPrevious(before), options),
    ).toMatch(/^item: got 10/);
  });

  it('accepts any number of renumbered records if their previous ids are unreadable', () => {
    const damaged = createPrevious(removeIds(before), { records: () => undefined });
    expect(
      findProblem(edit('move', 100, renumber), damaged, { maxShrink: 1 }),
    ).toBeUndefined();
  });
});

describe('checkUpdate limits unusable values', () => {
  const warnings = (count: number, code = 'unusable-icon'): Warning[] =>
    range(count).map((id) => ({
      code,
      kind: 'item',
      id,
      message: `item-${id}: odd`,
    }));
  const find = (
    items: number,
    found: Warning[],
    previous: Partial<Previous> = {},
    next: object = {},
  ) =>
    findProblem(
      { ...createNext(records(1, items), { warnings: found }), ...next },
      createPrevious(records(1, items), previous),
      { maxShrink: 1 },
    );

  it.each(['unusable-icon', 'unusable-name'])(
    'accepts as many new warnings as records may disappear: %s',
    (code) => {
      expect(find(2000, warnings(20, code))).toBeUndefined();
      expect(find(2000, warnings(21, code))).toBe(
        `item: got 21 of 2000 records with a new ${code}, expected at most 1 %: item-1: odd`,
      );
    },
  );

  it('ignores warnings that the published snapshot or site already had', () => {
    const numbers = everyKind<Record<string, number>>(
      { item: { 'unusable-icon': 5 } },
      () => ({}),
    );
    for (const known of [warnings(5), numbers]) {
      expect(find(2000, warnings(25), { warnings: known })).toBeUndefined();
      expect(find(2000, warnings(26), { warnings: known })).toMatch(
        /^item: got 21 of 2000/,
      );
    }
  });

  it('accepts up to nine records with new warnings in a small kind', () => {
    expect(find(10, [...warnings(9), ...warnings(9)])).toBeUndefined();
    expect(find(10, warnings(10))).toMatch(/^item: got 10 of 10/);
  });

  it('accepts any number of warnings in a copied data set', () => {
    expect(find(10, warnings(10), {}, { isCopy: true })).toBeUndefined();
  });

  it('accepts missing icons of added records and of another upstream', () => {
    const check = (
      items: number,
      missing: number,
      upstream: string = PROVENANCE.upstream,
    ) => {
      const counts = everyKind({ item: 2000 }, () => 1);
      const known = warnings(1105, 'no-icon');
      return find(items, warnings(missing, 'no-icon'), {
        upstream,
        counts,
        warnings: known,
      });
    };
    expect([check(2000, 1125), check(2050, 1175)]).toEqual([undefined, undefined]);
    expect(check(2000, 1126)).toMatch(
      /^item: got 21 of 2000 records with a new no-icon/,
    );
    expect(check(2050, 1176)).toMatch(
      /^item: got 21 of 2050 records with a new no-icon/,
    );
    expect(check(2000, 2000, 'https://other.test')).toBeUndefined();
  });
});

describe('checkUpdate limits missing names', () => {
  it.each<[lost: number, options: Options, problem?: string]>([
    [2, {}],
    [3, {}, 'names/fr: got 3 of 200 names missing, expected at most 1 %'],
    [3, { allowMissing: ['names/fr'] }],
    [3, { isRestored: true }],
  ])(
    'checks the loss of %i of 200 names with the options %j',
    (lost, options, problem) => {
      const next = createNext(records(200, 1), french(200 - lost));
      expect(findProblem(next, publishedFrench, { maxShrink: 1, ...options })).toBe(
        problem,
      );
    },
  );
});

describe('checkUpdate rejects old data', () => {
  const later = { captured: '2026-03-01', edition: namedEdition(1) };
  const earlier = { captured: '2026-02-01', edition: namedEdition(2) };
  it.each<[string, previous: Partial<Previous>, next: Data, problem?: string]>([
    ['replaces data from an earlier day', { captured: '2026-01-01' }, {}],
    ['replaces an earlier edition', later, earlier],
    [
      'replaces data with the same digest',
      { captured: '2026-01-03', digest: 'x' },
      { digest: 'x' },
    ],
    ...['2026-01-02', '2026-01-03'].map(
      (captured): [string, object, object, string] => [
        'keeps data from the same or a later day',
        { captured },
        {},
        `got local data from 2026-01-02, expected data newer than the published data from ${captured}`,
      ],
    ),
  ])('%s when falling back', (_, previous, next, problem) => {
    const copy = { ...createNext(records(2, 1), next), isCopy: true, fallback };
    expect(findProblem(copy, createPrevious(records(1, 1), previous))).toBe(problem);
  });

  const edition = { ...namedEdition(1), deployed: '2026-03-01T12:00:00Z' };
  const same = createPrevious(records(1, 1), { captured: '2026-03-01' });
  type Age = [
    captured: string,
    edition: Edition | null,
    maxAge?: number,
    problem?: string | undefined,
  ];
  it.each<[...Age, Previous?]>([
    ['2026-03-02', null, 30],
    ['2026-03-01', null, 30, 'got data captured on 2026-03-01, 31 days ago'],
    ['2020-01-01', edition, 31],
    ['2026-04-01', edition, 30, 'got data deployed on 2026-03-01, 31 days ago'],
    ['2020-01-01', null],
    ['2026-04-01', null, 30, 'got data captured on 2026-03-01, 31 days ago', same],
    ['2026-04-01', namedEdition(1), 30, undefined, { ...same, edition }],
  ])(
    'checks data captured on %s, edition %j, against --max-age %s',
    (captured, edition, maxAge, problem, previous) => {
      const next = createNext(records(1, 1), { captured, edition });
      const expected =
        problem && `${problem}, expected at most ${maxAge}, as set by --max-age`;
      expect(findProblem(next, previous, { maxAge })).toBe(expected);
    },
  );
});
