/** Who we are: the package's name and version, read from where they are declared. */

import { readFileSync } from 'node:fs';

const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  name: string;
  version: string;
};

export const VERSION: string = version;

/** `gamedata/1.2.3`, as `meta.json` and `manifest.json` have it. */
export const GENERATOR = `${name}/${version}`;

/** What the upstream sees. */
export const USER_AGENT = `${GENERATOR} (build-time mirror of moves and items; bounded, cached, conditional)`;
