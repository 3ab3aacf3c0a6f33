/** Prints the JSON Schema of gamedata.config.json. */

import { configJsonSchema } from '../src/cli/config-schema.ts';
import { createProgram } from '../src/cli/program.ts';

process.stdout.write(`${JSON.stringify(configJsonSchema(createProgram()), null, 2)}\n`);
