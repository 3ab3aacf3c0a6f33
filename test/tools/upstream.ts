/**
 * Serves a local upstream until it is stopped:
 * `npm run upstream -- [port] [latency in ms]`.
 */

import { fullUpstream } from '../support/full-upstream.ts';
import { startUpstream } from '../support/upstream-server.ts';

const [port = 0, latency = 0] = process.argv.slice(2).map(Number);
const data = fullUpstream();
const edition = { hash: '0'.repeat(40), deployed: Date.UTC(2026, 0, 1) / 1000 };
const { url } = await startUpstream(data, {
  port,
  latency,
  maxAge: 86_400,
  stateOf: () => ({ data, edition }),
});
console.log(`${data.name} upstream on ${url}`);
