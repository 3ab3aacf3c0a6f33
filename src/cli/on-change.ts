/** `--on-change`: a command of the operator's, which is told what changed. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { workFolders } from '../publish/work-folders.ts';

/**
 * Keeps the summary of a change beside the site until the command has been told: if that fails, the next build runs it again,
 * even if nothing has changed since.
 */
export const noteChange = (out: string, summary: readonly string[]): void =>
  appendFileSync(workFolders(out).unreported, `${summary.join('\n')}\n`);

/**
 * Runs a command if it has not been told of a change, with the summary on its standard input.
 *
 * @returns what went wrong; undefined if it succeeded, or there was nothing to tell
 */
export async function runOnChange(command: string, out: string): Promise<string | undefined> {
  const { unreported } = workFolders(out);
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
