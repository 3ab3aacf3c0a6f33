/** Compiles dist/ before the tests, so that `npx vitest` never tests stale code. */

import { execFileSync } from 'node:child_process';

export default function compile(): void {
  execFileSync(process.execPath, ['scripts/compile.mjs'], { stdio: 'inherit' });
}
