/** Host configuration inside a site: no host serves it, and no mirror copies it. */

/** Cloudflare's configuration, whose name is fixed and starts with neither a dot nor `_`. */
const FIXED_NAMES: readonly string[] = ['wrangler.jsonc'];

/** Whether a path of a site is host configuration: some segment starts with a dot or `_`, or the host fixes its name. */
export const isHostFile = (path: string): boolean =>
  FIXED_NAMES.includes(path) || path.split('/').some((segment) => /^[._]/.test(segment));
