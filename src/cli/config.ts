import path from 'node:path';
import * as z from 'zod';
import { describeIssue, formatValue, parseJsonOrThrow } from '../contract/parse.ts';
import { isUrl } from '../contract/paths.ts';
import { describeReadFailure, GamedataError } from '../errors.ts';
import { readRegular } from '../files.ts';
import { type Command, listCliOptions } from './command.ts';
import { type Options, parseFlag } from './options.ts';

type Commands = Readonly<Record<string, Command<Options>>>;

/** Maps the flags of a command, such as `base-url`, to values. */
type Section = Readonly<Record<string, unknown>>;

/** The configuration file, which has a section of options for each command. */
export type Config = Readonly<Record<string, Section | undefined>>;

const MAX_BYTES = 64 * 1024;

/**
 * Reads the configuration file and validates every section. Folders in the file are
 * relative to the file.
 *
 * @throws GamedataError
 */
export function readConfig(commands: Commands, file: string): Config {
  const json = readJson(file);
  assertConfig(file, json, commands);
  const config: Record<string, Section> = {};
  for (const [name, command] of Object.entries(commands)) {
    const section = { ...json[name] };
    for (const flag of listFolderFlags(command)) {
      const folder = section[flag];
      if (typeof folder !== 'string') continue;
      const place = [file, name, flag].join(' › ');
      section[flag] = resolveFolder(folder, path.dirname(file), place);
    }
    config[name] = section;
  }
  return config;
}

/** Lists the flags whose value may be a folder, such as `cache` for `--cache <dir>`. */
function listFolderFlags(command: Command<Options>): string[] {
  const allFlags = listCliOptions(command).map(({ flags }) => flags);
  const folderFlags = allFlags.filter((flags) => /<(?:url\|)?dir>/.test(flags));
  return folderFlags.map(parseFlag);
}

/**
 * Merges a command's section with the section that the command inherits from.
 */
export function findSection(
  config: Config,
  name: string,
  inherits: string | undefined,
): Section {
  const inherited = inherits === undefined ? {} : config[inherits];
  return { ...inherited, ...config[name] };
}

/**
 * Resolves a folder in the configuration file, which is relative to the file's folder.
 *
 * @param place the place of the value in the file, for the error message
 */
function resolveFolder(folder: string, base: string, place: string): string {
  if (isUrl(folder) || path.isAbsolute(folder)) return folder;
  // Only shells expand `~`, so this path would become a folder with that name.
  if (/^~[/\\]/.test(folder)) {
    const got = formatValue(folder);
    throw new GamedataError(
      'usage',
      `${place}: got ${got}, expected a path without ~`,
    );
  }
  return path.join(base, folder);
}

/** @throws GamedataError if the file cannot be read, or is not JSON */
function readJson(file: string): unknown {
  try {
    return parseJsonOrThrow(readRegular(file, MAX_BYTES));
  } catch (cause) {
    if (cause instanceof SyntaxError) {
      throw new GamedataError('usage', `${file}: ${cause.message}`, { cause });
    }
    const failure = describeReadFailure(cause);
    throw new GamedataError(
      'usage',
      `${file}: ${failure}, expected a configuration`,
      { cause },
    );
  }
}

/**
 * Rejects invalid values, and unknown commands and options. The path of a problem consists
 * of the names that lead to it: of a command, or of a command and one of its options.
 */
function assertConfig(
  file: string,
  json: unknown,
  commands: Commands,
): asserts json is Config {
  const { error } = createConfigSchema(commands).safeParse(json);
  const issue = error?.issues[0];
  if (!issue) return;
  const place = [file, ...issue.path].join(' › ');
  const problem =
    issue.code === 'unrecognized_keys'
      ? describeUnknownName(issue)
      : describeIssue(issue, json);
  throw new GamedataError('usage', `${place}: ${problem}`);
}

/**
 * Describes the problem of an unknown name, and quotes the command whose help lists the
 * valid names: `gamedata --help` for the name of a command, which is at the top of the
 * file, and `gamedata build --help` for the name of an option in the section `build`.
 */
function describeUnknownName({
  keys: unknownNames,
  path: section,
}: z.core.$ZodIssueUnrecognizedKeys): string {
  const helpCommand = ['gamedata', ...section, '--help'].join(' ');
  return `got ${formatValue(unknownNames[0])}, expected a name from ${helpCommand}`;
}

/**
 * Creates the schema of the configuration file, which has a section for each
 * command. The keys of a section are the flags of its command.
 */
export function createConfigSchema(commands: Commands) {
  const sections: Record<string, z.ZodType> = {};
  for (const [name, command] of Object.entries(commands)) {
    const options: Record<string, z.ZodType> = {};
    for (const { flags, schema } of listCliOptions(command)) {
      options[parseFlag(flags)] = schema.optional();
    }
    sections[name] = z
      .strictObject(options)
      .describe(command.description)
      .optional();
  }
  return z
    .strictObject({
      $schema: z
        .string()
        .optional()
        .describe('The schema of this file, for editors.'),
      ...sections,
    })
    .meta({
      title: 'gamedata.config.json',
      description: 'The options of each command of gamedata.',
    });
}

export const createConfigJsonSchema = (commands: Commands): object =>
  z.toJSONSchema(createConfigSchema(commands), { io: 'input' });
