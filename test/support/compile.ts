/** Compiles dist/ before the tests, so that `npx vitest` never tests stale code. */

import { execSync } from 'node:child_process';

export default function compile(): void {
  execSync('npm run compile --silent', { stdio: ['ignore', 'inherit', 'inherit'] });
}
