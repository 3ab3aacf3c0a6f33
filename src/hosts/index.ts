/** The table of hosts. A new host needs a file in this folder, a row here, and its name in names.ts. */

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

/** Returns the files of several hosts. If two hosts have the same path, the first host of the table wins. */
export function hostFiles(names: readonly HostName[], context: HostContext): HostFile[] {
  const files = new Map<string, HostFile>();
  for (const name of hostNames.filter((known) => names.includes(known))) {
    for (const file of hosts[name].files(context)) if (!files.has(file.path)) files.set(file.path, file);
  }
  return [...files.values()];
}
