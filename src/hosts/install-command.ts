import { quoteArgument } from '../contract/words.ts';
import type { Installation } from './host.ts';

/** How a file of the site differs from the published one. */
export type FileChange = 'added' | 'changed' | 'none';

/** How the files that a web server reads differ from the published ones. */
export interface ConfigurationChange {
  /** The configuration that the operator copies. */
  readonly source: FileChange;
  /** The file with the redirects, which the server reads from the site. */
  readonly redirects: FileChange;
}

/**
 * Returns the shell command that the operator must run after a build, or undefined if
 * the web server needs none.
 *
 * @param out the folder of the site
 */
export function createInstallCommand(
  { source, target, enable, reload }: Installation,
  out: string,
  change: ConfigurationChange,
): string | undefined {
  const template = quoteArgument(`${out}/${source}`);
  if (change.source === 'added') {
    // We use `-i`, because the operator may already have a copy even if the site is
    // new.
    const commands = [`cp -i ${template} ${target}`];
    if (enable !== undefined) commands.push(enable);
    commands.push(reload);
    return `${commands.join(' && ')}  # on Debian`;
  }
  if (change.source === 'changed') {
    const steps = `the template has changed: merge it into your copy, then ${reload}`;
    return `diff -u ${target} ${template}  # on Debian; ${steps}`;
  }
  return change.redirects === 'none' ? undefined : reload;
}
