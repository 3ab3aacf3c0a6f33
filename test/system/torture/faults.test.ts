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
  { name: 'a middle record', kind: 'item', id: 1 },
  { name: 'the last record', kind: 'item', id: 3 },
];

/**
 * A retry that succeeds does not depend on the place, so two places are enough.
 */
const placesOfRetries = ['the first list', 'the last record'];

function listPlaces({ at }: Fault, times: number): readonly Place[] {
  return places.filter(({ name, kind, id }) => {
    if (times === 1 && !placesOfRetries.includes(name)) return false;
    if (at === undefined) return true;
    const isList = id === undefined;
    if (at === 'lists') return isList;
    if (at === 'items') return !isList && kind === 'item';
    return !isList;
  });
}

const RETRIES = 1;
/**
 * Timeouts in milliseconds. They leave time for other trials on the same event loop.
 */
const TIMEOUTS = { headers: 1000, body: 1000, total: 3000 };

interface Failure {
  /** The code of an expected error, or `bug` for any other error. */
  readonly code: string;
  readonly message: string;
}

/** Builds with timeouts that no option sets, and returns the failure. */
async function runBuild(
  options: BuildOptions,
  timeouts?: typeof TIMEOUTS,
): Promise<Failure | undefined> {
  const restOptions = {
    baseUrl: 'https://example.test',
    downloads: false,
    source: 'rest',
    concurrency: 1,
    retries: RETRIES,
  } as const;
  try {
    const { source, ...resolved } = resolveBuild({ ...restOptions, ...options }, {});
    await makeSite({ ...resolved, source: { ...source, retryBaseMs: 1, timeouts } });
    return undefined;
  } catch (error) {
    if (error instanceof GamedataError) {
      return { code: error.code, message: error.message };
    }
    return { code: 'bug', message: String(error) };
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
  /** The record at the place, or the first record of the list. */
  readonly record: Answer;
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
    ...(fault.hasEditions && { stateOf: () => stateNumber(isFaulty ? 3 : 2, data) }),
    fault({ url = '', headers }, response) {
      if (!isFaulty || !fault.respond || sentFaults >= times) return false;
      // A request that bypasses caches gets the correct response if only a cache has
      // the fault.
      const requestedPath = fault.isCached ? url : withoutEdition(url);
      if (requestedPath !== `/api/v2${faultyPath}`) return false;
      sentFaults += 1;
      const correctBody = isList
        ? createList(server.url, kind, answers[kind])
        : JSON.stringify(record);
      fault.respond({
        response,
        correctBody,
        isConditional: headers['if-none-match'] !== undefined,
        kind,
        answers,
        stop: () => void server.close(),
      });
      return true;
    },
  });

  function startFault(): void {
    if (record) fault.change?.(record);
    isFaulty = true;
  }
  return { server, record, faultyPath, startFault };
}

function readFingerprint(folder: string): string {
  return JSON.stringify([...fingerprint(folder)]);
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
    const upstream = await startFaultyUpstream(fault, place, times);
    const { server, record, faultyPath, startFault } = upstream;
    const out = path.join(parent, 'site');
    const cacheFolder = path.join(parent, 'cache');
    const cache = fault.withoutCache ? (false as const) : cacheFolder;
    const options = { upstream: server.url, out, cache };
    const timeouts = fault.hasTimeout ? TIMEOUTS : undefined;
    try {
      // The bundled data set has more records.
      const firstFailure = await runBuild({ ...options, maxShrink: 100 });
      if (firstFailure) {
        throw new Error(`the first build failed: ${firstFailure.message}`);
      }
      const oldFiles = readFingerprint(out);
      const oldRequests = server.log.length;
      startFault();
      const failure = await runBuild(options, timeouts);

      const isSame = readFingerprint(out) === oldFiles;
      const newRequests = server.log.slice(oldRequests);
      const requestedPaths = newRequests.map((request) => request.path);
      const words = {
        url: server.url + faultyPath,
        kind: place.kind,
        slug: record.name,
        id: `${record.id}`,
      };
      const isList = place.id === undefined;
      const problems = findFailureProblems(fault, failure, times, words, isList);
      // A failed build must leave no other files behind.
      for (const name of readdirSync(parent)) {
        if (name !== 'cache' && name !== 'site') problems.push(name);
      }
      for (const { file, problem } of verifyFolder(out).problems) {
        problems.push(`${file} ${problem}`);
      }
      if (!failure) problems.push(...findSiteProblems(fault, out, isSame));
      else if (!isSame) problems.push('the old site was changed');
      problems.push(...findRequestProblems(fault, faultyPath, requestedPaths));
      return problems;
    } finally {
      await server.close();
    }
  }, findMemory());
}

