/**
 * Checks of limit and offset. Each query must return a plain slice of the crawled list, with links as in the contract; a host
 * that cannot serve a window has to say so, and must never serve another one instead.
 */

import { type Kind, kindNames } from '../../contract/kinds.ts';
import { show } from '../../contract/parse.ts';
import { listPage, listPath } from '../../contract/paths.ts';
import { PAGE_SIZE, pageOffsets, readWindow, type Window } from '../../contract/windows.ts';
import { MAX_BODY_BYTES } from '../../http/body.ts';
import type { ProbeRequest, ProbeResponse } from '../../http/probe.ts';
import { type Check, checkEach, endpoints, errorProblem, toRequests, type VerifyContext } from './check.ts';

interface WindowRequest extends ProbeRequest {
  readonly kind: Kind;
  readonly window: Window;
}

/** Of a record in a list: its name and slug have at most 200 characters each. */
const MAX_RECORD_BYTES = 2048;
const MAX_WINDOW_BYTES = 64 * 1024 * 1024;

/** A check of queries of both lists. */
const windowCheck = (
  queriesOf: (count: number) => readonly string[],
  problemOf: (response: ProbeResponse, request: WindowRequest, context: VerifyContext) => string | undefined,
): Check =>
  checkEach(
    ({ lists }) =>
      kindNames.flatMap((kind) =>
        queriesOf(lists[kind].count).map((query): WindowRequest => {
          const window = readWindow(new URLSearchParams(query));
          const more = Math.max(0, Math.min(Number(window.limit), lists[kind].records.length) - PAGE_SIZE);
          const maxBytes = Math.min(MAX_BODY_BYTES + more * MAX_RECORD_BYTES, MAX_WINDOW_BYTES);
          return { path: listPath(kind) + (query && `?${query}`), kind, window, maxBytes };
        }),
      ),
    problemOf,
  );

/** What is wrong with a response that should be this window. */
function windowProblem(
  { status, json }: ProbeResponse,
  { kind, window, path }: WindowRequest,
  { linkBase, lists }: VerifyContext,
): string | undefined {
  if (status !== 200) return `got status ${status}, expected 200`;
  const { count, records } = lists[kind];
  const got = (json ?? {}) as Partial<Record<string, unknown>>;
  // Only built pages have files to link to.
  const isBuilt = window.limit === PAGE_SIZE && BigInt(window.offset) % BigInt(PAGE_SIZE) === 0n;
  const base = isBuilt ? linkBase : { ...linkBase, links: 'query' as const };
  // Where code runs, links keep the format of the request; those of built pages are the same for all.
  const isKept = path.includes('format=json') && /\?format=json/.test(`${got.next}${got.previous}`);
  const from = Math.min(Number(window.offset), count);
  const wanted = records.slice(from, Math.min(from + Number(window.limit), count));
  const page = { window, count, results: wanted };
  const { results: _, ...expected } = listPage(base, kind, page, isKept ? 'json' : 'api');
  for (const [key, value] of Object.entries(expected))
    if (got[key] !== value) return `got ${key} ${show(got[key])}, expected ${show(value)}`;
  const results = Array.isArray(got.results) ? got.results : [];
  if (JSON.stringify(results) === JSON.stringify(wanted)) return undefined;
  return `got ${results.length} records from id ${show(results[0]?.id)}, expected ${wanted.length} from id ${show(wanted[0]?.id)}`;
}

const rightOrRefused: typeof windowProblem = (response, request, context) =>
  response.status === 200 ? windowProblem(response, request, context) : errorProblem(response, 400, 404);

/** Every order of every subset. */
function arrangements<T>(values: readonly T[]): T[][] {
  const longer = values.flatMap((value) =>
    arrangements(values.filter((other) => other !== value)).map((rest) => [value, ...rest]),
  );
  return [[], ...longer];
}

const lastOffset = (count: number): number => pageOffsets(count).at(-1) ?? 0;

/** The first, the second and the last page, requested in every possible way. */
const builtQueries = (count: number): string[] =>
  [...new Set([0, pageOffsets(count)[1] ?? 0, lastOffset(count)])].flatMap((offset) =>
    ['api', 'json'].flatMap((format) =>
      arrangements([`format=${format}`, `limit=${PAGE_SIZE}`, `offset=${offset}`]).map((pairs) =>
        pairs.join('&'),
      ),
    ),
  );

function unbuiltQueries(count: number): string[] {
  const past = lastOffset(count) + PAGE_SIZE;
  return [
    ...['limit=20', 'limit=20&offset=100', 'format=api&limit=20&offset=0'],
    ...['limit=0', 'limit=-1', 'limit=abc', 'limit=', 'limit=0100', 'limit=1e2'],
    ...['offset=50', 'limit=100&offset=50', 'offset=0100', 'offset=-100', 'offset=abc', 'offset='],
    ...[`offset=${past}`, `format=api&limit=100&offset=${past}`, 'offset=100000000'],
    ...['OFFSET=100', 'Limit=20', 'utm=1', 'offset=%31%30%30', 'offset=0&offset=100', 'limit=100&limit=20'],
    'utm=1&offset=100',
  ];
}

/** Any value: an integer is an optional sign and digits, anything else counts as missing. */
function anyQueries(count: number): string[] {
  const huge = '9'.repeat(30);
  const limits = [1, 7, 99, 101, 250, count - 1, count, count + 1, 100_000].filter((limit) => limit > 0);
  const offsets = [1, 50, 99, 101, 150, count - 100, count - 1, count, count + 1, 1_000_000_000];
  // Not a number, or out of range: they count as 100 or 0, like a missing parameter.
  const invalidLimits = ['', ...'0 -1 abc 1.5 1e3 0x10 1_0 +5 5%20 %EF%BC%95 %C2%B2'.split(' ')];
  return [
    ...[...limits, huge, '9'.repeat(4301), '5', '005', '%2B5'].map((limit) => `limit=${limit}`),
    ...offsets.filter((offset) => offset >= 0).map((offset) => `offset=${offset}`),
    ...['limit=10&offset=5', 'format=json&offset=95&limit=10', 'limit=3&offset=199&format=api'],
    `limit=5&offset=${huge}`,
    ...invalidLimits.map((limit) => `limit=${limit}&offset=30`),
    ...['', '-1', 'abc', '1.5', '-0'].map((offset) => `limit=7&offset=${offset}`),
    ...['limit=3;offset=2', 'LIMIT=3&unknown=1&limit=4'],
  ];
}

export const windowsChecks = {
  parameters: windowCheck(builtQueries, windowProblem),
  'no-wrong-page': windowCheck(unbuiltQueries, rightOrRefused),
  'encoded-names': windowCheck(
    () => ['o%66fset=100', '%6Fffset=100&%6Cimit=100', 'l%69mit=20'],
    rightOrRefused,
  ),
  windows: windowCheck(anyQueries, windowProblem),
  repeated: [
    windowCheck(
      () => [
        ...['limit=10&limit=20', 'limit=20&limit=abc', 'offset=10&offset=20', 'offset=100&offset=0'],
        'format=xml&format=json',
      ],
      windowProblem,
    ),
    checkEach(
      (context) => toRequests(endpoints(context).map((path) => `${path}?format=json&format=xml`)),
      (response) => errorProblem(response, 404),
    ),
  ],
};
