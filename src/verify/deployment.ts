/** Verifies a deployment: its responses must be as the request handler's. */

import { performance } from 'node:perf_hooks';
import pLimit from 'p-limit';
import {
  type GuaranteeName,
  guaranteeNames,
  guarantees,
  type Level,
  type Needs,
} from '../contract/guarantees.ts';
import { mapKinds } from '../contract/kinds.ts';
import type { LinkStyle } from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { measureSeconds } from '../contract/words.ts';
import { MAX_BODY_BYTES } from '../http/body.ts';
import { closeOnAbort } from '../http/client.ts';
import { createProbe, type Probe, type ProbeRequest, type ProbeResponse } from '../http/probe.ts';
import type { Site } from '../sources/site/read.ts';
import type { Comparator } from './comparators.ts';
import { type ExpectedSite, expectCrawled, expectSite } from './expected.ts';
import { createRequests } from './requests.ts';
import { table } from './table.ts';

export interface DeploymentOptions {
  readonly level: Level;
  /** The guarantees to check, instead of those of the level. */
  readonly supported?: SupportedByHosts | undefined;
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  /** The site that the deployment should serve. Default: the one that follows from the deployment's lists. */
  readonly site?: Site | undefined;
  /** The base URL of links, if it is not the address. */
  readonly linkBase?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The guarantees of the hosts that a site has configuration for. */
export interface SupportedByHosts {
  readonly hosts: readonly string[];
  readonly names: readonly GuaranteeName[];
}

/** More failures of one guarantee are not listed. */
const MAX_FAILURES = 1000;

/** A guarantee that was checked: kept if there are no failures. */
export interface GuaranteeResult {
  readonly guarantee: GuaranteeName;
  readonly title: string;
  readonly failures: readonly Failure[];
}

interface Failure {
  readonly request: string;
  readonly problem: string;
}

export interface DeploymentReport {
  readonly address: string;
  readonly level: Level;
  /** The hosts whose guarantees were checked instead of the level's. */
  readonly hosts?: readonly string[] | undefined;
  readonly counts: Counts;
  readonly guarantees: readonly GuaranteeResult[];
  /** The number of broken guarantees. */
  readonly failed: number;
  readonly seconds: number;
}

/**
 * Verifies a deployment.
 *
 * @param address its base URL without a trailing slash
 * @throws UpstreamError if a request gets no response, twice
 */
export async function verifyDeployment(
  address: string,
  { level, supported, concurrency, site: like, linkBase, signal }: DeploymentOptions,
): Promise<DeploymentReport> {
  const started = performance.now();
  const failures = new Map<GuaranteeName, Failure[]>();
  const fail = (name: GuaranteeName, { request }: Pick<ProbeResponse, 'request'>, problem: string): void => {
    const known = failures.get(name) ?? [];
    failures.set(name, known);
    if (known.length < MAX_FAILURES) known.push({ request, problem });
  };
  return closeOnAbort(createProbe(address, { concurrency }), signal, async (probe) => {
    const site = like ? expectSite(like, address) : await expectCrawled(probe, linkBase, fail);
    const { links } = site.linkBase;
    const names =
      supported?.names ?? guaranteeNames.filter((name) => isExpected(guarantees[name].needs, level, links));
    // Responses are compared one by one and not kept, because their number and size come from outside.
    const limit = pLimit(concurrency);
    for (const name of names) {
      for (const [requests, ...comparators] of table[name]) {
        const found = await limit.map(createRequests(requests, site), (request) =>
          findFailure(request, { probe, site, comparators }),
        );
        for (const failure of found) if (failure) fail(name, failure, failure.problem);
      }
    }
    const results = names.map((guarantee) => ({
      guarantee,
      title: guarantees[guarantee].title,
      failures: failures.get(guarantee) ?? [],
    }));
    return {
      address,
      level,
      hosts: supported?.hosts,
      counts: mapKinds((kind) => site.records[kind].length),
      guarantees: results,
      failed: results.filter((result) => result.failures.length > 0).length,
      seconds: measureSeconds(started),
    };
  });
}

async function findFailure(
  request: ProbeRequest,
  { probe, site, comparators }: { probe: Probe; site: ExpectedSite; comparators: readonly Comparator[] },
): Promise<Failure | undefined> {
  const expected = await site.respond(request);
  const maxBytes = Math.max(MAX_BODY_BYTES, 4 * expected.text.length);
  const got = await probe.send({ ...request, maxBytes });
  for (const compare of comparators) {
    const problem = await compare({ request, got, expected, site, send: probe.send });
    if (problem) return { request: got.request, problem };
  }
  return undefined;
}

/** A site whose links point to files needs endpoints only at the full level. */
export function isExpected(needs: Needs, level: Level, links: LinkStyle): boolean {
  if (level === 'full') return true;
  return needs === 'files' || (needs === 'rules' && links === 'query');
}
