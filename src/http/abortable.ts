/** The life of a client: it is closed when the work ends, and at once when a signal aborts it. */

/**
 * Runs work with a client, and closes the client afterwards.
 *
 * @throws the signal's reason if it is aborted, whatever error that causes in the work
 */
export async function abortable<C extends { close(): Promise<void> }, T>(
  client: C,
  signal: AbortSignal | undefined,
  work: (client: C) => Promise<T>,
): Promise<T> {
  const stop = (): void => void client.close();
  signal?.addEventListener('abort', stop);
  try {
    signal?.throwIfAborted();
    return await work(client);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    await client.close();
  }
}
