/** An upstream for one test, and what is asked of it. */

import { onTestFinished } from 'vitest';
import type { UpstreamData } from './upstream-data.ts';
import { startUpstream, type UpstreamOptions, type UpstreamServer } from './upstream-server.ts';

export async function serveUpstream(data: UpstreamData, options?: UpstreamOptions): Promise<UpstreamServer> {
  const server = await startUpstream(data, options);
  onTestFinished(() => server.close());
  return server;
}

/** The paths of the requests for records, without those for lists. */
export const recordPaths = ({ log }: UpstreamServer, from = 0): string[] =>
  log
    .slice(from)
    .map(({ path }) => path)
    .filter((path) => /\/\d+\/$/.test(path));
