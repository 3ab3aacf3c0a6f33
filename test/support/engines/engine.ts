/** The seam of the engines: the real programs that serve a built site, each started on a free port of loopback. */

import type { HostName } from '../../../src/hosts/names.ts';

export interface Engine {
  readonly name: string;
  /** Whose configuration the site is built with; undefined if the engine needs none. */
  readonly host?: HostName | undefined;
  /** The maximum number of concurrent requests, where more than a few would make it slow. */
  readonly concurrency?: number;
  /** Why the engine cannot be started here, such as `nginx is not installed`; undefined if it can. */
  missing(): string | undefined;
  /** Serves the site in a folder. What it started is gone once `stop` resolves. */
  start(site: string): Promise<RunningEngine>;
}

export interface RunningEngine {
  /** `http://127.0.0.1:<port>`, with the path of the site's base URL. */
  readonly url: string;
  stop(): Promise<void>;
}
