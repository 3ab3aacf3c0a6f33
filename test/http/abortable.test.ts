import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { abortable } from '../../src/http/connections.ts';

/** A client that counts how often it was closed. */
function countingClient() {
  const client = { closed: 0, close: async () => void client.closed++ };
  return client;
}

describe('abortable work', () => {
  it('gets the client, which is closed afterwards', async () => {
    const client = countingClient();
    const result = await abortable(client, undefined, async (given) => {
      expect(given).toBe(client);
      expect(client.closed).toBe(0);
      return 'done';
    });
    expect([result, client.closed]).toEqual(['done', 1]);
  });

  it('fails with its own error, and the client is closed', async () => {
    const client = countingClient();
    const work = abortable(client, new AbortController().signal, () => Promise.reject(new RangeError('own')));
    await expect(work).rejects.toThrow('own');
    expect(client.closed).toBe(1);
  });

  it('is not started if it is aborted already', async () => {
    const client = countingClient();
    const work = abortable(client, AbortSignal.abort(new RangeError('stop')), () => {
      throw new Error('started');
    });
    await expect(work).rejects.toThrow('stop');
    expect(client.closed).toBe(1);
  });

  it('ends when it is aborted: the client is closed at once, and the reason replaces the error', async () => {
    const client = countingClient();
    const controller = new AbortController();
    const work = abortable(client, controller.signal, async () => {
      while (client.closed === 0) await sleep(1);
      throw new Error('the connection is closed');
    });
    controller.abort(new RangeError('stop'));
    await expect(work).rejects.toThrow('stop');
  });

  it('leaves no listener behind', async () => {
    const client = countingClient();
    const controller = new AbortController();
    await abortable(client, controller.signal, async () => {});
    controller.abort();
    expect(client.closed).toBe(1);
  });
});
