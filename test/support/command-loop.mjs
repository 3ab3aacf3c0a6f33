/** Runs command lines in one process: a line of JSON on standard input for each, answered by a line on standard output. */

import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const cli = process.argv[2] ?? '';
const answer = process.stdout.write.bind(process.stdout);
const environment = { ...process.env };
let text = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr'])
  process[name].write = (part, ...more) => {
    text[name] += part;
    more.findLast((one) => typeof one === 'function')?.();
    return true;
  };

let runs = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { args, cwd, env, umask } = JSON.parse(line);
  text = { stdout: '', stderr: '' };
  process.env = { ...environment, ...env };
  process.argv = [process.execPath, cli, ...args];
  process.chdir(cwd);
  process.umask(umask);
  process.exitCode = 0;
  try {
    // The entry alone is evaluated again; what it imports is loaded once.
    await import(`${pathToFileURL(cli)}?${++runs}`);
  } catch (error) {
    process.exitCode = 70;
    text.stderr += error.stack;
  }
  answer(`${JSON.stringify({ code: process.exitCode, ...text })}\n`);
}
