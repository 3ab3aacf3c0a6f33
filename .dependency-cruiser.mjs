/**
 * The folders and packages that each folder of src/ may import. Each folder imports
 * only folders above it in this table.
 */

const rooms = {
  contract: { imports: ['errors.ts'], packages: ['zod'] },
  dataset: { imports: ['contract', 'errors.ts', 'sha256.ts'], packages: ['zod'] },
  hosts: { imports: ['contract'], packages: [] },
  web: { imports: ['contract', 'dataset'], packages: ['@leeoniya/ufuzzy'] },
  site: {
    imports: ['contract', 'dataset', 'errors.ts', 'hosts', 'sha256.ts', 'web'],
    packages: ['fflate', 'modern-tar', 'zod'],
  },
  built: {
    imports: ['contract', 'dataset', 'errors.ts', 'files.ts', 'sha256.ts'],
    packages: ['modern-tar', 'node:*', 'zod'],
  },
  'serve/handler': { imports: ['contract'], packages: [] },
  serve: {
    imports: ['built', 'contract', 'errors.ts', 'files.ts', 'hosts', 'sha256.ts'],
    packages: ['node:*', 'p-limit'],
  },
  upstream: {
    imports: ['built', 'contract', 'dataset', 'errors.ts', 'files.ts', 'package.ts'],
    packages: ['fs-extra', 'node:*', 'p-limit', 'papaparse', 'undici', 'zod'],
  },
  sources: {
    imports: ['built', 'contract', 'dataset', 'errors.ts', 'files.ts', 'upstream'],
    packages: ['node:*', 'zod'],
  },
  publish: {
    imports: [
      'built',
      'contract',
      'errors.ts',
      'files.ts',
      'package.ts',
      'sha256.ts',
      'site',
    ],
    packages: ['node:*', 'zod'],
  },
  verify: {
    imports: [
      'built',
      'contract',
      'dataset',
      'errors.ts',
      'hosts',
      'serve/handler',
      'site',
      'sources',
      'upstream',
    ],
    packages: ['node:*', 'p-limit'],
  },
  pipeline: {
    imports: [
      'built',
      'contract',
      'dataset',
      'errors.ts',
      'files.ts',
      'hosts',
      'package.ts',
      'publish',
      'sha256.ts',
      'site',
      'sources',
      'upstream',
      'verify',
    ],
    packages: ['node:*'],
  },
  cli: {
    imports: [
      'built',
      'contract',
      'dataset',
      'errors.ts',
      'files.ts',
      'hosts',
      'package.ts',
      'pipeline',
      'publish',
      'serve',
      'site',
      'sources',
      'upstream',
      'verify',
    ],
    packages: ['commander', 'node:*', 'zod'],
  },
  // Compiles src/ to dist/. No other folder needs it.
  compile: {
    imports: ['cli', 'contract', 'files.ts', 'sha256.ts', '../rolldown.config.ts'],
    packages: ['node:*', 'rolldown'],
  },
};

/** A name is a folder or a file of src/, or the bundler's configuration next to src/. */
function inFolder(name) {
  if (name.startsWith('../')) return `^${name.slice(3)}$`;
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
        path: `^src/(?!(?:${Object.keys(rooms).join('|')})/|(?:index|errors|files|package|sha256)\\.ts$)`,
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