/** The values for the placeholders in the table's error messages. */
type Words = Readonly<Record<string, string>>;

function findFailureProblems(
  fault: Fault,
  failure: Failure | undefined,
  times: number,
  words: Words,
  isList: boolean,
): string[] {
  // A retry succeeds if only the first response is faulty.
  const mustFail =
    fault.code !== 'built' && (times === Infinity || !fault.isRetried);
  if (!failure) return mustFail ? ['was built'] : [];
  const isExpected =
    failure.code === fault.code && matches(fault, failure.message, words, isList);
  if (mustFail && isExpected) return [];
  return [`failed with ${failure.code}, ${failure.message}`];
}

/**
 * Compares the error with the error in the table. First adds the start and the end
 * that all errors with this code have. Then replaces the placeholders with the
 * faulty response's words, or with a pattern for any word.
 */
function matches(
  fault: Fault,
  message: string,
  words: Words,
  isList: boolean,
): boolean {
  const { problem = '', isPermanent } = fault;
  if (problem instanceof RegExp) return problem.test(message);
  const expected = completeProblem(fault, problem, isList);
  // The parts at odd positions are the names of placeholders.
  const parts = expected.split(/<(\w+)>/);
  let pattern = '';
  for (const [position, part] of parts.entries()) {
    const isPlaceholder = position % 2 === 1;
    const literal = isPlaceholder ? words[part] : part;
    // Once nothing responds any more, another request may fail first.
    const isAnyUrl = isPlaceholder && part === 'url' && isPermanent === true;
    if (literal === undefined || isAnyUrl) {
      pattern += '\\S+';
    } else {
      pattern += literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    }
  }
  return new RegExp(`^${pattern}$`).test(message);
}

/** Returns the whole error, with its placeholders. */
function completeProblem(fault: Fault, problem: string, isList: boolean): string {
  if (fault.code === 'guard') return `<kind>: ${problem}`;
  if (fault.code === 'upstream') {
    const url = fault.isGlobal ? '<upstream>/' : '<url>';
    const attempts = fault.isRetried ? ' (2 attempts)' : '';
    return `GET ${url}: ${problem}${attempts}`;
  }
  // An error about a link already begins with the record that has the link.
  if (problem.includes(' › url: ')) return problem;
  const place = isList ? '<kind> › list' : '<kind> › <slug> (<id>)';
  const separator = problem.startsWith('›') ? ' ' : ': ';
  return place + separator + problem;
}

function findSiteProblems(
  { contains }: Fault,
  out: string,
  isSame: boolean,
): string[] {
  if (contains === undefined) return isSame ? [] : ['the site was changed'];
  const api = path.join(out, 'api');
  for (const file of listFiles(api)) {
    const text = readFileSync(path.join(api, file), 'utf8');
    if (text.includes(contains)) return [];
  }
  return [`no record contains ${contains}`];
}

/** Compares the number of requests for the faulty response with the table. */
function findRequestProblems(
  fault: Fault,
  faultyPath: string,
  requestedPaths: readonly string[],
): string[] {
  if (!fault.respond || fault.isPermanent || fault.isGlobal) return [];
  const expected = fault.isRetried ? RETRIES + 1 : 1;
  let count = 0;
  for (const requestedPath of requestedPaths) {
    // A retry bypasses caches with a parameter, so its path differs.
    const path = fault.isRetried ? withoutEdition(requestedPath) : requestedPath;
    if (path === `/api/v2${faultyPath}`) count += 1;
  }
  if (count === expected) return [];
  return [`was requested ${count} times, expected ${expected}`];
}

interface Trial {
  readonly name: string;
  readonly fault: Fault;
  readonly times: number;
}

const trials: Trial[] = [];
for (const fault of faults) {
  trials.push({ name: fault.name, fault, times: Infinity });
  if (fault.isRetried && !fault.isPermanent) {
    trials.push({ name: fault.name, fault, times: 1 });
  }
}
it.each(trials)(
  'reacts as listed in the table to $name, $times times',
  async ({ fault, times }) => {
    const trying = listPlaces(fault, times).map(async (place) => {
      const problems = await tryFault(fault, place, times);
      return problems.map((problem) => `${place.name}: ${problem}`);
    });
    const problems = await Promise.all(trying);
    expect(problems.flat()).toEqual([]);
  },
);
