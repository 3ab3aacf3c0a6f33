/** The names of the hosts without their code, which the command line loads only if needed. */

export const hostNames = [
  'netlify',
  'netlify-rules',
  'cloudflare',
  'github-pages',
  'nginx',
  'caddy',
  'apache',
] as const;
/** Their configuration depends on the document root. */
export const webServerNames: readonly string[] = ['nginx', 'caddy', 'apache'];

/** Links must point to files on these hosts. */
export const queryIgnoringHosts: readonly string[] = ['github-pages'];

/** Returns the hosts that read `_redirects` in incompatible ways. */
export const conflictingHosts = (names: readonly HostName[]): readonly HostName[] => {
  const rivals = names.filter((name) => name === 'cloudflare' || name.startsWith('netlify'));
  return rivals.includes('cloudflare') && new Set(rivals).size > 1 ? rivals : [];
};

export type HostName = (typeof hostNames)[number];
