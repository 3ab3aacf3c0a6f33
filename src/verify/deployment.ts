import { performance } from 'node:perf_hooks';
import pLimit from 'p-limit';
import * as contract from '../contract/guarantees.ts';
import { mapKinds } from '../contract/kinds.ts';
import type { LinkStyle } from '../contract/paths.ts';
import type { Counts } from '../contract/records.ts';
import { toSeconds } from '../contract/words.ts';
import { hostNames, hosts } from '../hosts/index.ts';
import type { SiteFolder } from '../site-folder.ts';
import { MAX_BODY_BYTES } from '../upstream/body.ts';
import { closeOnAbort } from '../upstream/client.ts';
import { createProbe, type Probe, type ProbeRequest } from '../upstream/probe.ts';
import type { Comparator } from './comparators.ts';
import { type ExpectedSite, expectDeployment, expectFolder } from './expected.ts';
import type { OnVerifyProgress } from './progress.ts';
import { createRequests } from './requests.ts';
import { table } from './table.ts';

interface DeploymentOptions {
  readonly level: contract.Level;
  readonly supported?: SupportedByHosts | undefined;
  readonly concurrency: number;
  /** The expected site. The default is the site of the deployment's own data set. */
  readonly site?: SiteFolder | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: OnVerifyProgress | undefined;
}

/** The guarantees that all hosts configured for a site can keep. */
export interface SupportedByHosts {
  readonly hosts: readonly string[];
  readonly names: readonly contract.GuaranteeName[];
}

/**
 * Finds the guarantees that all of a site's hosts support. Returns undefined if this
 * version of gamedata supports none of the hosts.
 */
export function findSupportedGuarantees(
  siteHosts: readonly string[],
): SupportedByHosts | undefined {
  const supportedHosts = hostNames.filter((name) => siteHosts.includes(name));
  if (supportedHosts.length === 0) return undefined;
  const unsupported = new Set<contract.GuaranteeName>();
  for (const name of supportedHosts) {
    for (const guarantee of hosts[name].unsupported) unsupported.add(guarantee);
  }
  const names = contract.guaranteeNames.filter(
    (guarantee) => !unsupported.has(guarantee),
  );
  return { hosts: supportedHosts, names };
}

/** The maximum number of failures that are stored per guarantee. */
const MAX_FAILURES = 1000;

/**
 * The result for one guarantee. The deployment keeps the guarantee if `failures` is
 * empty.
 */
export interface GuaranteeResult {
  readonly guarantee: contract.GuaranteeName;
  readonly title: string;
  readonly failures: readonly GuaranteeFailure[];
}

interface GuaranteeFailure {
  /** The method and path, such as `GET /api/gamedata/move/`. */
  readonly request: string;
  readonly problem: string;
}

export interface DeploymentReport {
  readonly address: string;
  readonly level: contract.Level;
  /**
   * The hosts whose guarantees were checked. Undefined if a level's guarantees were
   * checked instead.
   */
  readonly hosts: readonly string[] | undefined;
  readonly counts: Counts;
  readonly guarantees: readonly GuaranteeResult[];
  /** The number of guarantees that the deployment does not keep. */
  readonly failed: number;
  readonly seconds: number;
}

/**
 * The requests for one row of the table. Each response must satisfy all comparators.
 */
interface Check {
  readonly guarantee: contract.GuaranteeName;
  readonly requests: readonly ProbeRequest[];
  readonly comparators: readonly Comparator[];
}

/**
 * Compares a deployment's responses with the request handler's responses. First
 * reads the expected site, either the given one or the deployment's own data set,
 * because its records determine the requests. Then checks the rows of the
 * table one after another, so that failures are always listed in the same order.
 *
 * @param address the base URL without a trailing slash
 * @throws UpstreamError if a request gets no response in two attempts
 */
