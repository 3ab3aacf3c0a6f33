import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type BuildOptions, resolveBuild } from '../../../src/cli/commands/build.ts';
import type { Kind } from '../../../src/contract/kinds.ts';
import { GamedataError } from '../../../src/errors.ts';
import { listFiles } from '../../../src/files.ts';
import { makeSite } from '../../../src/pipeline/make-site.ts';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { stateNumber, withoutBypass } from '../../support/editions.ts';
import { type Fault, faults } from '../../support/faults.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { inFolder } from '../../support/folders.ts';
import { findMemory } from '../../support/memory.ts';
import {
  type Answer,
  tinyUpstream,
  upstreamOf,
} from '../../support/upstream-data.ts';
import {
  startUpstream,
  type UpstreamServer,
} from '../../support/upstream-server.ts';

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
  { name: 'the last record', kind: 'item', id: 3 },
];

function listPlaces({ at }: Fault): readonly Place[] {
  return places.filter(({ kind, id }) => {
    const isList = id === undefined;
    if (at === 'lists') return isList;
    if (at === 'records') return !isList;
    if (at === 'items') return !isList && kind === 'item';
    return true;
  });
}

const ATTEMPTS = 5;

/**
 * Timeouts in milliseconds. They leave time for other trials on the same event loop.
 */
const TIMEOUTS = { headers: 1000, body: 1000, total: 3000 };

