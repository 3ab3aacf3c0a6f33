/** The story of a verification: a folder is read, an address is asked. */

import { resolveVerify, type VerifyOptions } from './options.ts';
import { isAddress } from './sources/source.ts';
import { type DeploymentReport, verifyDeployment } from './verify/deployment.ts';
import { type FolderReport, verifyFolder } from './verify/folder.ts';

/**
 * Checks a built site in a folder, or a deployment at an address.
 *
 * @throws UsageError, OutputError where the folder is no site, UpstreamError where the address gives no answer
 */
export async function verify(
  target: string,
  options: VerifyOptions = {},
): Promise<FolderReport | DeploymentReport> {
  if (!isAddress(target)) return verifyFolder(target);
  const resolved = resolveVerify(target, options);
  return verifyDeployment(resolved.address, resolved.options);
}
