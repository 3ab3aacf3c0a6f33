/** The rows of the table: what is compared with what, and how much of it is allowed. */

import type { Summary } from './measure.ts';

export interface Row {
  /** What `--only` names. */
  readonly id: string;
  readonly title: string;
  /** How many times the real data; none if only the real data is measured. */
  readonly scale?: number;
  /** The measured subject, and the one it is compared with. */
  readonly of: string;
  readonly to?: string;
  /** What it is compared with if that is no subject. */
  readonly yardstick?: string;
  readonly unit: '×' | 'MB' | 'files' | 'requests' | 'instants';
  result(of: Summary, to: Summary): number;
  /** The most that the result may be. Without one the row is for information. */
  readonly budget?: number;
}

export interface Result {
  readonly id: string;
  readonly title: string;
  readonly scale: number | undefined;
  readonly measured: Summary;
  /** What it is compared with, and its own figures if it was measured. */
  readonly yardstick: string;
  readonly other: Summary | undefined;
  readonly result: number;
  readonly unit: Row['unit'];
  readonly budget: number | undefined;
  readonly kept: boolean;
}

const seconds = (summary: Summary): number => summary.seconds.median;
const ratio = {
  unit: '×',
  result: (of: Summary, to: Summary): number => seconds(of) / seconds(to),
} as const;

/** Names of subjects, which are measured once for each scale. */
export const at = (scale: number, name: string): string => `${scale} × ${name}`;

/** By scale; others are for information. */
const budgets: Readonly<Record<'fresh' | 'unchanged' | 'changed' | 'csv', Readonly<Record<number, number>>>> =
  {
    fresh: { 1: 3.3, 10: 1.6, 100: 1.5 },
    unchanged: { 1: 0.4, 10: 0.25, 100: 0.15 },
    changed: { 1: 0.65, 10: 0.55, 100: 0.5 },
    csv: { 1: 1.25, 10: 1.2, 100: 1.2 },
  };
/** The record, its page, and five that tell of it: meta.json, manifest.json, search.json, changes.json, changes.atom. */
const FILES_OF_A_CHANGE = 7;

export function buildRows(scale: number, records: number): Row[] {
  const [fresh, unchanged, changed] = [at(scale, 'fresh'), at(scale, 'unchanged'), at(scale, 'changed')];
  const memory = Math.floor(120 + records / 1000);
  const budgetOf = (of: keyof typeof budgets): { budget?: number } => {
    const budget = budgets[of][scale];
    return budget === undefined ? {} : { budget };
  };
  const rows: Row[] = [
    {
      ...ratio,
      id: 'fresh',
      title: 'fresh folder',
      of: fresh,
      to: at(scale, 'tar x'),
      ...budgetOf('fresh'),
    },
    {
      id: 'memory',
      title: 'fresh folder, peak memory',
      of: fresh,
      yardstick: '120 MB + 1 KB per record',
      unit: 'MB',
      result: ({ megabytes }) => megabytes.max,
      budget: memory,
    },
    {
      ...ratio,
      id: 'eleventy',
      title: 'fresh folder',
      of: fresh,
      to: at(scale, 'Eleventy'),
      budget: 0.4,
    },
    {
      ...ratio,
      id: 'unchanged',
      title: 'nothing changed',
      of: unchanged,
      to: fresh,
      ...budgetOf('unchanged'),
    },
    {
      id: 'unchanged',
      title: 'nothing changed, files written',
      of: unchanged,
      yardstick: 'none',
      unit: 'files',
      result: ({ written }) => written ?? Number.NaN,
      budget: 0,
    },
    { ...ratio, id: 'changed', title: 'one record changed', of: changed, to: fresh, ...budgetOf('changed') },
    {
      id: 'changed',
      title: 'one record changed, files written',
      of: changed,
      yardstick: 'record, page, five that tell of it',
      unit: 'files',
      result: ({ written }) => written ?? Number.NaN,
      budget: FILES_OF_A_CHANGE,
    },
    {
      id: 'changed',
      title: 'one record changed, instants without a file',
      of: at(scale, 'watched'),
      yardstick: 'a reader in a loop',
      unit: 'instants',
      result: ({ missing }) => missing ?? Number.NaN,
      budget: 0,
    },
    { ...ratio, id: 'git', title: 'nothing changed', of: unchanged, to: at(scale, 'git status') },
    {
      ...ratio,
      id: 'flush',
      title: 'fresh folder, on disk and flushed',
      of: at(scale, 'on disk'),
      to: at(scale, 'tar x, sync -f'),
    },
    { ...ratio, id: 'csv', title: 'from tables', of: at(scale, 'csv'), to: fresh, ...budgetOf('csv') },
    {
      ...ratio,
      id: 'downloads',
      title: 'with bulk files, packed',
      of: at(scale, 'with bulk files'),
      to: fresh,
    },
  ];
  return rows.map((row) => ({ ...row, scale }));
}

