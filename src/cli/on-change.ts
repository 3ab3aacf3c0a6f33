/** `--on-change`: a command of the operator's, which is told what changed. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { workFolders } from '../publish/work-folders.ts';

/**
 * Tells a command of a change, on its standard input. The summary is kept beside the site until the command has succeeded: if it
 * fails, the next build runs it again, even if nothing has changed since.
 *
 * @param summary what changed; undefined if nothing has
 * @returns what went wrong; undefined if the command succeeded, or there was nothing to tell
 */
export async function tellOfChange(
  command: string,
  out: string,
  summary: readonly string[] | undefined,
): Promise<string | undefined> {
  const { unreported } = workFolders(out);
  if (summary) appendFileSync(unreported, `${summary.join('\n')}\n`);
  if (!existsSync(unreported)) return undefined;
  // Standard output is for the report.
  const child = spawn(command, { shell: true, stdio: ['pipe', 2, 2] });
  // A command need not read it.
  child.stdin?.on('error', () => {}).end(readFileSync(unreported));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0)
    return `got ${signal ?? `exit code ${code}`}: the site is published, and the next build will run the command again`;
  rmSync(unreported);
  return undefined;
}
