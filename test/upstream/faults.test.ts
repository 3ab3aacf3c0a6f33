import { expect, it } from 'vitest';
import { editionNumber, stateNumber, withoutBypass } from '../support/editions.ts';
import { type Fault, faults } from '../support/faults.ts';
import { loadFrom } from '../support/reading.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const LIST = '/api/v2/move/?limit=100000&offset=0';
const RECORD = '/api/v2/item/2/';
const ATTEMPTS = 5;

/** Creates the body that a working upstream sends for the list or the record. */
function createBody(at: Fault['at'], url: string): string {
  const { move, item } = tinyUpstream(3, 3);
  if (at === 'record') return JSON.stringify(item[1]);
  const results = move.map(({ id, name }) => ({ name, url: `${url}/move/${id}/` }));
  return JSON.stringify({ count: results.length, results });
}

/**
 * Reads an upstream whose first responses for a list or a record are faulty. Returns the
 * error, if any, and the number of requests for that list or record.
 */
async function readFaulty({ at, respond }: Fault, times: number) {
  const data = upstreamOf(tinyUpstream(3, 3));
  const faultyPath = at === 'record' ? RECORD : LIST;
  let requests = 0;
  const server = await serveUpstream(data, {
    stateOf: () => stateNumber(2, data),
    fault({ url = '' }, response) {
      if (withoutBypass(url) !== faultyPath) return false;
      requests += 1;
      if (requests > times) return false;
      const correctBody = createBody(at, server.url);
      respond({ response, correctBody, otherEdition: editionNumber(1).hash });
      return true;
    },
  });
  const reading = loadFrom('rest', server.url, { concurrency: 1 });
  const [outcome] = await Promise.allSettled([reading]);
  const error = outcome.status === 'rejected' ? outcome.reason : undefined;
  return { error, requests };
}

const temporaryFaults = faults.filter(({ reaction }) => reaction === 'again');
const finalFaults = faults.filter(({ reaction }) => reaction === 'fail');
const harmlessFaults = faults.filter(({ reaction }) => reaction === 'use');

it.each(temporaryFaults)(
  'retries a request after the fault $name',
  async (fault) => {
    expect(await readFaulty(fault, 2)).toEqual({ error: undefined, requests: 3 });
    const { error, requests } = await readFaulty(fault, Infinity);
    const message = expect.stringContaining(fault.text);
    expect(error).toMatchObject({ code: 'upstream', message });
    expect(requests % ATTEMPTS).toBe(0);
  },
);

it.each(finalFaults)('fails at once after the fault $name', async (fault) => {
  const { error, requests } = await readFaulty(fault, Infinity);
  const message = expect.stringContaining(fault.text);
  expect(error).toMatchObject({ code: 'upstream', message });
  expect(requests).toBe(1);
});

it.each(harmlessFaults)('accepts a response with $name', async (fault) => {
  const { error, requests } = await readFaulty(fault, Infinity);
  expect({ error, requests }).toEqual({ error: undefined, requests: 1 });
});
