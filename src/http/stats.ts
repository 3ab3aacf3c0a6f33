/** Statistics about a client's requests so far. */
export interface RequestStats {
  /** The number of requests, including retries and redirects. */
  requests: number;
  /** The number of responses with a new body. */
  bodies: number;
  notModified: number;
  retries: number;
  /** The total size of all bodies as received. */
  bytes: number;
  /** The number of values that came from the disk cache. */
  cacheHits: number;
}

export const createStats = (): RequestStats => ({
  requests: 0,
  bodies: 0,
  notModified: 0,
  retries: 0,
  bytes: 0,
  cacheHits: 0,
});
