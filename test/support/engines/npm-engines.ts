import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `scripts/install-engines.sh` installs engines there. */
const folder = fileURLToPath(new URL('../../../.engines/node_modules/', import.meta.url));

export const engineFile = (name: string): string => folder + name;

export const missingEngine = (name: string): string | undefined =>
  existsSync(engineFile(name)) ? undefined : `${/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]} is not installed`;
