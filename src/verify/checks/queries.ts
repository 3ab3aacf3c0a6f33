/** Checks of queries on every host: parameters are honored, and no request returns the wrong page. */

import { kindNames } from '../../contract/kinds.ts';
import { listPath, recordPath } from '../../contract/paths.ts';
import { PAGE_SIZE, pageOffsets, type Window } from '../../contract/windows.ts';
import type { ProbeRequest } from '../../http/probe.ts';
import { type Check, checkEach, errorProblem, type VerifyContext } from '../context.ts';
import { type WindowCase, type WindowRequest, windowProblem, windowRequest } from '../windows.ts';

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

/** The first, the second and the last page, requested in every possible way. */
const checkParameters = checkEach<WindowRequest>(
  ({ lists }) =>
    kindNames.flatMap((kind) => {
      const offsets = pageOffsets(lists[kind].count);
      return [...new Set([0, offsets[1] ?? 0, offsets.at(-1) ?? 0])].flatMap((offset) =>
        ['api', 'json'].flatMap((format) =>
          arrangements([
            ['format', format],
            ['limit', PAGE_SIZE],
            ['offset', offset],
          ]).map((pairs) => ({
            path: `${listPath(kind)}${write(pairs)}`,
            kind,
            window: { limit: PAGE_SIZE, offset: pairs.some(([name]) => name === 'offset') ? offset : 0 },
          })),
        ),
      );
    }),
  windowProblem,
);

const window = (limit: number, offset: number): Window => ({ limit, offset });

const unbuilt = (count: number): WindowCase[] => {
  const past = (pageOffsets(count).at(-1) ?? 0) + PAGE_SIZE;
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

/** The same with percent-encoded names. */
const encodedNames = (): WindowCase[] => [
  ['o%66fset=100', window(PAGE_SIZE, 100)],
  ['%6Fffset=100&%6Cimit=100', window(PAGE_SIZE, 100)],
  ['l%69mit=20', window(20, 0)],
];

/** A host that cannot serve a window has to say so: it must never serve another one instead. */
const rightOrRefused = (casesOf: (count: number) => readonly WindowCase[]): Check =>
  checkEach<WindowRequest>(
    ({ lists }) =>
      kindNames.flatMap((kind) => casesOf(lists[kind].count).map((one) => windowRequest(lists, kind, one))),
    (response, request, context) =>
      response.status === 200 ? windowProblem(response, request, context) : errorProblem(response, 400, 404),
  );

const checkNoWrongPage = rightOrRefused(unbuilt);
const checkEncodedNames = rightOrRefused(encodedNames);

const notFound = (requestsOf: (context: VerifyContext) => readonly ProbeRequest[]): Check =>
  checkEach(requestsOf, (response) => errorProblem(response, 404));

/** The slug of the first record of a kind. */
const knownSlug = ({ lists }: VerifyContext, kind: (typeof kindNames)[number]): string =>
  lists[kind].records[0]?.slug ?? 'none';

const checkUnknownSlug = notFound((context) =>
  kindNames.flatMap((kind) => [
    { path: recordPath(kind, 'no-such-slug') },
    { path: `${recordPath(kind, 'no-such-slug')}?format=api` },
    { path: recordPath(kind, knownSlug(context, kind).toUpperCase()) },
    { path: recordPath(kind, '0') },
  ]),
);

const checkUnknownPath = notFound((context) => [
  { path: '/api/gamedata/no-such-kind/' },
  { path: `${listPath('move')}offset/100/` },
  { path: `${recordPath('move', knownSlug(context, 'move'))}more/` },
]);

const unknownFormats = ['xml', 'API', 'html'];
const withUnknownFormats = (path: string): ProbeRequest[] =>
  unknownFormats.map((format) => ({ path: `${path}?format=${format}` }));

const checkUnknownFormat = notFound(() => kindNames.flatMap((kind) => withUnknownFormats(listPath(kind))));

const checkUnknownRecordFormat = notFound((context) =>
  kindNames.flatMap((kind) => withUnknownFormats(recordPath(kind, knownSlug(context, kind)))),
);

export const queriesChecks = {
  parameters: checkParameters,
  'no-wrong-page': checkNoWrongPage,
  'unknown-slug': checkUnknownSlug,
  'unknown-path': checkUnknownPath,
  'unknown-format': checkUnknownFormat,
  'unknown-record-format': checkUnknownRecordFormat,
  'encoded-names': checkEncodedNames,
};
