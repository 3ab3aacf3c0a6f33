/** What a client has requested so far. */
export interface RequestStats {
  /** Including retries and redirects. */
  requests: number;
  /** Responses with a new body. */
  bodies: number;
  notModified: number;
  retries: number;
  /** Of all bodies, as received. */
  bytes: number;
  /** Values that the disk cache provided. */
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
