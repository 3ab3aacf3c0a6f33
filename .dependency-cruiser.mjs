/**
 * The folders and packages that each folder of src/ may import. Each folder imports
 * only folders above it in this table.
 */

const rooms = {
  contract: { imports: ['errors.ts'], packages: ['zod'] },
  data: { imports: ['contract', 'errors.ts', 'sha256.ts'], packages: ['zod'] },
  hosts: { imports: ['contract'], packages: [] },
  web: { imports: ['contract', 'data'], packages: ['@leeoniya/ufuzzy'] },
  site: {
    imports: ['contract', 'data', 'errors.ts', 'hosts', 'sha256.ts', 'web'],
    packages: ['fflate', 'modern-tar', 'zod'],
  },
  'serve/handler': { imports: ['contract'], packages: [] },
  'serve/offline': { imports: ['contract', 'data', 'serve/handler'], packages: [] },
  serve: {
    imports: [
      'contract',
      'data',
      'errors.ts',
      'files.ts',
      'hosts',
      'package.ts',
      'sha256.ts',
      'site',
      'site-folder.ts',
    ],
    packages: ['node:*'],
  },
  upstream: {
    imports: [
      'contract',
      'data',
      'errors.ts',
      'files.ts',
      'package.ts',
      'sha256.ts',
      'site-folder.ts',
    ],
    packages: ['fs-extra', 'node:*', 'p-limit', 'papaparse', 'undici', 'zod'],
  },
  publish: {
    imports: [
      'contract',
      'data',
      'errors.ts',
      'files.ts',
      'sha256.ts',
      'site-folder.ts',
    ],
    packages: ['node:*'],
  },
  verify: {
    imports: [
      'contract',
      'data',
      'errors.ts',
      'files.ts',
      'hosts',
      'serve/handler',
      'site',
      'site-folder.ts',
      'upstream',
    ],
    packages: ['node:*', 'p-limit'],
  },
  pipeline: {
    imports: [
      'contract',
      'data',
      'errors.ts',
      'files.ts',
      'hosts',
      'package.ts',
      'publish',
      'sha256.ts',
      'site',
      'site-folder.ts',
      'upstream',
      'verify',
    ],
    packages: ['node:*'],
  },
  cli: {
    imports: [
      'contract',
      'data',
      'errors.ts',
      'files.ts',
      'hosts',
      'package.ts',
      'pipeline',
      'publish',
      'serve',
      'site-folder.ts',
      'upstream',
      'verify',
    ],
    packages: ['commander', 'node:*', 'zod'],
  },
  // Generates files of dist/. No other folder needs it.
  compile: { imports: ['cli', 'contract'], packages: ['node:*'] },
};

/** A name is a folder or a file of src/. */
function inFolder(name) {
  if (name.endsWith('.ts')) return `^src/${name}$`;
  return `^src/${name}/`;
}
/** `node:fs` is `fs` here, `node:*` any of Node's modules. */
const inPackage = (name) =>
  name === 'node:*'
    ? '^[a-z:_/]+$'
    : name.startsWith('node:')
      ? `^(?:node:)?${name.slice(5)}$`
      : `node_modules/(?:@types/)?${name}/`;

export default {
  forbidden: [
    {
      name: 'no-circle',
      severity: 'error',
      from: { path: '^src' },
      to: { circular: true },
    },
    {
      name: 'no-way-out',
      severity: 'error',
      from: { path: '^src' },
      to: { path: '^(?:test|scripts)/' },
    },
    {
      name: 'no-loose-files',
      severity: 'error',
      from: {
        path: `^src/(?!(?:${Object.keys(rooms).join('|')})/|(?:index|errors|files|package|sha256|site-folder)\\.ts$)`,
      },
      to: {},
    },
    ...Object.entries(rooms).map(([name, { imports, packages }]) => ({
      name: `imports-of-${name.replace('/', '-')}`,
      comment: `src/${name} may import ${[...imports, ...packages].join(', ')}`,
      severity: 'error',
      from: { path: inFolder(name) },
      to: {
        pathNot: [
          inFolder(name),
          ...imports.map(inFolder),
          ...packages.map(inPackage),
        ],
      },
    })),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
