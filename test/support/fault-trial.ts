/** The runner of the table of faults: a build without faults, then one that meets a fault, and every problem with its end. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { resolveBuild } from '../../src/cli/commands/build.ts';
import { makeSite } from '../../src/cli/make-site.ts';
import { GamedataError } from '../../src/errors.ts';
import { listFiles } from '../../src/files.ts';
import type { ClientOptions } from '../../src/http/client.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { stateNumber, withoutEdition } from './editions.ts';
import type { Fault, Place, Told } from './fault-row.ts';
import { expectedMessage } from './faults.ts';
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

/** Lists where a fault can be. */
export function listPlaces({ at }: Fault): readonly Place[] {
  if (at === 'anywhere') return places;
  if (at === 'first list') return places.slice(0, 1);
  return places.filter(
    ({ kind, id }) => (at === 'lists') === (id === undefined) && (at !== 'items' || kind === 'item'),
  );
}

/** `lasting` stays until the build gives up, `once` is over after one request. */
export type Stay = 'lasting' | 'once';

interface Failure {
  readonly code: string;
  readonly message: string;
}

const RETRIES = 1;
/** Milliseconds; trials share one event loop, which a build in another of them may hold up. */
const SLOW = { headers: 1000, body: 1000, total: 3000 };

interface RunOptions {
  readonly upstream: string;
  readonly out: string;
  readonly cache: string | false;
  readonly timeouts?: ClientOptions['timeouts'];
}

/** Builds with time-outs that no option sets. Resolves to the failure. */
async function runBuild({ timeouts, ...options }: RunOptions): Promise<Failure | undefined> {
  const quick: Pick<ClientOptions, 'retryBaseMs' | 'timeouts'> = { retryBaseMs: 1, timeouts };
  // The bundled data set has more records than the first build.
  const maxShrink = existsSync(options.out) ? 1 : 100;
  const site = { baseUrl: 'https://example.test', downloads: false, maxShrink } as const;
  const rest = { ...site, source: 'rest', concurrency: 1, retries: RETRIES } as const;
  try {
    const { source, ...resolved } = resolveBuild({ ...rest, ...options }, {});
    await makeSite({ ...resolved, source: { ...source, ...quick } });
    return undefined;
  } catch (error) {
    if (error instanceof GamedataError) return { code: error.code, message: error.message };
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
      const timeouts = fault.slow ? SLOW : undefined;
      const failure = await runBuild({ upstream: address, out, cache, timeouts });
      const told: Told = {
        url: fault.everywhere ? `${address}/` : address + local,
        ...{ kind, slug: record.name, id: record.id, seconds: SLOW.total / 1000 },
      };
      const isSame = JSON.stringify([...fingerprint(out)]) === before;
      const requested = server.log.slice(sent).map((request) => request.path);
      return [
        ...readdirSync(parent).filter((name) => name !== 'cache' && name !== 'site'),
        ...verifyFolder(out).problems.map(({ file, problem }) => `${file} ${problem}`),
        ...(failure
          ? judgeFailure({ fault, place, stay }, told, failure, isSame)
          : judgeSite({ fault, stay }, out, isSame)),
        ...judgeRequests(fault, told, requested),
      ];
    } finally {
      await server.close();
    }
  });

const isRefused = ({ fault, stay }: { fault: Fault; stay: Stay }): boolean =>
  fault.outcome.code !== 'built' && (stay === 'lasting' || !fault.retried);

function judgeFailure(
  { fault, place, stay }: { fault: Fault; place: Place; stay: Stay },
  told: Told,
  failure: Failure,
  isSame: boolean,
): string[] {
  const problems = isSame ? [] : ['the old site was touched'];
  if (!isRefused({ fault, stay })) return [...problems, `failed with ${failure.message}`];
  if (isExpected(fault, place, told, failure)) return problems;
  return [...problems, `failed with ${failure.code}, ${failure.message}`];
}

function judgeSite({ fault, stay }: { fault: Fault; stay: Stay }, out: string, isSame: boolean): string[] {
  const { outcome } = fault;
  if (isRefused({ fault, stay })) return ['was built'];
  const held = outcome.code === 'built' ? outcome.holds : undefined;
  if (held === undefined) return isSame ? [] : ['the site was changed'];
  const api = path.join(out, 'api');
  const isHeld = listFiles(api).some((file) => readFileSync(path.join(api, file), 'utf8').includes(held));
  return isHeld ? [] : [`no record holds ${held}`];
}

/** Checks how often the spoilt response was requested. */
function judgeRequests(fault: Fault, { url }: Told, requested: readonly string[]): string[] {
  if (!fault.answer || fault.lasting || fault.everywhere) return [];
  const expected = fault.retried ? RETRIES + 1 : 1;
  const paths = requested.map((path) => (fault.retried ? withoutEdition(path) : path));
  const count = paths.filter((path) => url.endsWith(path)).length;
  return count === expected ? [] : [`was requested ${count} times, expected ${expected}`];
}

/** Returns whether a build fails at a fault with this error. */
function isExpected(fault: Fault, place: Place, told: Told, { code, message }: Failure): boolean {
  const { outcome } = fault;
  if (outcome.code === 'built' || outcome.code !== code) return false;
  const [, asked = ''] = /^GET (\S+): /.exec(message) ?? [];
  // When nothing responds any more, another request may give up first: the delays before the second attempts are random.
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
