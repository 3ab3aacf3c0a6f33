/**
 * Compiles dist/ before the tests, so that `npx vitest` never tests stale code. Set
 * COMPILED to skip this if dist/ is up to date.
 */

import { execSync } from 'node:child_process';

export default function compile(): void {
  if (process.env.COMPILED !== undefined) return;
  execSync('npm run compile --silent', { stdio: ['ignore', 'inherit', 'inherit'] });
}
