import { apache } from './apache.ts';
import { caddy } from './caddy.ts';
import { cloudflare } from './cloudflare.ts';
import { githubPages } from './github-pages.ts';
import type { Host, HostContext, HostFile } from './host.ts';
import { netlify, netlifyRules } from './netlify.ts';
import { nginx } from './nginx.ts';

/** To add a host, create a file in this folder and add an entry below. */
export const hosts = {
  netlify,
  'netlify-rules': netlifyRules,
  cloudflare,
  'github-pages': githubPages,
  nginx,
  caddy,
  apache,
} as const satisfies Record<string, Host>;

export type HostName = keyof typeof hosts;
export const hostNames = Object.keys(hosts) as HostName[];

export const webServerNames: readonly string[] = hostNames.filter((name) => 'installation' in hosts[name]);

export const queryIgnoringHosts: readonly string[] = ['github-pages'];

export function findConflictingHosts(names: readonly HostName[]): readonly HostName[] {
  const rivals = names.filter((name) => name === 'cloudflare' || name.startsWith('netlify'));
  return rivals.includes('cloudflare') && new Set(rivals).size > 1 ? rivals : [];
}

/** The first host of the table wins if two hosts have the same path. */
export function createHostFiles(names: readonly HostName[], context: HostContext): HostFile[] {
  const files = new Map<string, HostFile>();
  for (const name of hostNames.filter((known) => names.includes(known))) {
    for (const file of hosts[name].files(context)) if (!files.has(file.path)) files.set(file.path, file);
  }
  return [...files.values()];
}
