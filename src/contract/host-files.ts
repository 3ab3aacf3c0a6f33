/** Host configuration inside a site: no host serves it, and no mirror copies it. */

/** Cloudflare's configuration and GitHub's error page, whose names are fixed and start with neither a dot nor `_`. */
const FIXED_NAMES: readonly string[] = ['wrangler.jsonc', '404.html'];

/** Whether a path of a site is host configuration: some segment starts with a dot or `_`, or the host fixes its name. */
export const isHostFile = (path: string): boolean =>
  FIXED_NAMES.includes(path) || path.split('/').some((segment) => /^[._]/.test(segment));