/** Builds with timeouts that no option sets, and returns the error. */
async function runBuild(
  options: BuildOptions,
  timeouts?: typeof TIMEOUTS,
): Promise<Error | undefined> {
  const restOptions = {
    baseUrl: 'https://example.test',
    source: 'rest',
    concurrency: 1,
  } as const;
  try {
    const { source, ...resolved } = resolveBuild({ ...restOptions, ...options });
    await makeSite({ ...resolved, source: { ...source, retryBaseMs: 1, timeouts } });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Creates the text of the upstream's record list. */
function createList(url: string, kind: Kind, answers: readonly Answer[]): string {
  const results = answers.map(({ name, id }) => ({
    name,
    url: `${url}/${kind}/${id}/`,
  }));
  return JSON.stringify({ count: results.length, results });
}

/** An upstream that works until the fault starts. */
interface FaultyUpstream {
  readonly server: UpstreamServer;
  /** The path of the faulty response, below the upstream's URL. */
  readonly faultyPath: string;
  startFault(): void;
}

/**
 * Starts an upstream with three moves and items. After `startFault`, the upstream
 * has a new edition, and the first responses at the place are faulty.
 *
 * @param times the number of faulty responses
 */
async function startFaultyUpstream(
  fault: Fault,
  { kind, id }: Place,
  times: number,
): Promise<FaultyUpstream> {
  const answers = tinyUpstream(3, 3);
  const data = upstreamOf(answers);
  const record = answers[kind][(id ?? 1) - 1];
  if (!record) throw new Error('no such record');
  const isList = id === undefined;
  const faultyPath = isList ? `/${kind}/?limit=100000&offset=0` : `/${kind}/${id}/`;
  let isFaulty = false;
  let sentFaults = 0;

  const server = await startUpstream(data, {
    stateOf: () => stateNumber(isFaulty ? 3 : 2, data),
    fault({ url = '' }, response) {
      if (!isFaulty || !fault.respond || sentFaults >= times) return false;
      if (withoutBypass(url) !== `/api/v2${faultyPath}`) return false;
      sentFaults += 1;
      const correctBody = isList
        ? createList(server.url, kind, answers[kind])
        : JSON.stringify(record);
      fault.respond({ response, correctBody });
      return true;
    },
  });

  function startFault(): void {
    fault.change?.(record as Answer);
    isFaulty = true;
  }
  return { server, faultyPath, startFault };
}

/**
 * Builds a site from a working upstream. Then builds it again with the fault at its
 * place. Returns everything that differs from the table: the error or its absence,
 * the files of the site, and the number of requests for the faulty response.
 *
 * @param times the number of faulty responses
 */
function tryFault(fault: Fault, place: Place, times: number): Promise<string[]> {
  return inFolder(async (parent) => {
    const { server, faultyPath, startFault } = await startFaultyUpstream(
      fault,
      place,
      times,
    );
    const out = path.join(parent, 'site');
    const options = { upstream: server.url, out, cache: path.join(parent, 'cache') };
    try {
      // The bundled data set has more records.
      const firstError = await runBuild({ ...options, maxShrink: 100 });
      if (firstError) throw firstError;
      const oldFiles = [...fingerprint(out)];
      const oldRequests = server.log.length;
      startFault();
      const error = await runBuild(options, fault.hasTimeout ? TIMEOUTS : undefined);

      const problems = [
        ...findErrorProblems(fault, error, times),
        ...(await findFileProblems(fault, parent, error, oldFiles)),
      ];
      const expected = countExpected(fault, times);
      const requests = server.log.slice(oldRequests);
      const count = requests.filter(
        (request) => withoutBypass(request.path) === `/api/v2${faultyPath}`,
      ).length;
      if (count !== expected) {
        problems.push(`was requested ${count} times, expected ${expected}`);
      }
      return problems;
    } finally {
      await server.close();
    }
  }, findMemory());
}

/** An edition that nothing has changed in is read at most three times. */
function countExpected({ reaction, respond }: Fault, times: number): number {
  if (reaction !== 'again' || !respond) return 1;
  return Math.min(times + 1, ATTEMPTS);
}

function findErrorProblems(
  { reaction, text }: Fault,
  error: Error | undefined,
  times: number,
): string[] {
  const mustFail =
    reaction === 'fail' || (reaction === 'again' && times >= ATTEMPTS);
  if (!mustFail) return error ? [`failed with ${error.message}`] : [];
  if (!error) return ['was built'];
  const isExpected = error instanceof GamedataError && error.message.includes(text);
  return isExpected ? [] : [`failed with ${error}`];
}

/** Checks that a failed build changes nothing and leaves no other files behind. */
async function findFileProblems(
  { reaction, text }: Fault,
  parent: string,
  error: Error | undefined,
  oldFiles: readonly unknown[],
): Promise<string[]> {
  const problems: string[] = [];
  const out = path.join(parent, 'site');
  for (const name of readdirSync(parent)) {
    if (name !== 'cache' && name !== 'site') problems.push(name);
  }
  problems.push(...(await verifyFolder(out)).problems);
  const mayChange = reaction === 'use' && text !== '' && error === undefined;
  if (mayChange) return [...problems, ...findMissingText(out, text)];
  const isSame = JSON.stringify([...fingerprint(out)]) === JSON.stringify(oldFiles);
  return isSame ? problems : [...problems, 'the site was changed'];
}

function findMissingText(out: string, expected: string): string[] {
  const api = path.join(out, 'api');
  for (const file of listFiles(api)) {
    const text = readFileSync(path.join(api, file), 'utf8');
    if (text.includes(expected)) return [];
  }
  return [`no record contains ${expected}`];
}

interface Trial {
  readonly name: string;
  readonly fault: Fault;
  readonly times: number;
}

const trials: Trial[] = [];
for (const fault of faults) {
  const { name, reaction } = fault;
  trials.push({ name, fault, times: Number.POSITIVE_INFINITY });
  if (reaction === 'again') trials.push({ name, fault, times: 2 });
}

it.each(trials)(
  'reacts as listed in the table to $name, $times times',
  async ({ fault, times }) => {
    const trying = listPlaces(fault).map(async (place) => {
      const problems = await tryFault(fault, place, times);
      return problems.map((problem) => `${place.name}: ${problem}`);
    });
    const problems = await Promise.all(trying);
    expect(problems.flat()).toEqual([]);
  },
);
