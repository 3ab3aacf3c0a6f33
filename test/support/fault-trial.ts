/** Tries a fault: a build that went well, then one that meets the fault, and everything that is wrong about how that ends. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from '../../src/cli/commands/build.ts';
import { GamedataError } from '../../src/errors.ts';
import type { ClientOptions } from '../../src/http/client.ts';
import type { Watchers } from '../../src/sources/capture.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { stateNumber, withoutEdition } from './editions.ts';
import { type Exchange, expectedMessage, type Fault, type Place, type Told } from './faults.ts';
import { fingerprint } from './fingerprint.ts';
import { type Answer, itemAnswer, moveAnswer, upstreamOf } from './upstream-data.ts';
import { startUpstream, type UpstreamServer } from './upstream-server.ts';

export const places: readonly Place[] = [
  { name: 'the first list', kind: 'move' },
  { name: 'the second list', kind: 'item' },
  { name: 'the first record', kind: 'move', id: 1 },
  { name: 'a middle record', kind: 'item', id: 1 },
  { name: 'the last record', kind: 'item', id: 3 },
];

/** Where a fault can be. */
export function placesOf({ at }: Fault): readonly Place[] {
  if (at === 'anywhere') return places;
  if (at === 'first list') return places.slice(0, 1);
  return places.filter(({ id }) => (at === 'lists') === (id === undefined));
}

/** `lasting` stays until the build gives up, `once` is over after one request. */
export type Stay = 'lasting' | 'once';

/** What may run a build: the function, or the command line. Resolves to what it failed with. */
export type Runner = (options: RunOptions) => Promise<Failure | undefined>;
export interface RunOptions {
  readonly upstream: string;
  readonly out: string;
  readonly cache: string | false;
  /** Shorter times for what is slow. */
  readonly timeouts?: ClientOptions['timeouts'];
  readonly concurrency?: number;
}
export interface Failure {
  readonly code: string;
  readonly message: string;
}

export const RETRIES = 1;
/** Milliseconds; trials share one event loop, which a build in another of them may hold up. */
const times = { parts: { headers: 500, body: 500 }, whole: { total: 2000 } };

/** The first build has less than the bundled data set. */
export const shrinkOf = ({ out }: Pick<RunOptions, 'out'>): number => (existsSync(out) ? 1 : 100);

/** Passes times that no option sets: what watches a build is handed on to the client as it is. */
export const runBuild: Runner = async ({ timeouts, concurrency = 1, ...options }) => {
  const quick: Watchers & Pick<ClientOptions, 'retryBaseMs' | 'timeouts'> = { retryBaseMs: 1, timeouts };
  const site = { baseUrl: 'https://example.test', downloads: false } as const;
  const rest = { ...site, source: 'rest', concurrency, retries: RETRIES } as const;
  try {
    await build({ ...rest, maxShrink: shrinkOf(options), ...options }, quick);
    return undefined;
  } catch (error) {
    if (error instanceof GamedataError) return { code: error.code, message: error.message };
    return { code: 'bug', message: String(error) };
  }
};

/**
 * Tries one fault at one place. `seconds` is the longest time for a response if the runner has times of its own.
 *
 * @returns everything that is not as the table says; empty if all is well
 */
