/** The engines from npm, which `scripts/install-engines.sh` puts beside the project's own dependencies. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../.engines/node_modules/', import.meta.url));

export const engineFile = (name: string): string => folder + name;

export const missingEngine = (name: string): string | undefined =>
  existsSync(engineFile(name)) ? undefined : `${/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]} is not installed`;
