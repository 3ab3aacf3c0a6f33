/** Requests and responses as plain data: a `Request` would normalize the path, and our own server knows it as sent. */

/** What a response depends on. */
export interface PlainRequest {
  readonly method: string;
  /** As it was sent: neither decoded nor normalized. Starts with a slash. */
  readonly path: string;
  /** The query with its question mark, or empty. */
  readonly search: string;
  readonly headers: Pick<Headers, 'get'>;
}

export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | null;
}
