/** Runs the table of faults: a build without faults, then a build that meets a fault. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { resolveBuild } from '../../src/cli/commands/build.ts';
import { makeSite } from '../../src/cli/make-site.ts';
import { GamedataError } from '../../src/errors.ts';
import { listFiles } from '../../src/files.ts';
import type { ClientOptions } from '../../src/http/client.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { stateNumber, withoutEdition } from './editions.ts';
import type { Fault, Place } from './fault-row.ts';
import { describeFailure } from './faults.ts';
import { fingerprint } from './fingerprint.ts';
import { inFolder } from './folders.ts';
import { tinyUpstream, upstreamOf } from './upstream-data.ts';
import { startUpstream } from './upstream-server.ts';

const places: readonly Place[] = [
  { name: 'the first list', kind: 'move' },
  { name: 'the second list', kind: 'item' },
  { name: 'the first record', kind: 'move', id: 1 },
  { name: 'a middle record', kind: 'item', id: 1 },
  { name: 'the last record', kind: 'item', id: 3 },
];

export function listPlaces({ at }: Fault): readonly Place[] {
  if (at === 'anywhere') return places;
  if (at === 'first list') return places.slice(0, 1);
  return places.filter(
    ({ kind, id }) => (at === 'lists') === (id === undefined) && (at !== 'items' || kind === 'item'),
  );
}

/** A `lasting` fault stays until the build gives up, and `once` is over after one request. */
export type Stay = 'lasting' | 'once';

const RETRIES = 1;
/** Milliseconds. Concurrent trials share one event loop, so they may delay each other. */
const SLOW = { headers: 1000, body: 1000, total: 3000 };

interface RunOptions {
  readonly upstream: string;
  readonly out: string;
  readonly cache: string | false;
  readonly timeouts?: ClientOptions['timeouts'];
}

/** Builds with time-outs that no option sets. Resolves to the failure. */
async function runBuild({ timeouts, ...options }: RunOptions) {
  // The bundled data set has more records than the first build.
  const maxShrink = existsSync(options.out) ? 1 : 100;
  const site = { baseUrl: 'https://example.test', downloads: false, maxShrink } as const;
  const rest = { ...site, source: 'rest', concurrency: 1, retries: RETRIES } as const;
  try {
    const { source, ...resolved } = resolveBuild({ ...rest, ...options }, {});
    await makeSite({ ...resolved, source: { ...source, retryBaseMs: 1, timeouts } });
    return undefined;
  } catch (error) {
    if (error instanceof GamedataError) return { code: error.code as string, message: error.message };
    return { code: 'bug', message: String(error) };
  }
}

/** Builds a site, and builds it again with the fault at its place. Returns everything that differs from the table. */
export const tryFault = (fault: Fault, place: Place, stay: Stay): Promise<string[]> =>
  inFolder(async (parent) => {
    const { kind, id } = place;
    const answers = tinyUpstream(3, 3);
    const upstream = upstreamOf(answers);
    const record = answers[kind].find((answer) => answer.id === (id ?? 1));
    if (!record) throw new Error(`${place.name}: no such record`);
    const local = id === undefined ? `/${kind}/?limit=100000&offset=0` : `/${kind}/${id}/`;
    let met = 0;
    let begun = false;
    const server = await startUpstream(upstream, {
      ...(fault.editions && { stateOf: () => stateNumber(begun ? 3 : 2, upstream) }),
      fault({ url = '', headers }, response) {
        const address = fault.held ? url : withoutEdition(url);
        if (!begun || !fault.answer || address !== `/api/v2${local}`) return false;
        if (stay === 'once' && met++ > 0) return false;
        const results = answers[kind].map(({ name, id }) => ({ name, url: `${server.url}/${kind}/${id}/` }));
        const own = id === undefined ? { count: results.length, results } : record;
        const conditional = headers['if-none-match'] !== undefined;
        const stop = () => void server.close();
        fault.answer({ response, own: JSON.stringify(own), conditional, place, answers, stop });
        return true;
      },
    });
    const out = path.join(parent, 'site');
    const cache = fault.uncached ? false : path.join(parent, 'cache');
    try {
      const first = await runBuild({ upstream: server.url, out, cache });
      if (first) throw new Error(`the first build failed: ${first.message}`);
      const before = JSON.stringify([...fingerprint(out)]);
      const sent = server.log.length;
      fault.spoil?.(record);
      begun = true;
      const address = fault.address ?? server.url;
      const failure = await runBuild({ upstream: address, out, cache, timeouts: fault.slow && SLOW });
      const isSame = JSON.stringify([...fingerprint(out)]) === before;
      const requested = server.log.slice(sent).map((request) => request.path);
      const isRefused = fault.outcome.code !== 'built' && (stay === 'lasting' || !fault.retried);
      const words = { url: address + local, kind, slug: record.name, id: `${record.id}` };
      const isExpected =
        failure === undefined
          ? !isRefused
          : isRefused &&
            failure.code === fault.outcome.code &&
            matchesFailure(fault, failure.message, words, id === undefined);
      return [
        ...readdirSync(parent).filter((name) => name !== 'cache' && name !== 'site'),
        ...verifyFolder(out).problems.map(({ file, problem }) => `${file} ${problem}`),
        ...(isExpected ? [] : [failure ? `failed with ${failure.code}, ${failure.message}` : 'was built']),
        ...(failure && !isSame ? ['the old site was touched'] : []),
        ...(failure ? [] : findSiteProblems(fault, out, isSame)),
        ...countRequests(fault, local, requested),
      ];
    } finally {
      await server.close();
    }
  });

function matchesFailure(
  fault: Fault,
  message: string,
  words: Readonly<Record<string, string>>,
  isList: boolean,
): boolean {
  const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const { outcome } = fault;
  if (outcome.code !== 'built' && outcome.like) return outcome.like.test(message.replace(/^GET \S+: /, ''));
  const pattern = describeFailure(fault, isList)
    .split(/<(\w+)>/)
    .map((text, at) => {
      if (at % 2 === 0) return literal(text);
      // When nothing responds any more, another request may give up first.
      const known = text === 'url' && fault.lasting ? undefined : words[text];
      return known === undefined ? '\\S+' : literal(known);
    });
  return new RegExp(`^${pattern.join('')}$`).test(message);
}

function findSiteProblems({ outcome }: Fault, out: string, isSame: boolean): string[] {
  const held = outcome.code === 'built' ? outcome.holds : undefined;
  if (held === undefined) return isSame ? [] : ['the site was changed'];
  const api = path.join(out, 'api');
  const isHeld = listFiles(api).some((file) => readFileSync(path.join(api, file), 'utf8').includes(held));
  return isHeld ? [] : [`no record holds ${held}`];
}

function countRequests(fault: Fault, local: string, requested: readonly string[]): string[] {
  if (!fault.answer || fault.lasting || fault.everywhere) return [];
  const expected = fault.retried ? RETRIES + 1 : 1;
  const paths = requested.map((path) => (fault.retried ? withoutEdition(path) : path));
  const count = paths.filter((path) => path === `/api/v2${local}`).length;
  return count === expected ? [] : [`was requested ${count} times, expected ${expected}`];
}
