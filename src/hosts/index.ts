/** The table of hosts: a new one is a file beside this one and a row here. */

import type { SiteFile } from '../contract/site.ts';
import { apache } from './apache.ts';
import { caddy } from './caddy.ts';
import { cloudflare } from './cloudflare.ts';
import type { Host, HostContext } from './host.ts';
import { netlify } from './netlify.ts';
import { netlifyEdge } from './netlify-edge.ts';
import { nginx } from './nginx.ts';

export const hosts = {
  netlify,
  'netlify-edge': netlifyEdge,
  cloudflare,
  nginx,
  caddy,
  apache,
} as const satisfies Record<string, Host>;

export type HostName = keyof typeof hosts;
export const hostNames = Object.keys(hosts) as readonly HostName[];

/** The files of several hosts together; one that two of them write alike comes once. */
export function hostFiles(names: readonly HostName[], context: HostContext): SiteFile[] {
  const files: SiteFile[] = [];
  for (const file of names.flatMap((name) => hosts[name].files(context))) {
    if (!files.some(({ path, body }) => path === file.path && body === file.body)) files.push(file);
  }
  return files;
}
