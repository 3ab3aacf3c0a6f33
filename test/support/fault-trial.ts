/** Tries faults, alone or mixed: a build that went well, then one that meets them, and everything that is wrong about how that ends. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { resolveBuild } from '../../src/cli/commands/build.ts';
import { makeSite } from '../../src/cli/make-site.ts';
import { GamedataError } from '../../src/errors.ts';
import { listFiles } from '../../src/files.ts';
import type { ClientOptions } from '../../src/http/client.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { stateNumber, withoutEdition } from './editions.ts';
import type { Exchange, Fault, Place, Told } from './fault-row.ts';
import { expectedMessage, faults } from './faults.ts';
import { fingerprint } from './fingerprint.ts';
import { inFolder } from './folders.ts';
import { type Random, seeded } from './random.ts';
import { type Answers, tinyUpstream, upstreamOf } from './upstream-data.ts';
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
  return places.filter(
    ({ kind, id }) => (at === 'lists') === (id === undefined) && (at !== 'items' || kind === 'item'),
  );
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
const SLOW = { headers: 1000, body: 1000, total: 3000 };

/** The first build has less than the bundled data set. */
export const shrinkOf = ({ out }: Pick<RunOptions, 'out'>): number => (existsSync(out) ? 1 : 100);

/** Passes times that no option sets: what watches a build is handed on to the client as it is. */
export const runBuild: Runner = async ({ timeouts, concurrency = 1, ...options }) => {
  const quick: Pick<ClientOptions, 'retryBaseMs' | 'timeouts'> = { retryBaseMs: 1, timeouts };
  const site = { baseUrl: 'https://example.test', downloads: false } as const;
  const rest = { ...site, source: 'rest', concurrency, retries: RETRIES } as const;
  try {
    const { source, ...resolved } = resolveBuild({ ...rest, maxShrink: shrinkOf(options), ...options }, {});
    await makeSite({ ...resolved, source: { ...source, ...quick } });
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

/** How a trial ended, and everything that is wrong about it. */
export interface Trial {
  readonly ended: 'built' | 'refused';
  readonly problems: readonly string[];
}

/**
 * Builds a site, and once more when the faults are there, each at its place: one alone has to end as the table says, several as one of
 * them alone would let it.
 *
 * @param options `seconds` is the longest time for a response, if the runner has times of its own
 */
export const tryFaults = (
  unordered: readonly Part[],
  options: { run?: Runner; seconds?: number; concurrency?: number } = {},
): Promise<Trial> =>
  inFolder(async (parent) => {
    const { run = runBuild, seconds = SLOW.total / 1000, concurrency = 1 } = options;
    // Those that are over after one request come first at their place.
    const parts = unordered.toSorted((a, b) => Number(a.stay === 'lasting') - Number(b.stay === 'lasting'));
    const has = (flag: keyof Fault): boolean => parts.some(({ fault }) => fault[flag]);
    const answers = tinyUpstream(3, 3);
    const upstream = upstreamOf(answers);
    const faults = parts.map((part) => createFault(part, { answers, seconds }));
    let begun = false;
    const server = await startUpstream(upstream, {
      ...(has('editions') && { stateOf: () => stateNumber(begun ? 3 : 2, upstream) }),
      fault: ({ url = '', headers }, response) =>
        begun && faults.some((fault) => fault.answer(server, url, { response, headers })),
    });
    const out = path.join(parent, 'site');
    const cache = has('uncached') ? false : path.join(parent, 'cache');
    try {
      const first = await run({ upstream: server.url, out, cache });
      if (first) throw new Error(`the first build failed: ${first.message}`);
      const before = fingerprint(out);
      const sent = server.log.length;
      for (const fault of faults) fault.begin();
      begun = true;
      const address = parts.find(({ fault }) => fault.address)?.fault.address ?? server.url;
      const timeouts = options.seconds === undefined && has('slow') ? SLOW : undefined;
      const failure = await run({ upstream: address, out, cache, timeouts, concurrency });
      const left = readdirSync(parent).filter((name) => name !== 'cache' && name !== 'site');
      const told = faults.map((fault) => fault.told(address));
      const requested = server.log.slice(sent);
      const isSame = JSON.stringify([...before]) === JSON.stringify([...fingerprint(out)]);
      const problems = [
        ...left.map((name) => `left behind: ${name}`),
        ...verifyFolder(out).problems.map(({ file, problem }) => `${file} ${problem}`),
        ...(failure ? judgeFailure(parts, told, failure, isSame) : judgeSite(parts, out, isSame)),
      ];
      const [{ fault }, ...others] = parts as [Part, ...Part[]];
      if (others.length === 0 && fault.answer && !fault.lasting && !fault.everywhere) {
        const pathOf = (asked: string): string => (fault.retried ? withoutEdition(asked) : asked);
        const count = requested.filter((request) => told[0]?.url.endsWith(pathOf(request.path))).length;
        const expected = fault.retried ? RETRIES + 1 : 1;
        if (count !== expected) problems.push(`was asked ${count} times, expected ${expected}`);
      }
      return { ended: failure ? 'refused' : 'built', problems };
    } finally {
      await server.close();
    }
  });

/** What is wrong about a build that has failed. */
function judgeFailure(
  parts: readonly Part[],
  told: readonly Told[],
  failure: Failure,
  isSame: boolean,
): string[] {
  const problems = isSame ? [] : ['the old site was touched'];
  if (!parts.some((part) => mayRefuse(part, parts)))
    problems.push(`failed with ${failure.message}, and nothing is there to refuse`);
  // Where another fault was there before, even what is never requested again takes a second attempt, and what is takes a third.
  const message = failure.message.replace(/ \([23] attempts\)$/, '');
  const others = [message, `${message} (2 attempts)`].map((told) => ({ ...failure, message: told }));
  const failures = parts.length === 1 ? [failure] : others;
  if (!parts.some((part, at) => failures.some((one) => isExpected(part, told[at] as Told, one))))
    problems.push(`failed with what is none of its faults’: ${failure.code}, ${failure.message}`);
  return problems;
}

/** What is wrong about a build that has not. */
function judgeSite(parts: readonly Part[], out: string, isSame: boolean): string[] {
  const problems = parts.some(hasToRefuse) ? ['was built, although a fault of it has to be refused'] : [];
  const api = path.join(out, 'api');
  const texts = listFiles(api).map((file) => readFileSync(path.join(api, file), 'utf8'));
  const held = parts.flatMap(({ fault: { outcome } }) => (outcome.code === 'built' && outcome.holds) || []);
  for (const words of held)
    if (!texts.some((text) => text.includes(words))) problems.push(`no record holds ${words}`);
  if (parts.length === 1 && held.length === 0 && !isSame) problems.push('the site was changed');
  return problems;
}

const hasToRefuse = ({ fault, stay }: Part): boolean =>
  fault.outcome.code !== 'built' && (stay === 'lasting' || !fault.retried);

/** Two that are over after one request each are too many for one retry. */
const mayRefuse = (part: Part, parts: readonly Part[]): boolean =>
  hasToRefuse(part) ||
  (part.fault.outcome.code !== 'built' && parts.filter(({ place }) => place === part.place).length > 1);

/** Whether a build fails at a fault with this error. */
function isExpected({ fault, place }: Part, told: Told, { code, message }: Failure): boolean {
  const { outcome } = fault;
  if (outcome.code === 'built' || outcome.code !== code) return false;
  const [, asked = ''] = /^GET (\S+): /.exec(message) ?? [];
  // When nothing answers any more, another request may give up first: the delays before the second attempts are random.
  const isAnother = fault.lasting && asked.startsWith(new URL(told.url).origin);
  const here = isAnother ? { ...told, url: asked } : told;
  if (outcome.like) {
    const prefix = code === 'upstream' ? `GET ${here.url}: ` : '';
    return message.startsWith(prefix) && outcome.like.test(message.slice(prefix.length));
  }
  const words = expectedMessage(fault, here, place.id === undefined).split(/<\w+>/);
  const pattern = words.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('\\S+');
  return new RegExp(`^${pattern}$`).test(message);
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
      const address = fault.held ? asked : withoutEdition(asked);
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

/** What ends the whole upstream, or is not there at all, mixes with nothing. */
const mixable = faults.filter(({ address, lasting }) => address === undefined && !lasting);

const mild = mixable.filter(({ retried, outcome }) => retried || outcome.code === 'built');

/** These take seconds of their own, which would be mistaken for a stall. */
const isHeavy = ({ name }: Fault): boolean => /MB|bomb|million/.test(name);

/** Two to six faults that can be told apart, every other mix of those that a build gets over. The same seed makes the same mix. */
export function makeMix(seed: number): { parts: Part[]; concurrency: number } {
  const random = seeded(seed);
  const parts: Part[] = [];
  const wanted = 2 + random.below(5);
  const isMild = random.below(2) === 0;
  for (let attempt = 0; attempt < 100 && parts.length < wanted; attempt++) {
    const part = makePart(isMild ? mild : mixable, random);
    if (isMild && hasToRefuse(part)) continue;
    if (parts.every((other) => fitTogether(part, other))) parts.push(part);
  }
  return { parts, concurrency: random.pick([1, 4]) };
}

function makePart(choices: readonly Fault[], random: Random): Part {
  const fault = random.pick(choices);
  const stay = fault.retried && random.below(3) > 0 ? 'once' : 'lasting';
  return { fault, place: random.pick(placesOf(fault)), stay };
}

function fitTogether(a: Part, b: Part): boolean {
  const both = [a.fault, b.fault];
  // A ETag is sent or it is not.
  if (both.some(({ uncached }) => uncached) && both.some(({ group }) => group === 'cache')) return false;
  if (both.some(({ slow }) => slow) && both.some(isHeavy)) return false;
  // Another name of a record is in its list too, and then the list's own fault is told in other words.
  const [listed, spoilt] = a.place.id === undefined ? [a, b] : [b, a];
  if (listed.place.id === undefined && listed.place.kind === spoilt.place.kind && spoilt.fault.spoil)
    return false;
  if (a.place !== b.place) return true;
  return a.stay === 'once' || b.stay === 'once' ? Boolean(a.fault.answer && b.fault.answer) : false;
}
