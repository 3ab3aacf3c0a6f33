/** The names of the hosts, apart from their code, which the command line loads only if needed. */

export const hostNames = [
  'netlify',
  'netlify-rules',
  'cloudflare',
  'github-pages',
  'nginx',
  'caddy',
  'apache',
] as const;
/** Those whose configuration depends on the folder. */
export const webServerNames: readonly string[] = ['nginx', 'caddy', 'apache'];

/** Those that ignore queries: links have to point to files. */
export const fileHostNames: readonly string[] = ['github-pages'];

export type HostName = (typeof hostNames)[number];

/** Hosts of former versions → what replaces them. */
export const formerHosts: ReadonlyMap<string, HostName> = new Map([['netlify-edge', 'netlify']]);