export async function verifyDeployment(
  address: string,
  options: DeploymentOptions,
): Promise<DeploymentReport> {
  const { level, supported, concurrency, signal, onProgress } = options;
  const started = performance.now();
  const failures = new Map<contract.GuaranteeName, GuaranteeFailure[]>();
  const fail: Fail = (guarantee, { request }, problem) => {
    const guaranteeFailures = failures.get(guarantee) ?? [];
    failures.set(guarantee, guaranteeFailures);
    if (guaranteeFailures.length < MAX_FAILURES) {
      guaranteeFailures.push({ request, problem });
    }
  };

  async function verifyWith(probe: Probe): Promise<DeploymentReport> {
    onProgress?.({ done: 0, total: 0, requests: probe.stats, started });
    const site = options.site
      ? await expectFolder(options.site, address)
      : await expectDeployment(probe);
    const names = supported?.names ?? selectGuarantees(level, site.linkBase.links);
    await runChecks(probe, site, listChecks(names, site), {
      concurrency,
      onProgress,
      fail,
    });
    const guarantees = listResults(names, failures);
    const broken = guarantees.filter((result) => result.failures.length > 0);
    return {
      address,
      level,
      hosts: supported?.hosts,
      counts: mapKinds((kind) => site.records[kind].length),
      guarantees,
      failed: broken.length,
      seconds: toSeconds(performance.now() - started),
    };
  }

  // The probe's connections must be closed in any case, even if the caller aborts.
  const probe = createProbe(address, { concurrency });
  return closeOnAbort(probe, signal, verifyWith);
}

function listResults(
  names: readonly contract.GuaranteeName[],
  allFailures: ReadonlyMap<contract.GuaranteeName, readonly GuaranteeFailure[]>,
): GuaranteeResult[] {
  const results: GuaranteeResult[] = [];
  for (const guarantee of names) {
    const { title } = contract.guarantees[guarantee];
    const failures = allFailures.get(guarantee) ?? [];
    results.push({ guarantee, title, failures });
  }
  return results;
}

function listChecks(
  names: readonly contract.GuaranteeName[],
  site: ExpectedSite,
): Check[] {
  const checks: Check[] = [];
  for (const guarantee of names) {
    for (const [pattern, ...comparators] of table[guarantee]) {
      const requests = createRequests(pattern, site);
      checks.push({ guarantee, requests, comparators });
    }
  }
  return checks;
}

/** Reports that a response violates a guarantee. */
type Fail = (
  guarantee: contract.GuaranteeName,
  response: { readonly request: string },
  problem: string,
) => void;

interface CheckOptions
  extends Pick<DeploymentOptions, 'concurrency' | 'onProgress'> {
  readonly fail: Fail;
}

/**
 * Runs the checks one after another, and sends each check's requests concurrently.
 * Each response is compared and then discarded, because the deployment controls the
 * number and size of responses.
 */
async function runChecks(
  probe: Probe,
  site: ExpectedSite,
  checks: readonly Check[],
  { concurrency, onProgress, fail }: CheckOptions,
): Promise<void> {
  const requests = probe.stats;
  const started = performance.now();
  let total = 0;
  for (const check of checks) total += check.requests.length;
  let done = 0;
  const limit = pLimit(concurrency);
  for (const check of checks) {
    await limit.map(check.requests, async (request) => {
      onProgress?.({ done, total, requests, started });
      await checkRequest(probe, site, check, request, fail);
      done++;
    });
  }
}

/**
 * Sends a request and reports only the first problem of its response, because any
 * further problems usually have the same cause.
 */
async function checkRequest(
  probe: Probe,
  site: ExpectedSite,
  { guarantee, comparators }: Check,
  request: ProbeRequest,
  fail: Fail,
): Promise<void> {
  const expected = await site.respond(request);
  const maxBytes = Math.max(MAX_BODY_BYTES, 4 * expected.text.length);
  const got = await probe.send({ ...request, maxBytes });
  for (const compare of comparators) {
    const problem = await compare({
      request,
      got,
      expected,
      site,
      send: probe.send,
    });
    if (problem !== undefined) {
      fail(guarantee, got, problem);
      return;
    }
  }
}

/**
 * Selects the guarantees to check. If a site links to files instead of endpoints,
 * its endpoints are checked only at the full level.
 */
export function selectGuarantees(
  level: contract.Level,
  links: LinkStyle,
): contract.GuaranteeName[] {
  if (level === 'full') return [...contract.guaranteeNames];
  return contract.guaranteeNames.filter((name) => {
    const { needs } = contract.guarantees[name];
    const needsEndpoints = needs === 'rules';
    return needs === 'files' || (needsEndpoints && links === 'query');
  });
}
