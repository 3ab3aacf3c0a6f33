/** `--on-change`: a command of the operator's, which is told what changed. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { workFolders } from '../publish/work-folders.ts';
import type { Reporter } from './reporter.ts';

/** What a build reports. */
export interface Change {
  readonly out: string;
  readonly changed: boolean;
  /** What the command gets on its standard input. */
  readonly summary: readonly string[];
}

/**
 * Keeps the summary of a change beside the site until the command has been told: if that fails, the next build runs it again,
 * even if nothing has changed since.
 */
export function noteChange({ out, changed, summary }: Change): void {
  if (changed) appendFileSync(workFolders(out).unreported, `${summary.join('\n')}\n`);
}

/**
 * Runs a command if it has not been told of a change.
 *
 * @returns whether it succeeded
 */
export async function runOnChange(
  command: string,
  out: string,
  { notice }: Pick<Reporter, 'notice'>,
): Promise<boolean> {
  const { unreported } = workFolders(out);
  if (!existsSync(unreported)) return true;
  // Standard output is for the report.
  const child = spawn(command, { shell: true, stdio: ['pipe', 2, 2] });
  // A command need not read it.
  child.stdin?.on('error', () => {}).end(readFileSync(unreported));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code === 0) rmSync(unreported);
  else
    notice(
      `error: --on-change: got ${signal ?? `exit code ${code}`}: the site is published, and the next build will run the command again`,
    );
  return code === 0;
}
