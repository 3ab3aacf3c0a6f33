/** The package: its folder, name and version. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { listKinds } from './contract/words.ts';

/** Both src/ and dist/ are directly below it. */
export const PACKAGE_ROOT = fileURLToPath(new URL('..', import.meta.url));

const { name, version } = JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};

export const VERSION: string = version;

/** `gamedata/1.2.3`, the `generator` of `meta.json` and `manifest.json`. */
export const PRODUCT = `${name}/${version}`;

/** The digest of the code in dist/, as `npm run compile` notes it. */
export const codeDigest = (): string => readFileSync(path.join(PACKAGE_ROOT, 'dist', 'code.sha256'), 'utf8');

/** What the upstream sees. */
export const USER_AGENT = `${PRODUCT} (build-time mirror of ${listKinds()}; bounded, cached, conditional)`;
