/** Faults as the command line meets them: a process of its own, its exit code, its two streams. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { printable } from '../../src/contract/words.ts';
import { RETRIES, type Runner, shrinkOf } from './fault-trial.ts';
import { startProcess } from './processes.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

const printedSchema = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string().nullable() }),
});

/** Whatever a process may do wrong beside its message comes back as a code that no fault has. */
export const runProcess: Runner = async ({ upstream, out, cache, concurrency = 1 }) => {
  const { code, stdout, stderr } = await startProcess([
    ...[process.execPath, CLI, 'build', '--source', 'rest', '--upstream', upstream, '--out', out],
    ...['--json', '--quiet', '--base-url', 'https://example.test', '--retries', String(RETRIES)],
    ...['--max-shrink', String(shrinkOf({ out }))],
    ...['--concurrency', String(concurrency), ...(cache === false ? ['--no-cache'] : ['--cache', cache])],
  ]).finished;
  if (code === 0) return stderr === '' ? undefined : { code: 'noise', message: stderr };
  if (code !== 1 && code !== 4) return { code: `exit ${code}`, message: stderr };
  const { error } = printedSchema.parse(JSON.parse(stdout));
  if ((code === 4) !== (error.code === 'guard')) return { code: `exit ${code}`, message: error.code };
  const hint = error.hint === null ? '' : `hint: ${printable(error.hint)}\n`;
  const wasThere = existsSync(path.join(out, 'manifest.json'));
  const kept = `${out}: ${wasThere ? 'unchanged' : 'nothing was published'}\n`;
  const resumable =
    error.code === 'upstream' && cache !== false
      ? `what was fetched remains in ${cache}: the same command continues from there\n`
      : '';
  const expected = `error: ${printable(error.message)}\n${hint}${kept}${resumable}`;
  if (stderr !== expected) return { code: 'noise', message: `${stderr}\nexpected ${expected}` };
  return { code: error.code, message: error.message };
};
