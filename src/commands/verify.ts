/** The verify command: re-reads a built site, or checks a deployment. */

import { isAddress } from '../sources/source.ts';
import { type DeploymentReport, verifyDeployment } from '../verify/deployment.ts';
import { type FolderReport, verifyFolder } from '../verify/folder.ts';
import { type Level, levels } from '../verify/level.ts';
import { checkAddress, concurrencyOption, oneOf } from './check-options.ts';
import { defaults } from './defaults.ts';

export interface VerifyOptions {
  /** The guarantees that a deployment has to keep. Default `static`. */
  readonly level?: Level | undefined;
  /** The maximum number of concurrent requests. Default 16. */
  readonly concurrency?: number | undefined;
  /** The base URL of links, if the site was built for another one than it is deployed at. */
  readonly linkBase?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Verifies a built site in a folder, or a deployment at a URL.
 *
 * @throws UsageError, OutputError if the folder is not a site, UpstreamError if the URL does not respond
 */
export async function verify(
  target: string,
  options: VerifyOptions = {},
): Promise<FolderReport | DeploymentReport> {
  if (!isAddress(target)) return verifyFolder(target);
  const { level = defaults.level, concurrency = defaults.concurrency, linkBase, signal } = options;
  return verifyDeployment(checkAddress('address', target), {
    level: oneOf('level', level, levels),
    concurrency: concurrencyOption(concurrency),
    linkBase: linkBase === undefined ? undefined : checkAddress('--link-base', linkBase),
    signal,
  });
}
