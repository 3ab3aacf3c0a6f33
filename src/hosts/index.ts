/** The table of hosts. To add one: a file beside this one, a row here, and its name in names.ts. */

import type { SiteFile } from '../contract/site-file.ts';
import { apache } from './apache.ts';
import { caddy } from './caddy.ts';
import { cloudflare } from './cloudflare.ts';
import type { Host, HostContext } from './host.ts';
import type { HostName } from './names.ts';
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
} as const satisfies Record<HostName, Host>;

/** The files of several hosts; one that is identical for two of them occurs once. */
export function hostFiles(names: readonly HostName[], context: HostContext): SiteFile[] {
  const files: SiteFile[] = [];
  for (const file of names.flatMap((name) => hosts[name].files(context))) {
    if (!files.some(({ path, body }) => path === file.path && body === file.body)) files.push(file);
  }
  return files;
}
