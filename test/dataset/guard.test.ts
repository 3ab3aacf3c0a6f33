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
import { everyKind, namesIn } from '../support/kinds.ts';
import { PROVENANCE } from '../support/sites.ts';
import { range } from '../support/upstream-data.ts';

/**
 * Creates moves and items with slugs such as `move-1`. Every other kind has one
 * record.
 */
function records(moves: number, items: number): AddressedRecords {
  const sizes = everyKind({ move: moves, item: items }, () => 1);
  return mapKinds((kind) => {
    const ids = range(1, sizes[kind]);
    return ids.map((id) => ({ id, slug: `${kind}-${id}` }));
  });
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

/** Creates French names of the moves from 1 to the given number. */
function createFrench(count: number) {
  const move: Record<string, string> = {};
  for (const id of range(1, count)) move[`move-${id}`] = 'x';
  const names = [namesIn('fr', { move })];
  return {
    namesSummary: { digest: `${count}`, languages: {} },
    readNames: () => names,
  };
}

const all200Names = createFrench(200);
const publishedFrench = createPrevious(records(200, 1), {
  names: all200Names.namesSummary,
  readNames: all200Names.readNames,
});

describe('checkUpdate limits missing records', () => {
  type Sizes = [moves: number, items: number];
  type SizeChange = [
    previousSizes: Sizes | undefined,
    nextSizes: Sizes,
    maxShrink: number,
    problem?: string,
  ];
  const noMoves = 'move: got 0 records, expected at least one';
  it.each<SizeChange>([
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
    (previousSizes, nextSizes, maxShrink, problem) => {
      const previous = previousSizes && createPrevious(records(...previousSizes));
      const next = createNext(records(...nextSizes));
      expect(findProblem(next, previous, { maxShrink })).toBe(problem);
    },
  );

  const now = withMoves({ id: 1, slug: 'now' });
  const taken = withMoves({ id: 2, slug: 'now' });
  const shiftedIds = range(3, 6);
  const shifted = withMoves(...shiftedIds.map((id) => ({ id, slug: `move-${id}` })));
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
  ])('%s', (_, previousRecords, nextRecords, options, problem) => {
    const previous = createPrevious(previousRecords);
    const next = createNext(nextRecords);
    expect(findProblem(next, previous, options)).toBe(problem);
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
      const next = createNext(records(...sizes));
      const options = { readBundled, maxShrink };
      expect(findProblem(next, undefined, options)).toBe(problem);
    },
  );

  /** Removes move 5, which previously had the slug `old`. */
  function loseMove5(allowMissing: readonly string[]): Update {
    const move = new Map([
      ['old', 5],
      ['other', 4],
    ]);
    const past = { ...emptyPast, oldSlugs: { ...noOldSlugs, move }, notices: [] };
    const previous = createPrevious(records(5, 5), { readPast: () => past });
    return update(createNext(records(4, 5)), previous, { allowMissing });
  }

  it.each([
    ['current', 'move/move-5'],
    ['old', 'move/old'],
  ])('accepts the loss of a record that is allowed by its %s slug', (_, allowed) => {
    const { missing } = loseMove5([allowed]);
    expect(missing).toEqual(everyKind({ move: ['move-5'] }, () => []));
  });

  it('rejects the loss of a record if only other records may disappear', () => {
    const otherRecords = ['item/item-5', 'move/move-4', 'move/other'];
    expect(() => loseMove5(otherRecords)).toThrow(/ 1 of 5 .*: move-5$/);
  });

  const next = createNext(records(1, 1));
  const previous = createPrevious(records(2, 1));
  it.each<[string, Parameters<typeof update>]>([
    [
      'If they are really gone, list them with --allow-missing, or allow this loss once with --max-shrink 50.',
      [next, previous],
    ],
    [
      'The bundled data set has more, and nothing is published. If the upstream is right, build with --max-shrink 100.',
      [next, undefined, { readBundled }],
    ],
    [
      'If they are really gone, add --allow-missing names/fr, or allow this loss once with --max-shrink 50.',
      [createNext(records(200, 1), createFrench(101)), publishedFrench],
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

describe('the --max-shrink in a hint is the smallest sufficient one', () => {
  type Change = [effect: string, previous: Previous, next: Next];

  /** Creates records of which the first ones are renamed, as many as `count`. */
  function renameMoves(count: number): Next {
    const all = records(300, 1);
    const move = all.move.map(({ id = 0, slug }) => {
      const isRenamed = id <= count;
      return isRenamed ? { id, slug: `new-${slug}` } : { id, slug };
    });
    return createNext({ ...all, move });
  }

  function warnAboutItems(count: number): Next {
    const warnings: Warning[] = [];
    for (const id of range(1, count)) {
      warnings.push({ code: 'unusable-icon', kind: 'item', id, message: 'odd' });
    }
    return createNext(records(1, 954), { warnings });
  }

  it.each<[...Change, sufficient: number]>([
    [
      'missing records',
      createPrevious(records(1, 954)),
      createNext(records(1, 600)),
      38,
    ],
    ['renamed records', createPrevious(records(300, 1)), renameMoves(160), 11],
    ['new warnings', createPrevious(records(1, 954)), warnAboutItems(354), 38],
    [
      'missing names',
      publishedFrench,
      createNext(records(200, 1), createFrench(140)),
      30,
    ],
  ])('for %s', (_, previous, next, sufficient) => {
    const hint = expect.stringContaining(`with --max-shrink ${sufficient}`);
    const tooSmall = { maxShrink: sufficient - 1 };
    const error = expect.objectContaining({ hint });
    expect(() => update(next, previous, tooSmall)).toThrow(error);
    expect(findProblem(next, previous, { maxShrink: sufficient })).toBeUndefined();
  });
});

describe('checkUpdate limits renamed and renumbered records', () => {
  const previousRecords = records(300, 40);
  const previous = createPrevious(previousRecords);
  type Change = (record: Addressed) => Addressed;

  function rename({ id, slug }: Addressed): Addressed {
    return { id, slug: `new-${slug}` };
  }

  function renumber({ id = 0, slug }: Addressed): Addressed {
    return { id: id + 1000, slug };
  }

  /** Changes the first records of a kind, as many as `count`. */
  function edit(kind: 'move' | 'item', count: number, change: Change): Next {
    const changedRecords = previousRecords[kind].slice(0, count).map(change);
    const otherRecords = previousRecords[kind].slice(count);
    return createNext({
      ...previousRecords,
      [kind]: [...changedRecords, ...otherRecords],
    });
  }

  const changes: [what: string, change: Change][] = [
    ['renamed', rename],
    ['renumbered', renumber],
  ];

  it.each(changes)(
    'accepts five times as many %s records as may disappear',
    (_, change) => {
      const few = edit('move', 15, change);
      const many = edit('move', 16, change);
      expect(findProblem(few, previous, { maxShrink: 1 })).toBeUndefined();
      expect(findProblem(many, previous, { maxShrink: 1 })).toMatch(
        /^move: got 16 of 300 records renamed or renumbered, expected at most 5 %: move-1 \(1\), .* and 6 more$/,
      );
      const most = edit('move', 60, change);
      expect(findProblem(most, previous, { maxShrink: 4 })).toBeUndefined();
    },
  );

  it.each(changes)('does not count allowed records as %s', (_, change) => {
    const options = { maxShrink: 1, allowMissing: ['move/move-3'] };
    const next = edit('move', 16, change);
    expect(findProblem(next, previous, options)).toBeUndefined();
  });

  it('accepts up to nine renumbered records in a small kind', () => {
    const options = { maxShrink: 1 };
    const nine = edit('item', 9, renumber);
    const ten = edit('item', 10, renumber);
    expect(findProblem(nine, previous, options)).toBeUndefined();
    expect(findProblem(ten, previous, options)).toMatch(/^item: got 10/);
  });

  it('accepts any number of renumbered records if their previous ids are unreadable', () => {
    const damaged = createPrevious(removeIds(previousRecords), {
      records: () => undefined,
    });
    const next = edit('move', 100, renumber);
    expect(findProblem(next, damaged, { maxShrink: 1 })).toBeUndefined();
  });
});

describe('checkUpdate limits unusable values', () => {
  /** Creates a warning for each item from 1 to `count`. */
  function createWarnings(count: number, code = 'unusable-icon'): Warning[] {
    const warnings: Warning[] = [];
    for (const id of range(1, count)) {
      warnings.push({ code, kind: 'item', id, message: `item-${id}: odd` });
    }
    return warnings;
  }

  /** Checks an update that adds warnings, but has the same number of items. */
  function find(
    items: number,
    warnings: Warning[],
    previousFields: Partial<Previous> = {},
    nextFields: Partial<Next> = {},
  ): string | undefined {
    const next = createNext(records(1, items), { warnings });
    const previous = createPrevious(records(1, items), previousFields);
    return findProblem({ ...next, ...nextFields }, previous, { maxShrink: 1 });
  }

  it.each(['unusable-icon', 'unusable-name'])(
    'accepts as many new warnings as records may disappear: %s',
    (code) => {
      expect(find(2000, createWarnings(20, code))).toBeUndefined();
      expect(find(2000, createWarnings(21, code))).toBe(
        `item: got 21 of 2000 records with a new ${code}, expected at most 1 %: item-1: odd`,
      );
    },
  );

  const numbers = everyKind<Record<string, number>>(
    { item: { 'unusable-icon': 5 } },
    () => ({}),
  );
  it.each<[string, NonNullable<Previous['warnings']>]>([
    ['snapshot', createWarnings(5)],
    ['site', numbers],
  ])('ignores warnings that the published %s already had', (_, warnings) => {
    expect(find(2000, createWarnings(25), { warnings })).toBeUndefined();
    const problem = find(2000, createWarnings(26), { warnings });
    expect(problem).toMatch(/^item: got 21 of 2000/);
  });

  it('accepts up to nine records with new warnings in a small kind', () => {
    const twoForEach = [...createWarnings(9), ...createWarnings(9)];
    expect(find(10, twoForEach)).toBeUndefined();
    expect(find(10, createWarnings(10))).toMatch(/^item: got 10 of 10/);
  });

  it('accepts any number of warnings in a copied data set', () => {
    const problem = find(10, createWarnings(10), {}, { isCopy: true });
    expect(problem).toBeUndefined();
  });

  /**
   * Checks an update of 2,000 published items, of which 1,105 had no icon, to the
   * given numbers of items and of missing icons.
   */
  function findIconProblem(
    items: number,
    missingIcons: number,
    upstream: string = PROVENANCE.upstream,
  ): string | undefined {
    return find(items, createWarnings(missingIcons, 'no-icon'), {
      upstream,
      counts: everyKind({ item: 2000 }, () => 1),
      warnings: createWarnings(1105, 'no-icon'),
    });
  }

  it('accepts missing icons of added records', () => {
    expect(findIconProblem(2000, 1125)).toBeUndefined();
    expect(findIconProblem(2050, 1175)).toBeUndefined();
    expect(findIconProblem(2000, 1126)).toMatch(
      /^item: got 21 of 2000 records with a new no-icon/,
    );
    expect(findIconProblem(2050, 1176)).toMatch(
      /^item: got 21 of 2050 records with a new no-icon/,
    );
  });

  it('accepts any number of missing icons if the upstream is another one', () => {
    expect(findIconProblem(2000, 2000, 'https://other.test')).toBeUndefined();
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
      const next = createNext(records(200, 1), createFrench(200 - lost));
      const allOptions = { maxShrink: 1, ...options };
      expect(findProblem(next, publishedFrench, allOptions)).toBe(problem);
    },
  );
});

describe('checkUpdate rejects old data', () => {
  /** Falls back to local data, which was captured on 2026-01-02 by default. */
  function findFallbackProblem(
    previousFields: Partial<Previous>,
    nextData: Data = {},
  ): string | undefined {
    const next = createNext(records(2, 1), nextData);
    const copy: Next = { ...next, isCopy: true, fallback };
    return findProblem(copy, createPrevious(records(1, 1), previousFields));
  }

  it.each<[string, previousFields: Partial<Previous>, nextData: Data]>([
    ['data from an earlier day', { captured: '2026-01-01' }, {}],
    [
      'an earlier edition',
      { captured: '2026-03-01', edition: namedEdition(1) },
      { captured: '2026-02-01', edition: namedEdition(2) },
    ],
    [
      'data with the same digest',
      { captured: '2026-01-03', digest: 'x' },
      { digest: 'x' },
    ],
  ])('replaces %s when falling back', (_, previousFields, nextData) => {
    expect(findFallbackProblem(previousFields, nextData)).toBeUndefined();
  });

  it.each([
    ['the same day', '2026-01-02'],
    ['a later day', '2026-01-03'],
  ])('keeps data from %s when falling back', (_, captured) => {
    expect(findFallbackProblem({ captured })).toBe(
      `got local data from 2026-01-02, expected data newer than the published data from ${captured}`,
    );
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
      const expectedProblem =
        problem && `${problem}, expected at most ${maxAge}, as set by --max-age`;
      expect(findProblem(next, previous, { maxAge })).toBe(expectedProblem);
    },
  );
});
