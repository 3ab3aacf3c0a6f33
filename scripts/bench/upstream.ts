/** Starts the upstream of the benchmark as a process of its own, so that it shares no event loop with what is measured. */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** What the program prints. Addresses are such as `http://127.0.0.1:1234/api/v2`. */
export interface Upstream {
  /** What it serves. */
  readonly data: string;
  /** The paths of all records. */
  readonly paths: readonly string[];
  /** Answers at once, and names no edition. */
  readonly plain: string;
  /** Answers at once, always with the same edition. */
  readonly same: string;
  /** Answers at once; a new edition is deployed, with the same records, whenever its edition is asked for. */
  readonly deploying: string;
  /** Answers after the latency, and names no edition. */
  readonly distant: string;
}

const PROGRAM = fileURLToPath(new URL('./programs/upstream.ts', import.meta.url));

/** @param latency milliseconds before a response of `distant` */
export async function startUpstream(latency: number): Promise<Upstream & { stop(): void }> {
  const args = ['--import', 'tsx', PROGRAM, String(latency)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    return { ...(JSON.parse(line) as Upstream), stop: () => void child.kill() };
  }
  throw new Error('the upstream ended before it served');
}
