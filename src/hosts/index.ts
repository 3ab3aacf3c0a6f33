/** The table of hosts. To add one: a file beside this one, a row here, and its name in names.ts. */

import { apache } from './apache.ts';
import { caddy } from './caddy.ts';
import { cloudflare } from './cloudflare.ts';
import { githubPages } from './github-pages.ts';
import type { Host, HostContext, HostFile } from './host.ts';
import { type HostName, hostNames } from './names.ts';
import { netlify, netlifyRules } from './netlify.ts';
import { nginx } from './nginx.ts';

export const hosts = {
  netlify,
  'netlify-rules': netlifyRules,
  cloudflare,
  'github-pages': githubPages,
  nginx,
  caddy,
  apache,
} as const satisfies Record<HostName, Host>;

/**
 * The files of several hosts. Of two with the same path, the one of the host that is first in the table counts, as in copies of
 * sites that are for both Netlify and Cloudflare.
 */
export function hostFiles(names: readonly HostName[], context: HostContext): HostFile[] {
  const files = new Map<string, HostFile>();
  for (const name of hostNames.filter((known) => names.includes(known))) {
    for (const file of hosts[name].files(context)) if (!files.has(file.path)) files.set(file.path, file);
  }
  return [...files.values()];
}
