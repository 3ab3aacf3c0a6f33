/** The names of the hosts, apart from their code, which the command line loads only if needed. */

export const hostNames = ['netlify', 'netlify-edge', 'cloudflare', 'nginx', 'caddy', 'apache'] as const;
export type HostName = (typeof hostNames)[number];
