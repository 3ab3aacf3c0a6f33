/** Tries a fault: a build that went well, then one that meets the fault, and everything that is wrong about how that ends. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from '../../src/cli/commands/build.ts';
import { GamedataError } from '../../src/errors.ts';
import { listFiles } from '../../src/files.ts';
import type { ClientOptions } from '../../src/http/client.ts';
import type { Watchers } from '../../src/sources/capture.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { stateNumber, withoutEdition } from './editions.ts';
import { type Exchange, expectedMessage, type Fault, type Place, type Told } from './faults.ts';
import { fingerprint } from './fingerprint.ts';
import { everyKind } from './kinds.ts';
import { type Answers, itemAnswer, moveAnswer, upstreamOf } from './upstream-data.ts';
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

/** A fault at a place. Several may be at one: each that is there once, then the next. */
export interface Part {
  readonly fault: Fault;
  readonly place: Place;
  readonly stay: Stay;
}

/** How a build ended that met faults. */
interface Met {
  readonly failure: Failure | undefined;
  /** What is wrong with the site, whatever the faults are. */
  readonly problems: string[];
  /** The site is that of the build before. */
  readonly isSame: boolean;
  /** The texts below api/. */
  readonly texts: readonly string[];
  /** For each fault what an error tells of it, and how often its address was requested. */
  readonly told: readonly Told[];
  readonly requests: readonly number[];
}

/** Builds a site, and once more when the faults are there. `seconds` is the longest time for a response. */
export async function meetFaults(
  parts: readonly Part[],
  {
    run = runBuild,
    seconds,
    ...options
  }: { run?: Runner; seconds: number } & Pick<RunOptions, 'timeouts' | 'concurrency'>,
): Promise<Met> {
  const parent = realpathSync(mkdtempSync(path.join(tmpdir(), 'gamedata-fault-')));
  const answers = everyKind(
    { move: [1, 2, 3].map((id) => moveAnswer(id)), item: [1, 2, 3].map((id) => itemAnswer(id)) },
    () => [],
  );
  const upstream = upstreamOf(answers);
  const faults = parts.map((part) => createFault(part, { answers, seconds }));
  let begun = false;
  const server = await startUpstream(upstream, {
    ...(parts.some(({ fault }) => fault.editions) && {
      stateOf: () => stateNumber(begun ? 3 : 2, upstream),
    }),
    fault: ({ url = '', headers }, response) =>
      begun && faults.some((fault) => fault.answer(server, url, { response, headers })),
  });
  const out = path.join(parent, 'site');
  const cache = parts.some(({ fault }) => fault.uncached) ? false : path.join(parent, 'cache');
  try {
    const first = await run({ upstream: server.url, out, cache });
    if (first) throw new Error(`the first build failed: ${first.message}`);
    const before = fingerprint(out);
    const sent = server.log.length;
    for (const fault of faults) fault.begin();
    begun = true;
    const address = parts.find(({ fault }) => fault.address)?.fault.address ?? server.url;
    const failure = await run({ upstream: address, out, cache, ...options });
    const left = readdirSync(parent).filter((name) => name !== 'cache' && name !== 'site');
    const told = faults.map((fault) => fault.told(address));
    return {
      failure,
      problems: [
        ...left.map((name) => `left behind: ${name}`),
        ...verifyFolder(out).problems.map(({ file, problem }) => `${file} ${problem}`),
      ],
      isSame: JSON.stringify([...before]) === JSON.stringify([...fingerprint(out)]),
      texts: listFiles(path.join(out, 'api')).map((file) =>
        readFileSync(path.join(out, 'api', file), 'utf8'),
      ),
      told,
      requests: told.map(
        ({ url }) => server.log.slice(sent).filter((request) => url.endsWith(request.path)).length,
      ),
    };
  } finally {
    await server.close();
    rmSync(parent, { recursive: true, force: true });
  }
}

/**
 * Tries one fault at one place. `seconds` is the longest time for a response if the runner has times of its own.
 *
 * @returns everything that is not as the table says; empty if all is well
 */
export async function tryFault(
  fault: Fault,
  place: Place,
  {
    stay = 'lasting',
    seconds = times.whole.total / 1000,
    ...options
  }: { stay?: Stay; run?: Runner; seconds?: number } = {},
): Promise<string[]> {
  const met = await meetFaults([{ fault, place, stay }], {
    ...options,
    seconds,
    ...(fault.slow && { timeouts: times[fault.slow] }),
  });
  const { failure, problems, isSame, texts } = met;
  const note = (wrong: boolean, problem: string): void => void (wrong && problems.push(problem));
  const recovers = stay === 'once' && fault.retried;
  if (fault.outcome.code === 'built' || recovers) {
    note(failure !== undefined, `failed, expected it to be built: ${failure?.message}`);
    const { holds } = fault.outcome as { holds?: string };
    if (holds === undefined) note(!isSame, 'the site was changed');
    else note(!texts.some((text) => text.includes(holds)), `no record holds ${holds}`);
  } else {
    note(!failure, 'was built, expected it to fail');
    note(failure?.code !== fault.outcome.code, `failed as ${failure?.code}: expected ${fault.outcome.code}`);
    note(!isSame, 'the old site was touched');
    const [told] = met.told;
    const problem = told && unlisted(fault, place, { told, message: failure?.message ?? '' });
    note(problem !== undefined, problem ?? '');
  }
  if (!fault.address && !fault.lasting && !fault.everywhere && fault.answer) {
    const expected = fault.retried ? RETRIES + 1 : 1;
    note(met.requests[0] !== expected, `was asked ${met.requests[0]} times, expected ${expected}`);
  }
  return problems;
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
  const [, asked = ''] = /^GET (\S+): /.exec(message) ?? [];
  // When nothing answers any more, another request may give up first: the delays before the second attempts are random.
  const isAnother = fault.lasting && asked.startsWith(new URL(told.url).origin);
  const prefix = fault.outcome.code === 'upstream' ? `GET ${isAnother ? asked : told.url}: ` : '';
  const isLike = like && message.startsWith(prefix) && like.test(message.slice(prefix.length));
  return (like ? isLike : message === expected)
    ? undefined
    : `failed with ${message}\nexpected ${like ?? expected}`;
}

/** The fault at its place, for as long as it stays. */
function createFault(
  { fault, place, stay }: Part,
  { answers, seconds }: { answers: Required<Answers>; seconds: number },
) {
  const { kind, id } = place;
  const local = id === undefined ? `/${kind}/?limit=100000&offset=0` : `/${kind}/${id}/`;
  const record = answers[kind].find((answer) => answer.id === (id ?? 1));
  if (!record) throw new Error(`${place.name}: no such record`);
  let met = 0;
  return {
    begin: () => void fault.spoil?.(record),
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
function ownBody({ url }: UpstreamServer, { kind, id }: Place, answers: Required<Answers>): string {
  const results = answers[kind].map(({ name, id }) => ({ name, url: `${url}/${kind}/${id}/` }));
  const record = answers[kind].find((answer) => answer.id === id);
  return JSON.stringify(id === undefined ? { count: results.length, results } : record);
}
