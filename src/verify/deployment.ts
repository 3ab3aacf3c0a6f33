import { performance } from 'node:perf_hooks';
import pLimit from 'p-limit';
import type { Site } from '../built/read.ts';
import * as contract from '../contract/guarantees.ts';
import { mapKinds } from '../contract/kinds.ts';
import type { LinkStyle } from '../contract/paths.ts';
import { measureSeconds } from '../contract/words.ts';
import { MAX_BODY_BYTES } from '../http/body.ts';
import { closeOnAbort } from '../http/client.ts';
import { createProbe } from '../http/probe.ts';
import { expectCrawled, expectSite, type Fail } from './expected.ts';
import { createRequests, table } from './table.ts';

interface DeploymentOptions {
  readonly level: contract.Level;
  readonly supported?: SupportedByHosts | undefined;
  readonly concurrency: number;
  /** Default: the site derived from the deployment's lists. */
  readonly site?: Site | undefined;
  /** The base URL of links, if it differs from the address. */
  readonly linkBase?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SupportedByHosts {
  readonly hosts: readonly string[];
  readonly names: readonly contract.GuaranteeName[];
}

const MAX_FAILURES = 1000;

/** The guarantee is kept if `failures` is empty. */
export interface GuaranteeResult {
  readonly guarantee: contract.GuaranteeName;
  readonly title: string;
  readonly failures: { readonly request: string; readonly problem: string }[];
}

export type DeploymentReport = Awaited<ReturnType<typeof verifyDeployment>>;

/**
 * Compares a deployment's responses with the request handler's.
 *
 * @param address the base URL without a trailing slash
 * @throws UpstreamError if a request gets no response in two attempts
 */
export async function verifyDeployment(
  address: string,
  { level, supported, concurrency, site: like, linkBase, signal }: DeploymentOptions,
) {
  const started = performance.now();
  const results = new Map(
    contract.guaranteeNames.map((guarantee): [string, GuaranteeResult] => {
      return [guarantee, { guarantee, title: contract.guarantees[guarantee].title, failures: [] }];
    }),
  );
  const fail: Fail = (name, { request }, problem) => {
    const failures = results.get(name)?.failures;
    if (failures && failures.length < MAX_FAILURES) failures.push({ request, problem });
  };
  return closeOnAbort(createProbe(address, { concurrency }), signal, async (probe) => {
    const site = like ? expectSite(like, address) : await expectCrawled(probe, linkBase, fail);
    const names = supported?.names ?? selectGuarantees(level, site.linkBase.links);
    // Each response is compared and then discarded, because the deployment controls the number and size of responses.
    const limit = pLimit(concurrency);
    for (const name of names)
      for (const [requests, ...comparators] of table[name])
        await limit.map(createRequests(requests, site), async (request) => {
          const expected = await site.respond(request);
          const maxBytes = Math.max(MAX_BODY_BYTES, 4 * expected.text.length);
          const got = await probe.send({ ...request, maxBytes });
          for (const compare of comparators) {
            const problem = await compare({ request, got, expected, site, send: probe.send });
            if (problem) return fail(name, got, problem);
          }
        });
    const guarantees = names.flatMap((name) => results.get(name) ?? []);
    return {
      address,
      level,
      hosts: supported?.hosts,
      counts: mapKinds((kind) => site.records[kind].length),
      guarantees,
      failed: guarantees.filter(({ failures }) => failures.length > 0).length,
      seconds: measureSeconds(started),
    };
  });
}

/** A site with file links needs endpoints only at the full level. */
export function selectGuarantees(
  level: contract.Level,
  links: LinkStyle,
): contract.GuaranteeName[] {
  const isNeeded = (needs: contract.Needs): boolean =>
    level === 'full' || needs === 'files' || (needs === 'rules' && links === 'query');
  return contract.guaranteeNames.filter((name) => isNeeded(contract.guarantees[name].needs));
}
