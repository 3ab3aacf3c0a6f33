/** Verifies a deployment, ours or anybody's: checks every guarantee of the contract by sending requests. */

import { performance } from 'node:perf_hooks';
import {
  type GuaranteeName,
  guaranteeNames,
  guarantees,
  type Level,
  type Needs,
} from '../contract/guarantees.ts';
import { mapKinds } from '../contract/kinds.ts';
import { metaReader } from '../contract/meta.ts';
import { type LinkBase, type LinkStyle, META_FILE } from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { secondsSince } from '../contract/words.ts';
import { abortable } from '../http/client.ts';
import { createProbe, type ProbeResponse } from '../http/probe.ts';
import { crawl } from '../sources/crawl.ts';
import type { Check } from './checks/check.ts';
import { contentChecks } from './checks/content.ts';
import { headersChecks } from './checks/headers.ts';
import { requestsChecks } from './checks/requests.ts';
import { windowsChecks } from './checks/windows.ts';

export interface DeploymentOptions {
  readonly level: Level;
  /** The guarantees to check, instead of those of the level. */
  readonly supported?: SupportedByHosts | undefined;
  /** The maximum number of concurrent requests. */
  readonly concurrency: number;
  /** The base URL of links, if the site was built for another one than it is deployed at. */
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
  readonly failures: readonly { readonly request: string; readonly problem: string }[];
}

export interface DeploymentReport {
  readonly address: string;
  readonly level: Level;
  /** The hosts whose guarantees were checked, if not those of the level. */
  readonly hosts?: readonly string[] | undefined;
  readonly counts: Counts;
  readonly guarantees: readonly GuaranteeResult[];
  /** The number of guarantees that are not kept. */
  readonly failed: number;
  readonly seconds: number;
}

/** `root` and `lists` are checked by crawling. */
const checks: Readonly<Record<GuaranteeName, Check | readonly Check[]>> = {
  root: [],
  lists: [],
  ...contentChecks,
  ...headersChecks,
  ...requestsChecks,
  ...windowsChecks,
};

/**
 * Verifies a deployment.
 *
 * @param address its base URL without a trailing slash
 * @throws UpstreamError if a request gets no response, twice
 */
export async function verifyDeployment(
  address: string,
  { level, supported, concurrency, linkBase: builtFor, signal }: DeploymentOptions,
): Promise<DeploymentReport> {
  const started = performance.now();
  return abortable(createProbe(address, { concurrency }), signal, async (probe) => {
    const { json } = await probe.send({ path: `/${META_FILE}` });
    // Unless the site says otherwise, links point to endpoints.
    const links = metaReader.pick({ links: true }).safeParse(json).data?.links ?? 'query';
    const linkBase: LinkBase = { baseUrl: builtFor ?? address, links };
    const names =
      supported?.names ?? guaranteeNames.filter((name) => isExpected(guarantees[name].needs, level, links));
    const failures = new Map(names.map((name) => [name, [] as GuaranteeResult['failures'][number][]]));
    const fail = (
      name: GuaranteeName,
      { request }: Pick<ProbeResponse, 'request'>,
      problem: string,
    ): void => {
      const known = failures.get(name) ?? [];
      if (known.length < MAX_FAILURES) known.push({ request, problem });
    };
    const lists = await crawl(probe, linkBase, fail);
    for (const name of names)
      for (const check of [checks[name]].flat())
        await check({ probe, linkBase, lists }, (response, problem) => fail(name, response, problem));
    return {
      address,
      level,
      hosts: supported?.hosts,
      counts: mapKinds((kind) => lists[kind].count),
      guarantees: Array.from(failures, ([guarantee, failures]) => ({
        guarantee,
        title: guarantees[guarantee].title,
        failures,
      })),
      failed: [...failures.values()].filter(({ length }) => length > 0).length,
      seconds: secondsSince(started),
    };
  });
}

/** On a site whose links point to files, endpoints are only expected to work at the full level. */
export function isExpected(needs: Needs, level: Level, links: LinkStyle): boolean {
  if (level === 'full') return true;
  return needs === 'files' || (needs === 'rules' && links === 'query');
}
