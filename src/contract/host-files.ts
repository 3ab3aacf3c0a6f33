/** Hosts' own files inside a site: configuration for whoever serves it, which no host hands out and no copy takes over. */

/** What Cloudflare reads by a name that cannot be chosen: it would be public by that name. */
const PUBLIC_NAMES: readonly string[] = ['wrangler.jsonc'];

/** Whether a path of a site is a host's: some part of it begins with a dot or with `_`, or a host prescribes its name. */
export const isHostFile = (path: string): boolean =>
  PUBLIC_NAMES.includes(path) || path.split('/').some((part) => /^[._]/.test(part));
