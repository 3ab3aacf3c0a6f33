import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Engine, RunningEngine } from './engine.ts';

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

export interface ServeProcess extends RunningEngine {
  readonly pid: number;
  /** The output so far. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** The exit code; null after a signal. */
  readonly exited: Promise<number | null>;
}

/** Starts `gamedata serve <site> --port 0 <args>` in a process and waits until it is ready. */
export async function startServe(site: string, args: readonly string[] = []): Promise<ServeProcess> {
  const child = spawn(process.execPath, [cli, 'serve', site, '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
    void exited.then((code) => reject(new Error(`gamedata serve ended with ${code}: ${output}`)));
  });
  const signal = (name: NodeJS.Signals): void => void child.kill(name);
  const stop = async (): Promise<void> => {
    signal('SIGTERM');
    await exited;
  };
  return { url, pid: child.pid ?? 0, exited, output: () => output, signal, stop };
}

export const serve: Engine = {
  name: 'gamedata serve',
  missing: () => (existsSync(cli) ? undefined : 'dist/ is not compiled'),
  start: (site) => startServe(site),
};
