import { spawnSync } from 'node:child_process';
import { errorCode } from '../errors.ts';
import { readStatus } from '../files.ts';

/**
 * Copies the default ACL from the site's folder to the staging folder, so that
 * staged files inherit it. Otherwise, a file that is renamed into the site would
 * keep the access rights that it got in the staging folder, and a web server that
 * the ACL gives access to could not read it.
 *
 * @returns a notice if the ACL cannot be copied
 */
export function copyDefaultAcl(site: string, staging: string): string | undefined {
  if (process.platform !== 'linux' || !readStatus(site)) return undefined;
  const getArgs = ['--default', '--omit-header', '--absolute-names', '--', site];
  const got = spawnSync('getfacl', getArgs, { encoding: 'utf8' });
  // Without `getfacl`, there is no way to find out whether the folder has an ACL.
  if (got.status !== 0) return undefined;
  const acl = got.stdout;
  if (acl.trim() === '') return undefined;
  const setArgs = ['--default', '--set-file=-', '--', staging];
  const set = spawnSync('setfacl', setArgs, { input: acl, encoding: 'utf8' });
  if (set.status === 0) return undefined;
  const reason = errorCode(set.error) || set.stderr.trim();
  return `new files do not get the default ACL of ${site}, because setfacl failed (${reason}): let the web server read them, such as with setfacl --recursive --modify user:www-data:rX ${site}`;
}
