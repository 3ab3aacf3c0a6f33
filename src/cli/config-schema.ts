/** What `gamedata.config.json` may contain: for each command the options that it has on the command line, under the same names. */

import type { Command, Option } from 'commander';
import * as z from 'zod';

/** What only makes sense where it is typed. */
const TYPED = new Set(['config', 'printConfig', 'help']);

export const isConfigurable = (option: Option): boolean => !TYPED.has(option.attributeName());

/** `--base-url` → `base-url`; `--no-downloads` → `downloads`. */
export const keyOf = (option: Option): string => option.name().replace(/^no-/, '');

export function configSchema(program: Command) {
  const sections = program.commands.map((command) => [command.name(), sectionSchema(command).optional()]);
  return z
    .strictObject({
      $schema: z.string().optional().describe('The schema of this file, for editors.'),
      ...(Object.fromEntries(sections) as Record<string, ReturnType<typeof sectionSchema>>),
    })
    .meta({ title: 'gamedata.config.json', description: 'The options of each command of gamedata.' });
}

function sectionSchema(command: Command) {
  const keys = new Map<string, z.ZodType>();
  for (const option of command.options.filter(isConfigurable)) {
    const before = keys.get(keyOf(option));
    // `--cache <dir>` and `--no-cache` are one key.
    const schema = before ? z.union([before, z.literal(false)]) : valueSchema(option);
    keys.set(keyOf(option), schema.describe(before?.description ?? option.description));
  }
  const shape = Object.fromEntries([...keys].map(([key, schema]) => [key, schema.optional()]));
  return z.strictObject(shape).describe(command.summary());
}

function valueSchema(option: Option): z.ZodType {
  if (option.isBoolean() || option.negate) return z.boolean();
  // Choices and numbers are all that is parsed.
  if (option.parseArg && !option.argChoices) return z.number();
  const one = option.argChoices ? z.enum(option.argChoices) : z.string();
  return option.variadic ? z.array(one) : one;
}

/** The same for editors, as JSON Schema. */
export const configJsonSchema = (program: Command): object =>
  z.toJSONSchema(configSchema(program), { target: 'draft-2020-12' });
