/** Checks of limit and offset on hosts that run code: any value. An integer is an optional sign and digits. */

import { kindNames } from '../../contract/kinds.ts';
import type { Window } from '../../contract/windows.ts';
import { type Check, checkEach, endpoints, errorProblem } from '../context.ts';
import { type WindowCase, type WindowRequest, windowProblem, windowRequest } from '../windows.ts';

/** Values that count as 100 or 0, like a missing parameter: not a number, or out of range. */
const invalidLimits = ['0', '-1', 'abc', '', '1.5', '1e3', '0x10', '1_0', ' 5', '5 ', '５', '²'];
const invalidOffsets = ['-1', 'abc', '', '1.5', '-0'];

/** Spellings of 5. */
const fives = ['5', '005', '%2B5'];

const window = (limit: number | bigint, offset: number | bigint): Window => ({ limit, offset });

function cases(count: number): WindowCase[] {
  const huge = 999_999_999_999_999_999_999_999_999_999n;
  const limits = [1, 7, 99, 101, 250, count - 1, count, count + 1, 100_000];
  const offsets = [1, 50, 99, 101, 150, count - 100, count - 1, count, count + 1, 1_000_000_000];
  return [
    ...limits.map((limit): WindowCase => [`limit=${limit}`, window(limit, 0)]),
    ...offsets.map((offset): WindowCase => [`offset=${offset}`, window(100, offset)]),
    ['limit=10&offset=5', window(10, 5)],
    ['format=json&offset=95&limit=10', window(10, 95)],
    ['limit=3&offset=199&format=api', window(3, 199)],
    [`limit=5&offset=${huge}`, window(5, huge)],
    [`limit=${huge}`, window(huge, 0)],
    [`limit=${'9'.repeat(4301)}`, window(100, 0)],
    ...fives.map((five): WindowCase => [`limit=${five}`, window(5, 0)]),
    ...invalidLimits.map(
      (limit): WindowCase => [`limit=${encodeURIComponent(limit)}&offset=30`, window(100, 30)],
    ),
    ...invalidOffsets.map(
      (offset): WindowCase => [`limit=7&offset=${encodeURIComponent(offset)}`, window(7, 0)],
    ),
    ['limit=3;offset=2', window(100, 0)],
    ['LIMIT=3&unknown=1&limit=4', window(4, 0)],
  ];
}

const windowCheck = (casesOf: (count: number) => readonly WindowCase[]): Check =>
  checkEach<WindowRequest>(
    ({ lists }) =>
      kindNames.flatMap((kind) => casesOf(lists[kind].count).map((one) => windowRequest(lists, kind, one))),
    windowProblem,
  );

const checkWindows = windowCheck((count) =>
  cases(count).filter(([, { limit, offset }]) => limit > 0 && offset >= 0),
);

const checkRepeatedWindows = windowCheck(() => [
  ['limit=10&limit=20', window(20, 0)],
  ['limit=20&limit=abc', window(100, 0)],
  ['offset=10&offset=20', window(100, 20)],
  ['offset=100&offset=0', window(100, 0)],
  ['format=xml&format=json', window(100, 0)],
]);

const checkRepeatedFormats = checkEach(
  (context) => endpoints(context).map((path) => ({ path: `${path}?format=json&format=xml` })),
  (response) => errorProblem(response, 404),
);

const checkRepeated: Check = async (context, fail) => {
  await checkRepeatedWindows(context, fail);
  await checkRepeatedFormats(context, fail);
};

export const windowsChecks = { windows: checkWindows, repeated: checkRepeated };
