/** The names of the hosts, apart from what they do: the command line knows them before it loads any of it. */

export const hostNames = ['netlify', 'netlify-edge', 'cloudflare', 'nginx', 'caddy', 'apache'] as const;
export type HostName = (typeof hostNames)[number];
