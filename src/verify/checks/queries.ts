/** Checks of queries on hosts that serve the built pages: what is asked for counts, and no request gets a wrong page. */

import { listPath, recordPath } from '../../contract/addresses.ts';
import { kindNames } from '../../contract/kinds.ts';
import { PAGE_SIZE, pageOffsets, type Window } from '../../contract/windows.ts';
import { askAll, type Check, type Examination, refusalProblem } from '../examination.ts';
import { windowProblem } from '../windows.ts';

type Pair = readonly [name: string, value: string | number];

/** Every order of every subset. */
function arrangements(pairs: readonly Pair[]): Pair[][] {
  return [
    [],
    ...pairs.flatMap((pair) =>
      arrangements(pairs.filter((other) => other !== pair)).map((rest) => [pair, ...rest]),
    ),
  ];
}

const write = (pairs: readonly Pair[]): string =>
  pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`;

/** The first, the second and the last page, asked for in every way that means them. */
export const checkParameters: Check = async (examination, fail) => {
  for (const kind of kindNames) {
    const offsets = pageOffsets(examination.lists[kind].count);
    const asked = new Set([0, offsets[1] ?? 0, offsets.at(-1) ?? 0]);
    const questions = [...asked].flatMap((offset) =>
      ['api', 'json'].flatMap((format) =>
        arrangements([
          ['format', format],
          ['limit', PAGE_SIZE],
          ['offset', offset],
        ]).map((pairs) => ({
          path: `${listPath(kind)}${write(pairs)}`,
          window: { limit: PAGE_SIZE, offset: pairs.some(([name]) => name === 'offset') ? offset : 0 },
        })),
      ),
    );
    await askAll(examination, questions, (reply, { window }) => {
      const problem = windowProblem(examination, { kind, window, reply });
      if (problem !== undefined) fail(reply, problem);
    });
  }
};

/** Query → the window that it means. */
const unbuilt = ({ count }: { count: number }): [query: string, window: Window][] => {
  const past = (pageOffsets(count).at(-1) ?? 0) + PAGE_SIZE;
  const window = (limit: number, offset: number): Window => ({ limit, offset });
  return [
    ['limit=20', window(20, 0)],
    ['limit=20&offset=100', window(20, 100)],
    ['format=api&limit=20&offset=0', window(20, 0)],
    ['limit=0', window(100, 0)],
    ['limit=-1', window(100, 0)],
    ['limit=abc', window(100, 0)],
    ['limit=', window(100, 0)],
    ['limit=0100', window(100, 0)],
    ['limit=1e2', window(100, 0)],
    ['offset=50', window(100, 50)],
    ['limit=100&offset=50', window(100, 50)],
    ['offset=0100', window(100, 100)],
    ['offset=-100', window(100, 0)],
    ['offset=abc', window(100, 0)],
    ['offset=', window(100, 0)],
    [`offset=${past}`, window(100, past)],
    [`format=api&limit=100&offset=${past}`, window(100, past)],
    ['offset=100000000', window(100, 100_000_000)],
    ['OFFSET=100', window(100, 0)],
    ['Limit=20', window(100, 0)],
    ['offset=%31%30%30', window(100, 100)],
    ['offset=0&offset=100', window(100, 100)],
    ['limit=100&limit=20', window(20, 0)],
    ['utm=1', window(100, 0)],
    ['utm=1&offset=100', window(100, 100)],
  ];
};

/** The same with names that have to be decoded first. */
const encodedNames = (): [query: string, window: Window][] => [
  ['o%66fset=100', { limit: PAGE_SIZE, offset: 100 }],
  ['%6Fffset=100&%6Cimit=100', { limit: PAGE_SIZE, offset: 100 }],
  ['l%69mit=20', { limit: 20, offset: 0 }],
];

/** A host that cannot make a window says so; what it must never do is answer with another one. */
function rightOrRefusedCheck(casesOf: (list: { count: number }) => [query: string, window: Window][]): Check {
  return async (examination, fail) => {
    for (const kind of kindNames) {
      const questions = casesOf(examination.lists[kind]).map(([query, window]) => ({
        path: `${listPath(kind)}?${query}`,
        window,
      }));
      await askAll(examination, questions, (reply, { window }) => {
        const problem =
          reply.status === 200
            ? windowProblem(examination, { kind, window, reply })
            : refusalProblem(reply, [400, 404]);
        if (problem !== undefined) fail(reply, problem);
      });
    }
  };
}

export const checkNoWrongPage = rightOrRefusedCheck(unbuilt);
export const checkEncodedNames = rightOrRefusedCheck(encodedNames);

/** A check that all these are refused with 404. */
function notFoundCheck(
  questions: (examination: Examination) => { path: string; headers?: Record<string, string> }[],
): Check {
  return (examination, fail) =>
    askAll(examination, questions(examination), (reply) => {
      const problem = refusalProblem(reply, [404]);
      if (problem !== undefined) fail(reply, problem);
    });
}

/** The slug of the first record of a kind. */
const knownSlug = ({ lists }: Examination, kind: (typeof kindNames)[number]): string =>
  lists[kind].records[0]?.slug ?? 'none';

export const checkUnknownSlug = notFoundCheck((examination) =>
  kindNames.flatMap((kind) => [
    { path: recordPath(kind, 'no-such-slug') },
    { path: `${recordPath(kind, 'no-such-slug')}?format=api` },
    { path: recordPath(kind, 'no-such-slug'), headers: { accept: 'text/html' } },
    { path: recordPath(kind, knownSlug(examination, kind).toUpperCase()) },
    { path: recordPath(kind, '0') },
  ]),
);

export const checkUnknownPath = notFoundCheck((examination) => [
  { path: '/api/gamedata/no-such-kind/' },
  { path: `${listPath('move')}offset/100/` },
  { path: `${recordPath('move', knownSlug(examination, 'move'))}more/` },
]);

const unknownFormats = ['xml', 'API', 'html'];

export const checkUnknownFormat = notFoundCheck(() =>
  kindNames.flatMap((kind) =>
    unknownFormats.map((format) => ({ path: `${listPath(kind)}?format=${format}` })),
  ),
);

export const checkUnknownRecordFormat = notFoundCheck((examination) =>
  kindNames.flatMap((kind) =>
    unknownFormats.map((format) => ({
      path: `${recordPath(kind, knownSlug(examination, kind))}?format=${format}`,
    })),
  ),
);
