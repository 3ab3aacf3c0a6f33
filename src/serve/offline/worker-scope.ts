/**
 * The parts of a service worker's global scope that we use. We declare them ourselves,
 * because TypeScript's types for browsers conflict with those for Node.
 *
 * @see https://w3c.github.io/ServiceWorker/
 */

export interface StoredCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
  keys(): Promise<readonly { readonly url: string }[]>;
}

export interface StoredCaches {
  open(name: string): Promise<StoredCache>;
  delete(name: string): Promise<boolean>;
  /** Lists the names of the caches, in the order in which they were created. */
  keys(): Promise<string[]>;
}

/** An event that keeps the worker running until a promise is settled. */
interface ExtendableEvent {
  waitUntil(promise: Promise<unknown>): void;
}

interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

interface FetchOptions {
  /** `no-cache` asks the host whether the browser's copy is still current. */
  readonly cache: 'no-cache';
  readonly signal: AbortSignal;
}

export interface WorkerScope {
  readonly caches: StoredCaches;
  /** The location of the worker's main script, even in an imported script. */
  readonly location: { readonly href: string };
  fetch(url: string, options: FetchOptions): Promise<Response>;
  addEventListener(
    type: 'install',
    listener: (event: ExtendableEvent) => void,
  ): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
}
