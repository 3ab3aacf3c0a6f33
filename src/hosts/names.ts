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

/** Those that read `_redirects`, by rules that are invalid for the other one. */
export const rivalHosts = (names: readonly HostName[]): readonly HostName[] => {
  const rivals = names.filter((name) => name === 'cloudflare' || name.startsWith('netlify'));
  return rivals.includes('cloudflare') && new Set(rivals).size > 1 ? rivals : [];
};

export type HostName = (typeof hostNames)[number];
