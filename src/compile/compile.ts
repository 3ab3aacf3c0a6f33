import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type RolldownOutput } from 'rolldown';
import bundles from '../../rolldown.config.ts';
import { createConfigJsonSchema } from '../cli/config.ts';
import { loadCommands } from '../cli/program.ts';
import { compileSchemas } from '../contract/served.ts';
import { bundledPackages, noticesText } from './licenses.ts';
import { declareResponses } from './type-declarations.ts';

/** Maps each folder in dist/ to the files from src/ that are copied to it. */
const copies = {
  templates: [
    'web/front/index.html',
    'web/browse/browse.html',
    'web/docs/docs.html',
    'web/shared/404.html',
    'web/shared/page.html',
    'web/search/search.html',
    ...readdirSync('src/hosts/templates').map((name) => `hosts/templates/${name}`),
  ],
  assets: ['web/shared/style.css', 'web/docs/reference.html'],
};

/** Maps the path of each file in a folder, with forward slashes, to its content. */
type FileMap = Map<string, string | Uint8Array>;

/**
 * Creates all files of dist/: bundles, templates, styles, types, and the schema of
 * the configuration file.
 */
export async function compile(): Promise<FileMap> {
  const files: FileMap = new Map();
  const outputs = await addBundles(files);
  addCopies(files);
  addTypeDeclarations(files);
  files.set('assets/types.d.ts', declareResponses());
  files.set('schemas.json', JSON.stringify(compileSchemas()));
  const configSchema = createConfigJsonSchema(await loadCommands());
  files.set('config.schema.json', `${JSON.stringify(configSchema, null, 2)}\n`);
  files.set('third-party.txt', noticesText(bundledPackages(outputs)));
  return files;
}

/** Adds each bundle's files to the folder that its configuration specifies. */
async function addBundles(files: FileMap): Promise<RolldownOutput[]> {
  const outputs: RolldownOutput[] = [];
  for (const bundle of bundles) {
    const built = await build({ ...bundle, write: false });
    outputs.push(built);
    const folder =
      'dir' in bundle.output ? bundle.output.dir : path.dirname(bundle.output.file);
    const folderInDist = path.relative('dist', folder);
    for (const file of built.output) {
      const content = file.type === 'chunk' ? file.code : file.source;
      files.set(path.posix.join(folderInDist, file.fileName), content);
    }
  }
  return outputs;
}

function addCopies(files: FileMap): void {
  for (const [folder, sources] of Object.entries(copies)) {
    for (const source of sources) {
      files.set(`${folder}/${path.basename(source)}`, readFileSync(`src/${source}`));
    }
  }
}

/**
 * Runs the TypeScript compiler and adds the declarations that it writes. The
 * compiler can only write to a folder, so we use a temporary one.
 */
function addTypeDeclarations(files: FileMap): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-types-'));
  try {
    const packageFile = fileURLToPath(
      import.meta.resolve('typescript/package.json'),
    );
    const tsc = path.join(path.dirname(packageFile), 'bin/tsc');
    const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', folder];
    execFileSync(process.execPath, args, { stdio: 'inherit' });
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.d.ts')) continue;
      const name = file.replaceAll(path.sep, '/');
      files.set(`types/${name}`, readFileSync(path.join(folder, file)));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
