/** Host configuration inside a site: no host serves it, and no mirror copies it. */

/** Cloudflare's, whose name is fixed and starts with neither a dot nor `_`. */
const FIXED_NAME = 'wrangler.jsonc';

/** Whether a path of a site is host configuration: some segment starts with a dot or `_`, or the host fixes its name. */
export const isHostFile = (path: string): boolean =>
  path === FIXED_NAME || path.split('/').some((segment) => /^[._]/.test(segment));
