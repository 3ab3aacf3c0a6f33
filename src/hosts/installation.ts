/** What the operator of a web server does with a site: its configuration is copied once, and belongs to the operator from then on. */

export interface Installation {
  /** In the site's folder. */
  readonly configuration: string;
  /** The operator's copy of it. */
  readonly installed: string;
  /** The file of the site that the copy includes when it is loaded; undefined if redirects are read on every request. */
  readonly redirects?: string;
  /** The shell command that loads the copy. */
  readonly reload: string;
}

/**
 * The shell command for the operator after a build; undefined if there is nothing to do.
 *
 * @param change how a file of the site differs from that of the site before
 */
export function installCommand(
  { configuration, installed, redirects, reload }: Installation,
  out: string,
  change: (file: string) => 'added' | 'changed' | 'none',
): string | undefined {
  const changed = change(configuration);
  // The site may be new, and the copy not.
  if (changed === 'added') return `cp -i ${out}/${configuration} ${installed} && ${reload}`;
  if (changed === 'changed')
    return `diff -u ${installed} ${out}/${configuration}  # the template has changed: merge it into your copy, then ${reload}`;
  return redirects === undefined || change(redirects) === 'none' ? undefined : reload;
}
