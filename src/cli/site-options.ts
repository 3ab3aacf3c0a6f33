import * as z from 'zod';
import { formatValue } from '../contract/parse.ts';
import { linkStyles } from '../contract/paths.ts';
import { iconModes } from '../contract/responses.ts';
import {
  defaultHost,
  findHostConflict,
  hostNames,
  listBaseUrlVariables,
} from '../hosts/index.ts';
import type { WantedSettings } from '../pipeline/settings.ts';
import type { ParsedOptions } from './command.ts';
import {
  flag,
  inGroup,
  oneOf,
  option,
  parseValue,
  plainUrl,
  required,
} from './options.ts';

export const BUILD_FOLDER = 'build';

const hostList = z
  .array(oneOf(hostNames))
  .readonly()
  .superRefine((names, { addIssue }) => {
    const conflict = findHostConflict(names);
    if (conflict === undefined) return;
    const got = formatValue(conflict.names.join(' '));
    addIssue(
      `got ${got}, expected one of them, because they read ${conflict.file} differently`,
    );
  })
  .optional();

export const siteOptions = {
  ...inGroup('Output:', {
    /**
     * The base URL. The default is the first one that is set: the variable
     * `BASE_URL`, the variables of a host's build machine, the published base URL,
     * and finally `http://127.0.0.1:3000`.
     */
    baseUrl: option(
      '--base-url <url>',
      'base URL [$BASE_URL, or as published]',
      plainUrl.optional(),
    ),
    /**
     * Whether links point to endpoints (`query`) or to files (`file`). The default
     * is `query`, except for a host that ignores queries.
     */
    links: option(
      '--links <style>',
      'target of links',
      oneOf(linkStyles).optional(),
    ),
    /**
     * How icons are served. The default is `link`, which redirects to the upstream.
     * If links point to files, the default is `mirror`, which copies the icons.
     */
    sprites: option(
      '--sprites <mode>',
      'how to serve icons',
      oneOf(iconModes).optional(),
    ),
    spritesUpstream: option(
      '--sprites-upstream <url>',
      'base URL of icons',
      z.string().optional(),
    ),
    archive: flag('--archive', 'offer the site as /download/gamedata.tar.gz'),
    verify: flag('--verify', 'check every published file'),
  }),
  ...inGroup('Hosts:', {
    hosts: option(
      '--host <name...>',
      `hosts to configure [${defaultHost}]`,
      hostList,
    ),
    /** The document root of a web server. The default is the output folder. */
    root: option(
      '--root <dir>',
      'document root of a web server [--out]',
      required('a folder').optional(),
    ),
  }),
};

/**
 * Validates the options of a site, and falls back to the base URL in the
 * environment.
 *
 * @throws UsageError
 */
export function resolveWanted(
  options: ParsedOptions<Omit<typeof siteOptions, 'verify'>>,
  environment: Environment,
): WantedSettings {
  const { links, hosts, root, archive, sprites: mode } = options;
  // If the site has no icons, their base URL is not even validated.
  const iconAddress = mode === 'none' ? undefined : options.spritesUpstream;
  const upstream = parseValue(
    plainUrl.optional(),
    iconAddress,
    '--sprites-upstream',
  );
  const baseUrl = options.baseUrl ?? readBaseUrlVariable(environment);
  return {
    baseUrl,
    links,
    hosts,
    root,
    archive,
    sprites: { mode, upstream },
  };
}

function readBaseUrlVariable(environment: Environment): string | undefined {
  const variable = findBaseUrlVariable(environment);
  if (variable === undefined) return undefined;
  return parseValue(plainUrl, environment[variable], variable);
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Finds the environment variable that contains the base URL. */
export function findBaseUrlVariable(environment: Environment): string | undefined {
  const names = ['BASE_URL', ...listBaseUrlVariables(environment)];
  return names.find((name) => environment[name]);
}
