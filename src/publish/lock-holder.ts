/** Who holds a lock: a process, and where it runs. Process ids mean nothing to another host or container. */

import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import * as z from 'zod';
import { parseJson } from '../contract/parse.ts';
import { errorCode } from '../errors.ts';

const holderSchema = z.object({
  host: z.string(),
  /** Identifies the machine; empty in most containers. */
  machine: z.string(),
  /** Changes whenever the machine starts. */
  boot: z.string(),
  /** The process ids among which `pid` counts: every container has its own. */
  namespace: z.string(),
  pid: z.int().positive(),
  /** When the process started, since process ids are reused. */
  start: z.string(),
});
export type Holder = z.infer<typeof holderSchema>;

/** Where the system does not tell, a field is empty. */
export const thisProcess = (): Holder => ({
  host: os.hostname(),
  machine: told(() => readFileSync('/etc/machine-id', 'utf8').trim()),
  boot: told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
  namespace: told(() => readlinkSync(`/proc/${process.pid}/ns/pid`)),
  pid: process.pid,
  start: startOf(process.pid),
});

export const encodeHolder = (holder: Holder): string => `${JSON.stringify(holder)}\n`;

/** Undefined if the text names no process. */
export const decodeHolder = (text: string): Holder | undefined =>
  holderSchema.safeParse(parseJson(text)).data;

/** Whether a process is at work, as far as can be known from here. */
export function stateOf(holder: Holder, own: Holder): 'running' | 'gone' | 'unknown' {
  if (holder.host !== own.host || holder.machine !== own.machine) return 'unknown';
  if (holder.namespace !== own.namespace) return 'unknown';
  // Two containers may have the same name, and no machine of their own.
  if (holder.boot !== own.boot) return own.machine === '' ? 'unknown' : 'gone';
  return isRunning(holder) ? 'running' : 'gone';
}

function isRunning({ pid, start }: Holder): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
  }
  return startOf(pid) === start;
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html: field 22, counted from after the command's name. */
function startOf(pid: number): string {
  const stat = told(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** What the system tells; empty if it does not. */
function told(ask: () => string): string {
  try {
    return ask();
  } catch {
    return '';
  }
}