/** The time for a record at one scale and at the next. */
export function growthRow(
  from: { scale: number; records: number },
  to: { scale: number; records: number },
): Row {
  return {
    id: 'growth',
    title: 'fresh folder, time for a record',
    scale: to.scale,
    of: at(to.scale, 'fresh'),
    to: at(from.scale, 'fresh'),
    unit: '×',
    result: (large, small) => seconds(large) / to.records / (seconds(small) / from.records),
    budget: 1.2,
  };
}

export function fetchRows({ latency, concurrency }: { latency: number; concurrency: number }): Row[] {
  const cold = 'rest, empty cache';
  const distant = `rest, ${latency} ms`;
  return [
    { ...ratio, id: 'rest', title: cold, of: cold, to: 'minimal script', budget: 1.5 },
    {
      id: 'latency',
      title: `${distant}, ${concurrency} connections`,
      of: distant,
      yardstick: `requests ÷ ${concurrency} × ${latency} ms`,
      unit: '×',
      result: (of) => (seconds(of) * concurrency * 1000) / ((of.requests ?? Number.NaN) * latency),
      budget: 1.2,
    },
    {
      ...ratio,
      id: 'editions',
      title: 'rest, empty cache, upstream with editions',
      of: 'rest, empty cache, editions',
      to: cold,
      budget: 1.03,
    },
    {
      ...ratio,
      id: 'warm',
      title: 'rest, cached, same edition',
      of: 'rest, same edition',
      to: cold,
      budget: 0.35,
    },
    {
      id: 'warm',
      title: 'rest, cached, same edition, requests',
      of: 'rest, same edition',
      yardstick: 'for the edition',
      unit: 'requests',
      result: ({ requests }) => requests ?? Number.NaN,
      budget: 1,
    },
    {
      ...ratio,
      id: 'warm',
      title: 'rest, cached, new edition, nothing changed',
      of: 'rest, new edition',
      to: cold,
      budget: 0.7,
    },
    {
      ...ratio,
      id: 'warm',
      title: 'rest, cached, no edition',
      of: 'rest, no edition',
      to: cold,
      budget: 0.6,
    },
    { ...ratio, id: 'curl', title: cold, of: cold, to: 'curl --parallel' },
  ];
}

export const startRow: Row = {
  ...ratio,
  id: 'start',
  title: 'gamedata --help',
  of: 'gamedata --help',
  to: 'node -e 0',
  budget: 1.7,
};

/** Rows whose subjects were not measured are omitted. */
export function evaluate(rows: readonly Row[], summaries: ReadonlyMap<string, Summary>): Result[] {
  return rows.flatMap(({ id, title, scale, of, to, yardstick, unit, result, budget }): Result[] => {
    const measured = summaries.get(of);
    const other = to === undefined ? measured : summaries.get(to);
    if (!measured || !other) return [];
    const value = result(measured, other);
    return [
      {
        id,
        title,
        scale,
        measured,
        yardstick: yardstick ?? to ?? '',
        other: to === undefined ? undefined : other,
        result: value,
        unit,
        budget,
        kept: budget === undefined || value <= budget,
      },
    ];
  });
}
