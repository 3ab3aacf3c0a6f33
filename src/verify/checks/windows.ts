/**
 * Checks of limit and offset. Each query must return a plain slice of the crawled list, with links as in the contract; a host
 * that cannot serve a window has to say so, and must never serve another one instead.
 */

import { type Kind, kindNames } from '../../contract/kinds.ts';
import { show } from '../../contract/parse.ts';
import { linkHeader, listPage, listPath } from '../../contract/paths.ts';
import { pageSchemas } from '../../contract/served.ts';
import { type Integer, PAGE_SIZE, pageOffsets, type Window } from '../../contract/windows.ts';
import { MAX_BODY_BYTES } from '../../http/body.ts';
import type { ProbeRequest, ProbeResponse } from '../../http/probe.ts';
import { type Check, checkEach, endpoints, errorProblem, type VerifyContext } from './check.ts';

/** A query of a list, and the window that it selects. */
type Case = readonly [query: string, limit: Integer, offset: Integer];

interface WindowRequest extends ProbeRequest {
  readonly kind: Kind;
  readonly window: Window;
}

/** Of a record in a list: its name and slug have at most 200 characters each. */
const MAX_RECORD_BYTES = 2048;
const MAX_WINDOW_BYTES = 64 * 1024 * 1024;

/** A check of queries of both lists. */
const windowCheck = (
  casesOf: (count: number) => readonly Case[],
  problemOf: (response: ProbeResponse, request: WindowRequest, context: VerifyContext) => string | undefined,
): Check =>
  checkEach(
    ({ lists }) =>
      kindNames.flatMap((kind) =>
        casesOf(lists[kind].count).map(([query, limit, offset]): WindowRequest => {
          const more = Math.max(0, Math.min(Number(limit), lists[kind].records.length) - PAGE_SIZE);
          const maxBytes = Math.min(MAX_BODY_BYTES + more * MAX_RECORD_BYTES, MAX_WINDOW_BYTES);
          const path = listPath(kind) + (query && `?${query}`);
          return { path, kind, window: { limit, offset }, maxBytes };
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

/** The first, the second and the last page, requested in every possible way. */
function builtCases(count: number): Case[] {
  const offsets = pageOffsets(count);
  return [...new Set([0, offsets[1] ?? 0, offsets.at(-1) ?? 0])].flatMap((offset) =>
    ['api', 'json'].flatMap((format) =>
      arrangements([`format=${format}`, `limit=${PAGE_SIZE}`, `offset=${offset}`]).map((pairs): Case => {
        const query = pairs.join('&');
        return [query, PAGE_SIZE, query.includes('offset') ? offset : 0];
      }),
    ),
  );
}

function unbuiltCases(count: number): Case[] {
  const past = (pageOffsets(count).at(-1) ?? 0) + PAGE_SIZE;
  return [
    ['limit=20', 20, 0],
    ['limit=20&offset=100', 20, 100],
    ['format=api&limit=20&offset=0', 20, 0],
    ...['limit=0', 'limit=-1', 'limit=abc', 'limit=', 'limit=0100', 'limit=1e2'].map(asFirstPage),
    ['offset=50', 100, 50],
    ['limit=100&offset=50', 100, 50],
    ['offset=0100', 100, 100],
    ...['offset=-100', 'offset=abc', 'offset='].map(asFirstPage),
    [`offset=${past}`, 100, past],
    [`format=api&limit=100&offset=${past}`, 100, past],
    ['offset=100000000', 100, 100_000_000],
    ...['OFFSET=100', 'Limit=20', 'utm=1'].map(asFirstPage),
    ['offset=%31%30%30', 100, 100],
    ['offset=0&offset=100', 100, 100],
    ['limit=100&limit=20', 20, 0],
    ['utm=1&offset=100', 100, 100],
  ];
}

const asFirstPage = (query: string): Case => [query, PAGE_SIZE, 0];

/** Any value: an integer is an optional sign and digits, anything else counts as missing. */
function anyCases(count: number): Case[] {
  const huge = 999_999_999_999_999_999_999_999_999_999n;
  const limits = [1, 7, 99, 101, 250, count - 1, count, count + 1, 100_000];
  const offsets = [1, 50, 99, 101, 150, count - 100, count - 1, count, count + 1, 1_000_000_000];
  // Not a number, or out of range: they count as 100 or 0, like a missing parameter.
  const invalidLimits = '0 -1 abc 1.5 1e3 0x10 1_0 +5 5%20 %EF%BC%95 %C2%B2'.split(' ');
  const invalidOffsets = '-1 abc 1.5 -0'.split(' ');
  const cases: Case[] = [
    ...limits.map((limit): Case => [`limit=${limit}`, limit, 0]),
    ...offsets.map((offset): Case => [`offset=${offset}`, 100, offset]),
    ['limit=10&offset=5', 10, 5],
    ['format=json&offset=95&limit=10', 10, 95],
    ['limit=3&offset=199&format=api', 3, 199],
    [`limit=5&offset=${huge}`, 5, huge],
    [`limit=${huge}`, huge, 0],
    [`limit=${'9'.repeat(4301)}`, 100, 0],
    ...['5', '005', '%2B5'].map((five): Case => [`limit=${five}`, 5, 0]),
    ...['', ...invalidLimits].map((limit): Case => [`limit=${limit}&offset=30`, 100, 30]),
    ...['', ...invalidOffsets].map((offset): Case => [`limit=7&offset=${offset}`, 7, 0]),
    ['limit=3;offset=2', 100, 0],
    ['LIMIT=3&unknown=1&limit=4', 4, 0],
  ];
  return cases.filter(([, limit, offset]) => limit > 0 && offset >= 0);
}

const repeatedCases: readonly Case[] = [
  ['limit=10&limit=20', 20, 0],
  ['limit=20&limit=abc', 100, 0],
  ['offset=10&offset=20', 100, 20],
  ['offset=100&offset=0', 100, 0],
  ['format=xml&format=json', 100, 0],
];
const checkRepeated = windowCheck(() => repeatedCases, windowProblem);
const checkRepeatedFormats = checkEach(
  (context) => endpoints(context).map((path) => ({ path: `${path}?format=json&format=xml` })),
  (response) => errorProblem(response, 404),
);

function linkProblem(response: ProbeResponse, { kind, window }: WindowRequest): string | undefined {
  const page = pageSchemas[kind].safeParse(response.json).data;
  if (response.status !== 200 || !page) return `got status ${response.status}, expected a list page`;
  const got = response.header('link');
  const expected = linkHeader(kind, window.limit, page);
  return got === expected ? undefined : `got Link ${got}, expected ${expected}`;
}

export const windowsChecks = {
  parameters: windowCheck(builtCases, windowProblem),
  'no-wrong-page': windowCheck(unbuiltCases, rightOrRefused),
  'encoded-names': windowCheck(
    () => [
      ['o%66fset=100', 100, 100],
      ['%6Fffset=100&%6Cimit=100', 100, 100],
      ['l%69mit=20', 20, 0],
    ],
    rightOrRefused,
  ),
  link: windowCheck((count) => {
    const last = pageOffsets(count).at(-1) ?? 0;
    return [asFirstPage(''), [`offset=${last}`, PAGE_SIZE, last], ['limit=7&offset=7', 7, 7]];
  }, linkProblem),
  windows: windowCheck(anyCases, windowProblem),
  async repeated(context, fail) {
    await checkRepeated(context, fail);
    await checkRepeatedFormats(context, fail);
  },
} satisfies Record<string, Check>;
