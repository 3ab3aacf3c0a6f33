/** Enforces architecture.json: which folder of src/ may import which others, and which packages. */

import { readFileSync } from 'node:fs';

const rooms = JSON.parse(readFileSync(new URL('architecture.json', import.meta.url), 'utf8'));

const inFolder = (name) => (name.endsWith('.ts') ? `^src/${name}$` : `^src/${name}/`);
/** `node:fs` is `fs` here, `node:*` any of Node's modules. */
const inPackage = (name) =>
  name === 'node:*'
    ? '^[a-z:_/]+$'
    : name.startsWith('node:')
      ? `^(?:node:)?${name.slice(5)}$`
      : `node_modules/(?:@types/)?${name}/`;

export default {
  forbidden: [
    { name: 'no-circle', severity: 'error', from: { path: '^src' }, to: { circular: true } },
    { name: 'no-way-out', severity: 'error', from: { path: '^src' }, to: { path: '^(?:test|scripts)/' } },
    {
      name: 'no-loose-files',
      severity: 'error',
      from: { path: `^src/(?!(?:${Object.keys(rooms).join('|')})/|(?:index|errors|version)\\.ts$)` },
      to: {},
    },
    ...Object.entries(rooms).map(([name, { imports, packages }]) => ({
      name: `imports-of-${name}`,
      comment: `src/${name} may import ${[...imports, ...packages].join(', ') || 'nothing'}: see architecture.json`,
      severity: 'error',
      from: { path: inFolder(name) },
      to: { pathNot: [inFolder(name), ...imports.map(inFolder), ...packages.map(inPackage)] },
    })),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
