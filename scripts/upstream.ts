/** Runs the tests' upstream by itself, to build against: `npm run upstream -- [port] [latency in ms]`. */

import { handMadeUpstream, hasRecordedUpstream, recordedUpstream } from '../test/support/upstream-data.ts';
import { startUpstream } from '../test/support/upstream-server.ts';

const [port = 0, latency = 0] = process.argv.slice(2).map(Number);
const data = hasRecordedUpstream ? recordedUpstream() : handMadeUpstream();
const { url } = await startUpstream(data, { port, latency, maxAge: 86_400 });
console.log(`${data.name} upstream on ${url}`);
