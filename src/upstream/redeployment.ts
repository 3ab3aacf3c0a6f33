import { isDeepStrictEqual } from 'node:util';
import { GamedataError } from '../errors.ts';
import { findFailure } from './client.ts';

/** An upstream or a site is not deployed three times within a few minutes. */
const MAX_DEPLOYMENTS = 3;

/**
 * Reads an upstream or a site that may be deployed while it is being read. First requests
 * the current deployment, and then calls the function that reads everything.
 *
 * If that fails, requests the current deployment again. If it has changed, the function
 * probably read files of two deployments, so it is called again, at most three times in
 * total. Otherwise, the function's error is thrown.
 *
 * @param requestDeployment requests a value that identifies the current deployment
 * @throws the function's error
 */
export async function retryIfRedeployed<D, T>(
  requestDeployment: () => Promise<D>,
  readAll: (deployment: D) => Promise<T>,
): Promise<T> {
  let deployment = await requestDeployment();
  for (let deployments = 1; ; deployments++) {
    try {
      return await readAll(deployment);
    } catch (error) {
      const isLast = deployments === MAX_DEPLOYMENTS;
      if (isLast || !mayBeFromDeployment(error)) throw error;
      // If this request fails as well, the first error explains more.
      const current = await requestDeployment().catch(() => deployment);
      if (isDeepStrictEqual(current, deployment)) throw error;
      deployment = current;
    }
  }
}

/**
 * Returns whether a new deployment may have caused an error. A bug has another cause,
 * and so does a connection that gets no response.
 */
function mayBeFromDeployment(error: unknown): boolean {
  if (!(error instanceof GamedataError)) return false;
  // An error in the data does not come from a failed request.
  return findFailure(error)?.hasResponse ?? true;
}
