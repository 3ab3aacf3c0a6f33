/** Checks of windows on hosts that run code: any limit and any offset, as the reference framework reads them. */

import { listPath, recordPath } from '../../contract/addresses.ts';
import { kindNames } from '../../contract/kinds.ts';
import type { Window } from '../../contract/windows.ts';
import { askAll, type Check, refusalProblem } from '../examination.ts';
import { windowProblem } from '../windows.ts';

/** What a query may say for 100 or for 0 besides leaving it out: whatever is no number, or is below what counts. */
const refusedLimits = ['0', '-1', 'abc', '', '1.5', '1e3', '0x10', '1__0', '_1', '²'];
const refusedOffsets = ['-1', 'abc', '', '1.5', '-0'];

/** Other ways to write 5. */
const fives = ['5', '005', '%2B5', '+5', '%205', '%EF%BC%95', '5%20'];

/** Query → the window that it means. */
function cases(count: number): [query: string, window: Window][] {
  const huge = 999_999_999_999_999_999_999_999_999_999n;
  return [
    ...[1, 7, 99, 101, 250, count - 1, count, count + 1, 100_000].map((limit): [string, Window] => [
      `limit=${limit}`,
      { limit, offset: 0 },
    ]),
    ...[1, 50, 99, 101, 150, count - 100, count - 1, count, count + 1, 1_000_000_000].map(
      (offset): [string, Window] => [`offset=${offset}`, { limit: 100, offset }],
    ),
    ['limit=10&offset=5', { limit: 10, offset: 5 }],
    ['format=json&offset=95&limit=10', { limit: 10, offset: 95 }],
    ['limit=3&offset=199&format=api', { limit: 3, offset: 199 }],
    [`limit=5&offset=${huge}`, { limit: 5, offset: huge }],
    [`limit=${huge}`, { limit: huge, offset: 0 }],
    [`limit=${'9'.repeat(4301)}`, { limit: 100, offset: 0 }],
    ['limit=1_0', { limit: 10, offset: 0 }],
    ...fives.map((five): [string, Window] => [`limit=${five}`, { limit: 5, offset: 0 }]),
    ...refusedLimits.map((limit): [string, Window] => [
      `limit=${encodeURIComponent(limit)}&offset=30`,
      { limit: 100, offset: 30 },
    ]),
    ...refusedOffsets.map((offset): [string, Window] => [
      `limit=7&offset=${encodeURIComponent(offset)}`,
      { limit: 7, offset: 0 },
    ]),
    ['limit=3;offset=2', { limit: 100, offset: 0 }],
    ['LIMIT=3&unknown=1&limit=4', { limit: 4, offset: 0 }],
  ];
}

function windowCheck(casesOf: (count: number) => [query: string, window: Window][]): Check {
  return async (examination, fail) => {
    for (const kind of kindNames) {
      const questions = casesOf(examination.lists[kind].count).map(([query, window]) => ({
        path: `${listPath(kind)}?${query}`,
        window,
      }));
      await askAll(examination, questions, (reply, { window }) => {
        const problem = windowProblem(examination, { kind, window, reply });
        if (problem !== undefined) fail(reply, problem);
      });
    }
  };
}

export const checkWindows = windowCheck((count) =>
  cases(count).filter(([, { limit, offset }]) => limit > 0 && offset >= 0),
);

const repeatedWindows = windowCheck(() => [
  ['limit=10&limit=20', { limit: 20, offset: 0 }],
  ['limit=20&limit=abc', { limit: 100, offset: 0 }],
  ['offset=10&offset=20', { limit: 100, offset: 20 }],
  ['offset=100&offset=0', { limit: 100, offset: 0 }],
  ['format=xml&format=json', { limit: 100, offset: 0 }],
]);

export const checkRepeated: Check = async (examination, fail) => {
  await repeatedWindows(examination, fail);
  const [move] = examination.lists.move.records;
  const paths = [listPath('move'), ...(move ? [recordPath('move', move.slug)] : [])];
  const questions = paths.map((path) => ({ path: `${path}?format=json&format=xml` }));
  await askAll(examination, questions, (reply) => {
    const problem = refusalProblem(reply, [404]);
    if (problem !== undefined) fail(reply, problem);
  });
};
