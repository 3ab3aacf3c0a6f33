import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type BuildOptions, resolveBuild } from '../../../src/cli/commands/build.ts';
import type { Kind } from '../../../src/contract/kinds.ts';
import { GamedataError } from '../../../src/errors.ts';
import { listFiles } from '../../../src/files.ts';
import { makeSite } from '../../../src/pipeline/make-site.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { stateNumber, withoutEdition } from '../../support/editions.ts';
import { type Fault, faults } from '../../support/faults.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { inFolder } from '../../support/folders.ts';
import { tinyUpstream, upstreamOf } from '../../support/upstream-data.ts';
import { startUpstream } from '../../support/upstream-server.ts';

/** The faulty response: a list without an id, or a record. */
interface Place {
  readonly name: string;
  readonly kind: Kind;
  readonly id?: number;
}
const places: readonly Place[] = [
  { name: 'the first list', kind: 'move' },
  { name: 'the second list', kind: 'item' },
  { name: 'the first record', kind: 'move', id: 1 },
  { name: 'a middle record', kind: 'item', id: 1 },
  { name: 'the last record', kind: 'item', id: 3 },
];

/** A retry that succeeds does not depend on the place, so two places are enough. */
const listPlaces = ({ at }: Fault, times: number): readonly Place[] =>
  places.filter(({ name, kind, id }) => {
    if (times === 1 && !['the first list', 'the last record'].includes(name)) return false;
    if (at === undefined) return true;
    return at === 'lists'
      ? id === undefined
      : id !== undefined && (at === 'records' || kind === 'item');
  });

const RETRIES = 1;
/** In milliseconds, with time for other trials on the same event loop. */
const TIMEOUTS = { headers: 1000, body: 1000, total: 3000 };

/** Builds with timeouts that no option sets, and returns the failure. */
async function runBuild(options: BuildOptions, timeouts?: typeof TIMEOUTS) {
  const site = { baseUrl: 'https://example.test', downloads: false } as const;
  const rest = { ...site, source: 'rest', concurrency: 1, retries: RETRIES } as const;
  try {
    const { source, ...resolved } = resolveBuild({ ...rest, ...options }, {});
    await makeSite({ ...resolved, source: { ...source, retryBaseMs: 1, timeouts } });
    return undefined;
  } catch (error) {
    if (error instanceof GamedataError)
      return { code: error.code as string, message: error.message };
    return { code: 'bug', message: String(error) };
  }
}

/**
 * Builds a site, and builds it again with the fault at its place. Returns everything that differs from the table.
 *
 * @param times the number of faulty responses
 */
const tryFault = (fault: Fault, { kind, id }: Place, times: number): Promise<string[]> =>
  inFolder(async (parent) => {
    const answers = tinyUpstream(3, 3);
    const data = upstreamOf(answers);
    const [record] = answers[kind].slice((id ?? 1) - 1);
    if (!record) throw new Error('no such record');
    const local = id === undefined ? `/${kind}/?limit=100000&offset=0` : `/${kind}/${id}/`;
    let [begun, sentFaults] = [false, 0];
    const server = await startUpstream(data, {
      ...(fault.hasEditions && { stateOf: () => stateNumber(begun ? 3 : 2, data) }),
      fault({ url = '', headers }, response) {
        const asked = fault.isCached ? url : withoutEdition(url);
        if (!begun || !fault.respond || asked !== `/api/v2${local}` || sentFaults++ >= times)
          return false;
        const results = answers[kind].map(({ name, id }) => ({
          name,
          url: `${server.url}/${kind}/${id}/`,
        }));
        const own = JSON.stringify(id === undefined ? { count: results.length, results } : record);
        const isConditional = headers['if-none-match'] !== undefined;
        fault.respond({
          response,
          own,
          isConditional,
          kind,
          answers,
          stop: () => void server.close(),
        });
        return true;
      },
    });
    const out = path.join(parent, 'site');
    const cache: BuildOptions['cache'] = fault.withoutCache ? false : path.join(parent, 'cache');
    try {
      // The bundled data set has more records.
      const first = await runBuild({ upstream: server.url, out, cache, maxShrink: 100 });
      if (first) throw new Error(`the first build failed: ${first.message}`);
      const before = JSON.stringify([...fingerprint(out)]);
      const sent = server.log.length;
      fault.change?.(record);
      begun = true;
      const options = { upstream: server.url, out, cache };
      const failure = await runBuild(options, fault.hasTimeout ? TIMEOUTS : undefined);
      const isSame = JSON.stringify([...fingerprint(out)]) === before;
      const requested = server.log.slice(sent).map((request) => request.path);
      const words = { url: server.url + local, kind, slug: record.name, id: `${record.id}` };
      const mustFail = fault.code !== 'built' && (times === Infinity || !fault.isRetried);
      const isExpected = failure
        ? mustFail &&
          failure.code === fault.code &&
          matches(fault, failure.message, words, id === undefined)
        : !mustFail;
      return [
        ...readdirSync(parent).filter((name) => name !== 'cache' && name !== 'site'),
        ...verifyFolder(out).problems.map(({ file, problem }) => `${file} ${problem}`),
        ...(isExpected
          ? []
          : [failure ? `failed with ${failure.code}, ${failure.message}` : 'was built']),
        ...(failure
          ? isSame
            ? []
            : ['the old site was changed']
          : findSiteProblems(fault, out, isSame)),
        ...countRequests(fault, local, requested),
      ];
    } finally {
      await server.close();
    }
  });

