/** Who we are: the package's folder, and its name and version as they are declared there. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Both src/ and dist/ lie right inside it. */
export const PACKAGE_ROOT = fileURLToPath(new URL('..', import.meta.url));

const { name, version } = JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};

export const VERSION: string = version;

/** `gamedata/1.2.3`, as `meta.json` and `manifest.json` have it. */
export const GENERATOR = `${name}/${version}`;

/** What the upstream sees. */
export const USER_AGENT = `${GENERATOR} (build-time mirror of moves and items; bounded, cached, conditional)`;
