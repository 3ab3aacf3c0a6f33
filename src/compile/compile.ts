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

/** Returns the files of dist/: bundles, templates and styles, types, and the configuration's schema. */
export async function compile(): Promise<Map<string, string | Uint8Array>> {
  const files = new Map<string, string | Uint8Array>();
  const outputs: RolldownOutput[] = [];
  for (const bundle of bundles) {
    const built = await build({ ...bundle, write: false });
    outputs.push(built);
    const folder = 'dir' in bundle.output ? bundle.output.dir : path.dirname(bundle.output.file);
    for (const file of built.output)
      files.set(
        path.posix.join(path.relative('dist', folder), file.fileName),
        file.type === 'chunk' ? file.code : file.source,
      );
  }
  for (const [folder, sources] of Object.entries(copies))
    for (const file of sources)
      files.set(`${folder}/${path.basename(file)}`, readFileSync(`src/${file}`));
  for (const [file, body] of declareTypes()) files.set(`types/${file}`, body);
  files.set('assets/types.d.ts', declareResponses());
  files.set('schemas.json', JSON.stringify(compileSchemas()));
  files.set(
    'config.schema.json',
    `${JSON.stringify(createConfigJsonSchema(await loadCommands()), null, 2)}\n`,
  );
  files.set('third-party.txt', noticesText(bundledPackages(outputs)));
  return files;
}

function declareTypes(): [file: string, body: Uint8Array][] {
  const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-types-'));
  try {
    const tsc = path.join(
      fileURLToPath(import.meta.resolve('typescript/package.json')),
      '../bin/tsc',
    );
    const args = [tsc, '-p', 'tsconfig.build.json', '--outDir', folder];
    execFileSync(process.execPath, args, { stdio: 'inherit' });
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.d.ts'))
      .map((file) => [file.replaceAll(path.sep, '/'), readFileSync(path.join(folder, file))]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
