import type { HostName } from '../../../src/hosts/index.ts';

/** A program that serves a built site. */
export interface Engine {
  readonly name: string;
  /** The host whose configuration the engine reads. */
  readonly host?: HostName | undefined;
  /** The maximum number of concurrent requests, if more would make the engine slow. */
  readonly concurrency?: number;
  /** Returns why the engine cannot start, such as `nginx is not installed`. */
  missing(): string | undefined;
  start(site: string): Promise<RunningEngine>;
}

export interface RunningEngine {
  /** `http://127.0.0.1:<port>` and the path of the site's base URL. */
  readonly url: string;
  stop(): Promise<void>;
}
