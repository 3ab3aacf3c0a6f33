/**
 * Writes the files of dist/ that are generated from the schemas, next to this script's
 * own bundle, which `npm run compile` runs once and then removes.
 */

import { writeFileSync } from 'node:fs';
import { createConfigJsonSchema } from '../cli/config.ts';
import { loadCommands } from '../cli/program.ts';
import { compileSchemas } from '../contract/served.ts';
import { declareResponses } from './type-declarations.ts';

function write(file: string, text: string): void {
  writeFileSync(new URL(file, import.meta.url), text);
}

const configSchema = createConfigJsonSchema(await loadCommands());
write('config.schema.json', `${JSON.stringify(configSchema, null, 2)}\n`);
write('schemas.json', JSON.stringify(compileSchemas()));
write('assets/types.d.ts', declareResponses());
