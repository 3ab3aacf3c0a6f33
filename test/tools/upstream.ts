/**
 * Serves a local upstream until it is stopped. With `--second-night`, it serves the
 * data of a later day, so that contributors and operators can rehearse an update.
 */

import { parseArgs } from 'node:util';
import { editionNumber } from '../support/editions.ts';
import { fullUpstream } from '../support/full-upstream.ts';
import { createSecondNight } from '../support/second-night.ts';
import { startUpstream } from '../support/upstream-server.ts';

const HELP = `npm run upstream -- [options]

  --port <n>      port to listen on [a free one]
  --latency <ms>  delay before each response [0]
  --second-night  serve later data: some records changed, removed and renamed
  --help          show this help`;

function readOptions() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      latency: { type: 'string', default: '0' },
      'second-night': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}

async function main(): Promise<void> {
  const values = readOptions();
  if (values.help) {
    console.log(HELP);
    return;
  }
  const isSecond = values['second-night'];
  const first = fullUpstream();
  const data = isSecond ? createSecondNight(first) : first;
  const edition = editionNumber(isSecond ? 2 : 1);
  const { url } = await startUpstream(data, {
    port: Number(values.port),
    latency: Number(values.latency),
    maxAge: 86_400,
    stateOf: () => ({ data, edition }),
  });
  console.log(`${data.name} upstream on ${url}`);
}

await main().catch(({ message }: Error) => {
  console.error(`error: ${message}`);
  process.exitCode = 1;
});