function matches(
  { code, problem = '', isRetried, isGlobal, isPermanent }: Fault,
  message: string,
  words: Readonly<Record<string, string>>,
  isList: boolean,
): boolean {
  if (problem instanceof RegExp) return problem.test(message);
  const where = isList ? '<kind> › list' : '<kind> › <slug> (<id>)';
  const expected: Record<string, string> = {
    upstream: `GET ${isGlobal ? '<upstream>/' : '<url>'}: ${problem}${isRetried ? ' (2 attempts)' : ''}`,
    guard: `<kind>: ${problem}`,
    data: problem.includes(' › url: ')
      ? problem
      : `${where}${problem.startsWith('›') ? ' ' : ': '}${problem}`,
  };
  const pattern = (expected[code] ?? '').split(/<(\w+)>/).map((text, at) => {
    // When nothing responds any more, another request may fail first.
    const isAny = at % 2 === 1 && (words[text] === undefined || (text === 'url' && isPermanent));
    const literal = at % 2 === 1 ? (words[text] ?? '') : text;
    return isAny ? '\\S+' : literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${pattern.join('')}$`).test(message);
}

function findSiteProblems({ contains }: Fault, out: string, isSame: boolean): string[] {
  if (contains === undefined) return isSame ? [] : ['the site was changed'];
  const api = path.join(out, 'api');
  const isFound = listFiles(api).some((file) =>
    readFileSync(path.join(api, file), 'utf8').includes(contains),
  );
  return isFound ? [] : [`no record contains ${contains}`];
}

function countRequests(fault: Fault, local: string, requested: readonly string[]): string[] {
  if (!fault.respond || fault.isPermanent || fault.isGlobal) return [];
  const expected = fault.isRetried ? RETRIES + 1 : 1;
  const paths = requested.map((path) => (fault.isRetried ? withoutEdition(path) : path));
  const count = paths.filter((path) => path === `/api/v2${local}`).length;
  return count === expected ? [] : [`was requested ${count} times, expected ${expected}`];
}

const trials = faults.flatMap((fault) => {
  const counts = fault.isRetried && !fault.isPermanent ? [Infinity, 1] : [Infinity];
  return counts.map((times) => ({ name: fault.name, fault, times }));
});
it.each(trials)(
  'reacts as listed in the table to $name, $times times',
  async ({ fault, times }) => {
    const found = listPlaces(fault, times).map(async (place) => {
      const problems = await tryFault(fault, place, times);
      return problems.map((problem) => `${place.name}: ${problem}`);
    });
    expect((await Promise.all(found)).flat()).toEqual([]);
  },
);
