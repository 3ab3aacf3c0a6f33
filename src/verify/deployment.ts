import { performance } from 'node:perf_hooks';
import pLimit from 'p-limit';
import { type GuaranteeName, guarantees } from '../contract/guarantees.ts';
import { mapKinds } from '../contract/kinds.ts';
import type { Counts } from '../contract/records.ts';
import { toSeconds } from '../contract/words.ts';
import { hostNames, selectGuarantees } from '../hosts/index.ts';
import type { SiteFolder } from '../site-folder.ts';
import { MAX_BODY_BYTES } from '../upstream/body.ts';
import { closeOnAbort } from '../upstream/client.ts';
import { createProbe, type Probe } from '../upstream/probe.ts';
import { type AwaitOptions, awaitSite, fetchManifest } from './await-site.ts';
import type { Comparator } from './comparators.ts';
import {
  type ExpectedSite,
  expectDeployment,
  expectFolder,
  type PlannedRequest,
} from './expected.ts';
import { checkOneSite } from './one-site.ts';
import type { OnVerifyProgress } from './progress.ts';
import { type Row, table } from './table.ts';

export interface DeploymentOptions extends AwaitOptions {
  readonly concurrency: number;
  /** The default is the site that results from the deployment's own data set. */
  readonly expectedSite?: SiteFolder | undefined;
  /** The default is the guarantees that all hosts of the site can keep. */
  readonly guarantees?: readonly GuaranteeName[] | undefined;
  readonly onProgress?: OnVerifyProgress | undefined;
  /**
   * The delay before the first retry when reading the data set, in milliseconds. Tests
   * shorten it.
   */
  readonly retryBaseMs?: number | undefined;
}

/**
 * The result for one guarantee. The deployment keeps the guarantee if `failures` is
 * empty.
 */
export interface GuaranteeResult {
  readonly guarantee: GuaranteeName;
  readonly title: string;
  readonly failures: readonly GuaranteeFailure[];
}

export interface GuaranteeFailure {
  /** The method and path, such as `GET /api/gamedata/move/`. */
  readonly request: string;
  readonly problem: string;
}

export interface DeploymentReport {
  readonly address: string;
  /** The hosts that the site was built for. Empty if only plain files are checked. */
  readonly hosts: readonly string[];
  readonly counts: Counts;
  readonly guarantees: readonly GuaranteeResult[];
  /** The number of guarantees that the deployment does not keep. */
  readonly failed: number;
  readonly seconds: number;
}

/** No response to these requests is large enough to take longer. */
const MAX_RESPONSE_MS = 60_000;

/**
 * Compares a deployment's responses with the request handler's responses. If a site in
 * a folder is expected, first waits until the deployment serves it.
 *
 * @param address the base URL without a trailing slash
 * @throws GamedataError if a request gets no response in two attempts, if the
 * deployment does not serve the expected site, or if the site is replaced in the
 * meantime
 */
export async function verifyDeployment(
  address: string,
  options: DeploymentOptions,
): Promise<DeploymentReport> {
  const { expectedSite, concurrency, signal, onProgress } = options;
  const timeouts = { total: MAX_RESPONSE_MS };
  const probe = createProbe(address, { concurrency, timeouts });
  return closeOnAbort(probe, signal, async () => {
    // The total is not known yet.
    onProgress?.({ done: 0, total: 0 });
    if (expectedSite) await awaitSite(probe, expectedSite, options);
    return checkOneSite(
      address,
      () => fetchManifest(probe),
      () => checkDeployment(probe, options),
    );
  });
}

/**
 * Checks the guarantees that the hosts of the site keep. The requests depend on the
 * site's records.
 */
async function checkDeployment(
  probe: Probe,
  options: DeploymentOptions,
): Promise<DeploymentReport> {
  const started = performance.now();
  const { address } = probe;
  const { expectedSite, concurrency, retryBaseMs, signal } = options;
  const site = expectedSite
    ? await expectFolder(expectedSite, address)
    : await expectDeployment(address, { concurrency, retryBaseMs, signal });
  const siteHosts = hostNames.filter((name) => site.meta.hosts.includes(name));
  const checkedNames = options.guarantees ?? selectGuarantees(siteHosts);
  const results = await checkGuarantees(probe, site, checkedNames, options);
  const broken = results.filter(({ failures }) => failures.length > 0);
  return {
    address,
    hosts: siteHosts,
    counts: mapKinds((kind) => site.records[kind].length),
    guarantees: results,
    failed: broken.length,
    seconds: toSeconds(performance.now() - started),
  };
}

/** A request for a guarantee. Its response must satisfy all comparators. */
interface Check {
  readonly guarantee: GuaranteeName;
  readonly request: PlannedRequest;
  readonly comparators: readonly Comparator[];
}

/**
 * Checks one guarantee after another, and sends the requests for each guarantee
 * concurrently. No response is kept after it has been checked, because the deployment
 * controls the number and size of responses, which could fill the memory.
 */
async function checkGuarantees(
  probe: Probe,
  site: ExpectedSite,
  names: readonly GuaranteeName[],
  { concurrency, onProgress }: DeploymentOptions,
): Promise<GuaranteeResult[]> {
  const checks = listChecks(names, site);
  const total = checks.length;
  let done = 0;

  async function runCheck(check: Check): Promise<GuaranteeFailure | undefined> {
    onProgress?.({ done, total });
    const failure = await findFailure(probe, site, check);
    done++;
    return failure;
  }

  const limit = pLimit(concurrency);
  const results: GuaranteeResult[] = [];
  for (const guarantee of names) {
    const { title } = guarantees[guarantee];
    const ownChecks = checks.filter((check) => check.guarantee === guarantee);
    const outcomes = await limit.map(ownChecks, runCheck);
    const failures = outcomes.filter((failure) => failure !== undefined);
    results.push({ guarantee, title, failures });
  }
  return results;
}

/** Lists the requests for each guarantee, based on the site's records. */
function listChecks(names: readonly GuaranteeName[], site: ExpectedSite): Check[] {
  const checks: Check[] = [];
  for (const guarantee of names) {
    for (const row of table[guarantee]) {
      const { comparators } = row;
      for (const request of createRequests(row, site)) {
        checks.push({ guarantee, request, comparators });
      }
    }
  }
  return checks;
}

/**
 * Creates a row's requests. A row may list the same path twice, so duplicates are
 * removed.
 */
function createRequests(
  { paths, methods = ['GET'], headers = {} }: Row,
  site: ExpectedSite,
): PlannedRequest[] {
  const requests: PlannedRequest[] = [];
  for (const path of new Set(paths(site))) {
    for (const method of methods) requests.push({ method, path, headers });
  }
  return requests;
}

/**
 * Sends a request, and compares the response with the expected one. Returns the first
 * problem, or undefined if the response is correct. Any further problems usually have the
 * same cause.
 */
async function findFailure(
  probe: Probe,
  site: ExpectedSite,
  { request, comparators }: Check,
): Promise<GuaranteeFailure | undefined> {
  const expected = await site.respond(request);
  // An incorrect response may be larger than the expected one, but only up to this
  // limit.
  const maxBytes = Math.max(MAX_BODY_BYTES, 2 * expected.text.length);
  const got = await probe.send({ ...request, maxBytes });
  for (const compare of comparators) {
    const problem = await compare({
      request,
      got,
      expected,
      site,
      send: probe.send,
    });
    if (problem !== undefined) return { request: got.request, problem };
  }
  return undefined;
}
