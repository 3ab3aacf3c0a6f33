/**
 * Runs commands in one process: reads a line of JSON for each, and writes a line of
 * JSON with its result.
 */

import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const cli = process.argv[2] ?? '';
const answer = process.stdout.write.bind(process.stdout);
const environment = { ...process.env };
let text = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr']) {
  process[name].write = (part, ...more) => {
    text[name] += part;
    more.findLast((one) => typeof one === 'function')?.();
    return true;
  };
}

let runs = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { args, cwd, env } = JSON.parse(line);
  text = { stdout: '', stderr: '' };
  process.env = { ...environment, ...env };
  process.argv = [process.execPath, cli, ...args];
  process.chdir(cwd);
  process.exitCode = 0;
  try {
    // Only the entry is evaluated again, not its imports.
    await import(`${pathToFileURL(cli)}?${++runs}`);
  } catch (error) {
    process.exitCode = 70;
    text.stderr += error.stack;
  }
  answer(`${JSON.stringify({ code: process.exitCode, ...text })}\n`);
}
