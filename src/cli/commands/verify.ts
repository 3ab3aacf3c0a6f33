/** The verify command: re-reads a built site, or checks a deployment. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type GuaranteeName, guaranteeNames, type Level, levels } from '../../contract/guarantees.ts';
import type { Meta } from '../../contract/meta.ts';
import { firstOf } from '../../contract/words.ts';
import { DataError, UsageError } from '../../errors.ts';
import { hosts } from '../../hosts/index.ts';
import { hostNames } from '../../hosts/names.ts';
import { abortable, createClient } from '../../http/client.ts';
import { findDifferences } from '../../publish/mirror/differences.ts';
import { settled } from '../../publish/publish.ts';
import { archivePlace, folderPlace, isArchive } from '../../sources/site/place.ts';
import { openSite } from '../../sources/site/read.ts';
import { isAddress } from '../../sources/source.ts';
import { type DeploymentReport, type SupportedByHosts, verifyDeployment } from '../../verify/deployment.ts';
import { type FolderReport, verifyFolder, verifyPlace } from '../../verify/folder.ts';
import { checkAddress, integerOption, oneOf, refuseUnknown, waitOption } from './check-options.ts';
import { defaults } from './defaults.ts';
import type { SourceOptions } from './source-options.ts';

export interface VerifyOptions extends Pick<SourceOptions, 'concurrency' | 'signal'> {
  /** The guarantees that a deployment has to keep. Default `static`; with `like`, those of the hosts of that site. */
  readonly level?: Level | undefined;
  /** The base URL of links, if the site was built for another one than it is deployed at. */
  readonly linkBase?: string | undefined;
  /** The folder of a built site, which the deployment has to serve. */
  readonly like?: string | undefined;
  /** How long to wait until it does, such as `90s`, `10m` or `1h`. Default: not at all. */
  readonly wait?: string | undefined;
}

const INTERVAL_MS = 5000;
const DIFFERENCES_SHOWN = 5;

/**
 * Verifies a built site in a folder or an archive, or a deployment at a URL.
 *
 * @param watchers `onWait` is called with what differs, whenever that is something new
 * @throws UsageError, OutputError if the folder is not a site, UpstreamError if the URL does not respond, DataError if it does
 *   not serve the site that it should
 */
export async function verify(
  target: string,
  options: VerifyOptions = {},
  watchers: { onWait?: (line: string) => void } = {},
): Promise<FolderReport | DeploymentReport> {
  refuseUnknown(options, 'level linkBase like wait concurrency signal');
  const { like, wait, signal } = options;
  if (!isAddress(target)) {
    if (like === undefined && wait === undefined) return verifyLocal(target);
    const name = like === undefined ? '--wait' : '--like';
    throw new UsageError(`${name}: got a folder to check, expected a URL`);
  }
  const address = checkAddress('address', target);
  const level = oneOf('level', options.level ?? defaults.level, levels);
  const concurrency = integerOption('concurrency', options.concurrency ?? defaults.concurrency);
  const linkBase = options.linkBase === undefined ? undefined : checkAddress('--link-base', options.linkBase);
  const deployment = { level, concurrency, linkBase, signal };
  if (like === undefined) {
    if (wait !== undefined) throw new UsageError('--wait: got no site to wait for, expected --like <dir>');
    return verifyDeployment(address, deployment);
  }
  const deadline = Date.now() + (wait === undefined ? 0 : waitOption(wait));
  await settled(like);
  const site = openSite(folderPlace(like));
  await abortable(createClient({ concurrency, retries: 1 }), signal, async (client) => {
    let told: string | undefined;
    for (let offset = 0; ; offset++) {
      const found = await findDifferences(client, address, { site, concurrency, offset });
      const [first] = found;
      if (first === undefined) return;
      const left = deadline - Date.now();
      const problem = `does not serve the site in ${like}: ${firstOf(found, DIFFERENCES_SHOWN)}`;
      if (left <= 0) throw new DataError(problem, { record: address });
      if (first !== told) watchers.onWait?.(`waiting for ${address}: ${first}`);
      told = first;
      await sleep(Math.min(INTERVAL_MS, left), undefined, { signal });
    }
  });
  const supported = options.level === undefined ? supportedBy(site.meta.hosts) : undefined;
  return verifyDeployment(address, { ...deployment, supported, linkBase: linkBase ?? site.meta.base_url });
}

async function verifyLocal(target: string): Promise<FolderReport> {
  if (isArchive(target)) return verifyPlace(await archivePlace(target));
  await settled(target);
  return verifyFolder(target);
}

/** What every host supports that a site has configuration for; undefined if it has none that this version knows. */
function supportedBy(listed: Meta['hosts']): SupportedByHosts | undefined {
  const known = hostNames.filter((name) => listed.includes(name));
  if (known.length === 0) return undefined;
  const unsupported = known.flatMap((name): readonly GuaranteeName[] => hosts[name].unsupported);
  return { hosts: known, names: guaranteeNames.filter((guarantee) => !unsupported.includes(guarantee)) };
}
