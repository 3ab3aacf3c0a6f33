/** The table of upstream faults and how a build ends. docs/FAULTS.md summarizes it. */

import * as data from './fault-data.ts';
import * as responses from './fault-responses.ts';
import type { Fault, Group, Row } from './fault-row.ts';

const rows: Record<Group, readonly Row[]> = { ...responses, ...data };

const defaults: Partial<Record<Group, Partial<Fault>>> = {
  connection: { retried: true },
  edition: { held: true },
  list: { at: 'lists' },
  ...{ id: { at: 'records' }, slug: { at: 'records' }, name: { at: 'records' }, icon: { at: 'items' } },
};

export const faults: readonly Fault[] = (Object.keys(rows) as Group[]).flatMap((group) =>
  rows[group].map((row) => ({ group, at: 'anywhere', retried: false, ...defaults[group], ...row })),
);

/** The message of a failed build, with words in angle brackets as in the table. */
export function describeFailure(
  { outcome, retried, at, everywhere }: Fault,
  isList = at === 'lists',
): string {
  if (outcome.code === 'built') return '';
  const { code, problem } = outcome;
  if (code === 'upstream')
    return `GET ${everywhere ? '<upstream>/' : '<url>'}: ${problem}${retried ? ' (2 attempts)' : ''}`;
  if (problem.includes(' › url: ')) return problem;
  if (code === 'guard') return `<kind>: ${problem}`;
  const where = isList || at === 'lists' ? '<kind> › list' : '<kind> › <slug> (<id>)';
  return `${where}${problem.startsWith('›') ? ' ' : ': '}${problem}`;
}