export async function tryFault(
  fault: Fault,
  place: Place,
  { stay = 'lasting', run = runBuild, seconds }: { stay?: Stay; run?: Runner; seconds?: number } = {},
): Promise<string[]> {
  const parent = realpathSync(mkdtempSync(path.join(tmpdir(), 'gamedata-fault-')));
  const answers = threeOfEach();
  const meet = createFault(fault, place, { stay, answers, ...(seconds && { seconds }) });
  const upstream = upstreamOf(answers);
  const server = await startUpstream(upstream, {
    ...(fault.editions && { stateOf: () => stateNumber(meet.begun ? 3 : 2, upstream) }),
    fault: (request, response) =>
      meet.begun && meet.answer(server, request.url ?? '', { response, headers: request.headers }),
  });
  const out = path.join(parent, 'site');
  const cache = fault.uncached ? false : path.join(parent, 'cache');
  try {
    const first = await run({ upstream: server.url, out, cache });
    if (first) return [`the first build failed: ${first.message}`];
    const before = fingerprint(out);
    const sent = server.log.length;
    meet.begin();
    const failure = await run({
      upstream: fault.address ?? server.url,
      out,
      cache,
      ...(fault.slow && { timeouts: times[fault.slow] }),
    });

    const problems: string[] = [];
    const note = (wrong: boolean, problem: string): void => void (wrong && problems.push(problem));
    const left = readdirSync(parent).filter((name) => name !== 'cache');
    note(left.join() !== 'site', `left behind: ${left.join(', ')}`);
    for (const { file, problem } of verifyFolder(out).problems) problems.push(`${file} ${problem}`);
    const recovers = stay === 'once' && fault.retried;
    const told = meet.told(fault.address ?? server.url);
    if (fault.outcome.code === 'built' || recovers) {
      note(failure !== undefined, `failed, expected it to be built: ${failure?.message}`);
      const { holds } = fault.outcome as { holds?: string };
      if (holds === undefined) note(!sameStates(before, fingerprint(out)), 'the site was changed');
      else note(!recordFiles(out).some((text) => text.includes(holds)), `no record holds ${holds}`);
    } else {
      note(!failure, 'was built, expected it to fail');
      note(
        failure?.code !== fault.outcome.code,
        `failed as ${failure?.code}: expected ${fault.outcome.code}`,
      );
      note(!sameStates(before, fingerprint(out)), 'the old site was touched');
      const problem = unlisted(fault, place, { told, message: failure?.message ?? '' });
      note(problem !== undefined, problem ?? '');
    }
    if (!fault.address && !fault.lasting && !fault.everywhere && fault.answer) {
      const attempts = server.log.slice(sent).filter(({ path }) => told.url.endsWith(path)).length;
      const expected = fault.retried ? RETRIES + 1 : 1;
      note(attempts !== expected, `was asked ${attempts} times, expected ${expected}`);
    }
    return problems;
  } finally {
    await server.close();
    rmSync(parent, { recursive: true, force: true });
  }
}

/** What is wrong with the message that a fault made a build fail with. */
export function unlisted(
  fault: Fault,
  place: Place,
  { told, message }: { told: Told; message: string },
): string | undefined {
  if (fault.outcome.code === 'built') return `failed with ${message}`;
  const expected = expectedMessage(fault, told, place.id === undefined);
  const { like } = fault.outcome;
  const prefix = fault.outcome.code === 'upstream' ? `GET ${told.url}: ` : '';
  const isLike = like && message.startsWith(prefix) && like.test(message.slice(prefix.length));
  return (like ? isLike : message === expected)
    ? undefined
    : `failed with ${message}\nexpected ${like ?? expected}`;
}

/** The fault at its place, not there before it is started. */
export function createFault(
  fault: Fault,
  place: Place,
  {
    stay,
    answers,
    seconds = times.whole.total / 1000,
  }: { stay: Stay; answers: Record<'move' | 'item', Answer[]>; seconds?: number },
) {
  const { kind, id } = place;
  const local = id === undefined ? `/${kind}/?limit=100000&offset=0` : `/${kind}/${id}/`;
  const record = answers[kind].find((answer) => answer.id === (id ?? 1));
  if (!record) throw new Error(`${place.name}: no such record`);
  let met = 0;
  const state = { begun: false };
  return {
    get begun() {
      return state.begun;
    },
    begin() {
      state.begun = true;
      fault.spoil?.(record);
    },
    told: (upstream: string): Told => ({
      url: fault.everywhere ? `${upstream}/` : upstream + local,
      kind,
      slug: record.name,
      id: record.id,
      seconds,
    }),
    answer(
      server: UpstreamServer,
      asked: string,
      { response, headers }: Pick<Exchange, 'response'> & { headers: NodeJS.Dict<string | string[]> },
    ): boolean {
      const address = fault.everywhere ? withoutEdition(asked) : asked;
      if (!fault.answer || address !== `/api/v2${local}` || (stay === 'once' && met++ > 0)) return false;
      fault.answer({
        response,
        own: ownBody(server, place, answers),
        conditional: headers['if-none-match'] !== undefined,
        place,
        answers,
        stop: () => void server.close(),
      });
      return true;
    },
  };
}

/** What the upstream would have answered. */
function ownBody(
  { url }: UpstreamServer,
  { kind, id }: Place,
  answers: Record<'move' | 'item', Answer[]>,
): string {
  const results = answers[kind].map(({ name, id }) => ({ name, url: `${url}/${kind}/${id}/` }));
  const record = answers[kind].find((answer) => answer.id === id);
  return JSON.stringify(id === undefined ? { count: results.length, results } : record);
}

export const threeOfEach = (): Record<'move' | 'item', Answer[]> => ({
  move: [1, 2, 3].map((id) => moveAnswer(id)),
  item: [1, 2, 3].map((id) => itemAnswer(id)),
});

export const sameStates = (a: Map<string, string>, b: Map<string, string>): boolean =>
  JSON.stringify([...a]) === JSON.stringify([...b]);

export const recordFiles = (out: string): string[] =>
  readdirSync(path.join(out, 'api'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .map((file) => readFileSync(path.join(out, 'api', file), 'utf8'));
