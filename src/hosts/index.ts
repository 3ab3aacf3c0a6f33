import { guaranteeNames, guarantees } from '../contract/guarantees.ts';
import { apache } from './apache.ts';
import { caddy } from './caddy.ts';
import { cloudflare } from './cloudflare.ts';
import type { Host, HostContext, HostFile } from './host.ts';
import { netlify, netlifyRules } from './netlify.ts';
import { nginx } from './nginx.ts';

const githubPages: Host = {
  unsupported: guaranteeNames.filter(
    (name) =>
      guarantees[name].needs !== 'files' &&
      !['etag', 'not-modified', 'cors', 'compression'].includes(name),
  ),
  // GitHub Pages would otherwise omit files whose names start with an underscore.
  files: () => [{ path: '.nojekyll', body: '' }],
};

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

export const webServerNames: readonly string[] = hostNames.filter(
  (name) => 'installation' in hosts[name],
);

export const queryIgnoringHosts: readonly string[] = ['github-pages'];

export function findConflictingHosts(names: readonly HostName[]): readonly HostName[] {
  const rivals = names.filter((name) => name === 'cloudflare' || name.startsWith('netlify'));
  return rivals.includes('cloudflare') && new Set(rivals).size > 1 ? rivals : [];
}

/** Netlify's two hosts create the same rules. */
export function createHostFiles(names: readonly HostName[], context: HostContext): HostFile[] {
  const known = hostNames.filter((name) => names.includes(name));
  const files = known.flatMap((name) => hosts[name].files(context));
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
