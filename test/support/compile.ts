/** Compiles dist/ before the tests if it is out of date, so that `npx vitest` never tests stale code. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const COMPILE = fileURLToPath(new URL('../../scripts/compile.mjs', import.meta.url));

export default function compile(): void {
  execFileSync(process.execPath, [COMPILE, '--if-stale'], { stdio: 'inherit' });
}
