/** Verifying a deployment: asks a running site, ours or anybody's, for everything that the contract promises. */

import { performance } from 'node:perf_hooks';
import { type LinkBase, type LinkStyle, linkStyles } from '../contract/addresses.ts';
import { type ClauseName, clauseNames, clauses, type Needs } from '../contract/clauses.ts';
import type { Counts } from '../contract/data-set.ts';
import { mapKinds } from '../contract/kinds.ts';
import { META_FILE } from '../contract/meta.ts';
import { checkIcons, checkRecords } from './checks/content.ts';
import {
  checkAllow,
  checkCaching,
  checkCors,
  checkEtag,
  checkHead,
  checkMediaType,
  checkNosniff,
  checkPagePolicy,
  checkVary,
} from './checks/headers.ts';
import { checkMoved } from './checks/moved.ts';
import {
  checkEncodedNames,
  checkNoWrongPage,
  checkParameters,
  checkUnknownFormat,
  checkUnknownPath,
  checkUnknownRecordFormat,
  checkUnknownSlug,
} from './checks/queries.ts';
import {
  checkBrowser,
  checkMethod,
  checkNotAcceptable,
  checkOptions,
  checkSlash,
} from './checks/requests.ts';
import { checkRepeated, checkWindows } from './checks/windows.ts';
import { crawl } from './crawl.ts';
import type { Check, Examination } from './examination.ts';
import type { Level } from './level.ts';
import { createProbe, type Probe, type Reply } from './probe.ts';

export interface DeploymentOptions {
  readonly level: Level;
  /** The most requests at one time. */
  readonly concurrency: number;
  /** What links begin with where the site was built for another address than it is asked at. */
  readonly linkBase?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A clause that was checked: kept where there are no failures. */
export interface ClauseResult {
  readonly clause: ClauseName;
  readonly title: string;
  readonly failures: readonly { readonly request: string; readonly problem: string }[];
}

export interface DeploymentReport {
  readonly address: string;
  readonly level: Level;
  readonly counts: Counts;
  readonly clauses: readonly ClauseResult[];
  /** How many clauses do not hold. */
  readonly failed: number;
  readonly seconds: number;
}

/** The crawl itself checks `root` and `lists`. */
const checks: Readonly<Record<Exclude<ClauseName, 'root' | 'lists'>, Check>> = {
  records: checkRecords,
  icons: checkIcons,
  'media-type': checkMediaType,
  head: checkHead,
  etag: checkEtag,
  cors: checkCors,
  nosniff: checkNosniff,
  'page-policy': checkPagePolicy,
  caching: checkCaching,
  vary: checkVary,
  parameters: checkParameters,
  'no-wrong-page': checkNoWrongPage,
  'unknown-slug': checkUnknownSlug,
  'unknown-path': checkUnknownPath,
  'unknown-format': checkUnknownFormat,
  moved: checkMoved,
  'unknown-record-format': checkUnknownRecordFormat,
  'encoded-names': checkEncodedNames,
  allow: checkAllow,
  slash: checkSlash,
  options: checkOptions,
  method: checkMethod,
  browser: checkBrowser,
  windows: checkWindows,
  repeated: checkRepeated,
  'not-acceptable': checkNotAcceptable,
};

/**
 * Asks a deployment.
 *
 * @param address where it is served, without a slash at the end
 * @throws UpstreamError where it gives no answer at all
 */
export async function verifyDeployment(
  address: string,
  options: DeploymentOptions,
): Promise<DeploymentReport> {
  const started = performance.now();
  const probe = createProbe(address, options);
  const stop = (): void => void probe.close();
  options.signal?.addEventListener('abort', stop);
  try {
    const links = await readLinkStyle(probe);
    const linkBase: LinkBase = { baseUrl: options.linkBase ?? address, links };
    const asked = clauseNames.filter((clause) => isPromised(clauses[clause].needs, options.level, links));
    const { lists, failures } = await examine(probe, linkBase, asked);
    const results = asked.map((clause) => ({
      clause,
      title: clauses[clause].title,
      failures: failures.get(clause) ?? [],
    }));
    return {
      address,
      level: options.level,
      counts: mapKinds((kind) => lists[kind].count),
      clauses: results,
      failed: results.filter((result) => result.failures.length > 0).length,
      seconds: Math.round(performance.now() - started) / 1000,
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', stop);
    await probe.close();
  }
}

type Failures = Map<ClauseName, { request: string; problem: string }[]>;

async function examine(
  probe: Probe,
  linkBase: LinkBase,
  asked: readonly ClauseName[],
): Promise<{ lists: Examination['lists']; failures: Failures }> {
  const failures: Failures = new Map();
  const fail = (clause: ClauseName, { question }: Reply, problem: string): void => {
    failures.set(clause, [...(failures.get(clause) ?? []), { request: question, problem }]);
  };
  const lists = await crawl(probe, linkBase, fail);
  const examination: Examination = { probe, linkBase, lists };
  for (const clause of asked) {
    if (clause === 'root' || clause === 'lists') continue;
    await checks[clause](examination, (reply, problem) => fail(clause, reply, problem));
  }
  return { lists, failures };
}

/** A site whose links lead to files promises nothing of its endpoints' addresses but to whom asks for everything. */
export function isPromised(needs: Needs, level: Level, links: LinkStyle): boolean {
  if (level === 'full') return true;
  return needs === 'files' || (needs === 'rules' && links === 'query');
}

/** What the site says of its links; one that says nothing has endpoints. */
async function readLinkStyle(probe: Probe): Promise<LinkStyle> {
  const { json } = await probe.ask({ path: `/${META_FILE}` });
  const links = typeof json === 'object' && json !== null && 'links' in json ? json.links : undefined;
  return linkStyles.find((style) => style === links) ?? 'query';
}
