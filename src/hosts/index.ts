/** The table of hosts: a new one is a file beside this one and a row here. */

import type { Host } from './host.ts';
import { netlify } from './netlify.ts';

export const hosts = { netlify } as const satisfies Record<string, Host>;

export type HostName = keyof typeof hosts;
export const hostNames = Object.keys(hosts) as readonly HostName[];
