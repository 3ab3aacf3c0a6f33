import { onTestFinished } from 'vitest';
import type { UpstreamData } from './upstream-data.ts';
import {
  startUpstream,
  type UpstreamOptions,
  type UpstreamServer,
} from './upstream-server.ts';

export async function serveUpstream(
  data: UpstreamData,
  options?: UpstreamOptions,
): Promise<UpstreamServer> {
  const server = await startUpstream(data, options);
  onTestFinished(() => server.close());
  return server;
}
