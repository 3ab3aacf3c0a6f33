export interface TimedResponse {
  readonly response: Response;
  readonly text: string;
  /** The size of the response's body. */
  readonly bytes: number;
  /** The time until the response was complete. */
  readonly milliseconds: number;
}

/**
 * Requests JSON as a program does, and measures the time.
 *
 * @throws if there is no complete response, or if the signal aborts the request
 */
export async function requestText(
  url: string,
  signal: AbortSignal,
): Promise<TimedResponse> {
  const start = performance.now();
  const headers = { Accept: 'application/json' };
  const response = await fetch(url, { headers, signal });
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - start);
  const bytes = new TextEncoder().encode(text).length;
  return { response, text, bytes, milliseconds };
}
