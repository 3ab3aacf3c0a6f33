/** `gamedata serve` as a user runs it: a process of its own. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Engine, RunningEngine } from './engine.ts';

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

export interface ServeProcess extends RunningEngine {
  readonly pid: number;
  /** What it has said so far. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** Its exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
}

/** Starts `gamedata serve <site> --port 0 <args>` and waits until it is ready. */
export async function startServe(site: string, args: readonly string[] = []): Promise<ServeProcess> {
  const child = spawn(process.execPath, [cli, 'serve', site, '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid = 0 } = child;
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, address] = /(http:\/\/\S+)\/\n/.exec(output) ?? [];
        if (address !== undefined) resolve(address);
      });
    }
    child.once('error', reject);
    void exited.then((code) => reject(new Error(`gamedata serve ended with ${code}: ${output}`)));
  });
  return {
    url,
    pid,
    exited,
    output: () => output,
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

export const serve: Engine = {
  name: 'gamedata serve',
  missing: () => (existsSync(cli) ? undefined : 'dist/ is not compiled'),
  start: (site) => startServe(site),
};
