/** Many requests that wait for a retry at once. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { decodeJson } from '../../src/http/body.ts';
import { deserted } from '../support/local-server.ts';
import { testClient } from '../support/test-client.ts';

describe('requests that wait for a retry', () => {
  it('are counted, with the time until the first of them is sent again, and cause no warning of Node', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    const url = await deserted();
    const client = testClient({ concurrency: 40, retries: 1, retryBaseMs: 1000 });
    expect(client.waiting()).toEqual({ requests: 0, nextInMs: 0 });

    const failed = Promise.allSettled(
      Array.from({ length: 40 }, (_, at) => client.get(`${url}/${at}`, decodeJson)),
    );
    await expect.poll(() => client.waiting().requests).toBe(40);
    const { nextInMs } = client.waiting();
    expect(nextInMs).toBeGreaterThan(0);
    expect(nextInMs).toBeLessThanOrEqual(1000);
    await failed;
    expect(client.waiting()).toEqual({ requests: 0, nextInMs: 0 });
    expect(warnings).toEqual([]);
  });
});
