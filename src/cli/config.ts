import path from 'node:path';
import * as z from 'zod';
import { describeIssue, formatValue, parseJsonOrThrow } from '../contract/parse.ts';
import { isUrl } from '../contract/paths.ts';
import { describeReadFailure, GamedataError } from '../errors.ts';
import { readRegular } from '../files.ts';
import { type Command, listCliOptions } from './command.ts';
import type { Options } from './options.ts';

type Commands = Readonly<Record<string, Command<Options>>>;

/** Maps a command's flags, such as `base-url`, to their values. */
type Section = Readonly<Record<string, unknown>>;

/** The configuration file, which has a section of options for each command. */
export type Config = Readonly<Record<string, Section | undefined>>;

const MAX_BYTES = 64 * 1024;

/**
 * Reads the configuration file and validates every section. Resolves folders relative
 * to the file's own folder.
 *
 * @throws GamedataError
 */
export function readConfig(commands: Commands, file: string): Config {
  const json = parseConfig(commands, file);
  const config: Record<string, Section> = {};
  for (const [name, command] of Object.entries(commands)) {
    const section = { ...json[name] };
    for (const { flag, flags } of listCliOptions(command)) {
      const value = section[flag];
      // The value is a folder for flags such as `--out <dir>` and `--upstream <url|dir>`.
      const isFolder = /<(?:url\|)?dir>/.test(flags);
      if (!isFolder || typeof value !== 'string') continue;
      section[flag] = resolveFolder(file, value, `${name} › ${flag}`);
    }
    config[name] = section;
  }
  return config;
}

/**
 * Resolves a folder that is relative to the configuration file. Returns a URL or an
 * absolute path unchanged.
 */
function resolveFolder(file: string, value: string, place: string): string {
  // Only shells expand `~`, so this path would mean a folder that is named `~`.
  if (value.startsWith('~/')) {
    const problem = `got ${formatValue(value)}, expected a path without ~`;
    throw new GamedataError('usage', `${file} › ${place}: ${problem}`);
  }
  if (isUrl(value) || path.isAbsolute(value)) return value;
  return path.join(path.dirname(file), value);
}

/** Reads the file, and rejects unknown commands, unknown options and invalid values. */
function parseConfig(commands: Commands, file: string): Config {
  const json = readJson(file);
  const { error } = createConfigSchema(commands).safeParse(json);
  const issue = error?.issues[0];
  if (!issue) return json as Config;
  // The issue's path consists of the command's name and the option's name.
  const place = [file, ...issue.path].join(' › ');
  throw new GamedataError('usage', `${place}: ${describeIssue(issue, json)}`);
}

/** @throws GamedataError if the file cannot be read, or is not JSON */
function readJson(file: string): unknown {
  try {
    return parseJsonOrThrow(readRegular(file, MAX_BYTES));
  } catch (cause) {
    const failure =
      cause instanceof SyntaxError
        ? cause.message
        : `${describeReadFailure(cause)}, expected a configuration`;
    throw new GamedataError('usage', `${file}: ${failure}`, { cause });
  }
}

/**
 * Creates the schema of the configuration file, which has a section for each
 * command. The keys of a section are the flags of its command.
 */
export function createConfigSchema(commands: Commands) {
  const sections: Record<string, z.ZodType> = {};
  for (const [name, command] of Object.entries(commands)) {
    const options: Record<string, z.ZodType> = {};
    for (const { flag, schema } of listCliOptions(command)) {
      options[flag] = schema.optional();
    }
    sections[name] = z
      .strictObject(options)
      .describe(command.description)
      .optional();
  }
  const $schema = z
    .string()
    .optional()
    .describe('The schema of this file, for editors.');
  return z.strictObject({ $schema, ...sections }).meta({
    title: 'gamedata.config.json',
    description: 'The options of each command of gamedata.',
  });
}

export const createConfigJsonSchema = (commands: Commands): object =>
  z.toJSONSchema(createConfigSchema(commands), { io: 'input' });
