import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type RunningProcess, startProcess } from '../processes.ts';
import type { Engine, RunningEngine } from './engine.ts';

const cli = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));

/** A `gamedata serve` process. */
export interface ServeProcess extends RunningEngine, RunningProcess {
  /** Returns the text that it has printed on stdout and stderr. */
  output(): string;
}

/**
 * Starts `gamedata serve <site> --port 0 <args>` in a process and waits until it is
 * ready.
 */
export async function startServe(
  site: string,
  args: readonly string[] = [],
): Promise<ServeProcess> {
  const command = [process.execPath, cli, 'serve', site, '--port', '0', ...args];
  const { child, finished } = startProcess(command);
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: string) => {
        output += text;
        const address = /(http:\/\/\S+)\/\n/.exec(output)?.[1];
        if (address !== undefined) resolve(address);
      });
    }
    void finished.then(({ code }) => {
      reject(new Error(`gamedata serve ended with ${code}: ${output}`));
    });
  });
  async function stop(): Promise<void> {
    child.kill();
    await finished;
  }
  return { url, child, finished, output: () => output, stop };
}

export const serve: Engine = {
  name: 'gamedata serve',
  missing: () => (existsSync(cli) ? undefined : 'dist/ is not compiled'),
  start: (site) => startServe(site),
};
