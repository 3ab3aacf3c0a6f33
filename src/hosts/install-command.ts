import { quoteArgument } from '../contract/words.ts';
import type { Installation } from './host.ts';

/**
 * Returns the shell command that the operator must run after a build, if any.
 *
 * @param change compares a file in the site with the previously published version
 */
export function installCommand(
  { source, target, redirects, enable, reload }: Installation,
  out: string,
  change: (file: string) => 'added' | 'changed' | 'none',
): string | undefined {
  const template = quoteArgument(`${out}/${source}`);
  const changed = change(source);
  if (changed === 'added') {
    // We use `-i`, because the operator may already have a copy even if the site is
    // new.
    const commands = [`cp -i ${template} ${target}`];
    if (enable !== undefined) commands.push(enable);
    commands.push(reload);
    return `${commands.join(' && ')}  # on Debian`;
  }
  if (changed === 'changed') {
    const steps = `the template has changed: merge it into your copy, then ${reload}`;
    return `diff -u ${target} ${template}  # on Debian; ${steps}`;
  }
  if (redirects === undefined) return undefined;
  return change(redirects) === 'none' ? undefined : reload;
}
