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
import { DEFAULT_BASE_URL } from '../pipeline/settings.ts';
import { flag, folder, inGroup, option, plainUrl } from './options.ts';

export const BUILD_FOLDER = 'build';

const hostList = z
  .array(z.enum(hostNames))
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

/** Finds the environment variable that contains the base URL. */
function findBaseUrlVariable(): string {
  const names = ['BASE_URL', ...listBaseUrlVariables(process.env)];
  return names.find((name) => process.env[name]) ?? 'BASE_URL';
}

export const siteOptions = {
  ...inGroup('Output:', {
    /** The base URL. The default is `http://127.0.0.1:3000`. */
    baseUrl: option(
      '--base-url <url>',
      `URL of the site [${DEFAULT_BASE_URL}]`,
      plainUrl.optional(),
      { env: findBaseUrlVariable },
    ),
    /**
     * Whether links point to endpoints (`query`) or to files (`file`). The default
     * is `query`, except for a host that ignores queries.
     */
    links: option(
      '--links <style>',
      'target of links; file for hosts that ignore queries',
      z.enum(linkStyles).optional(),
    ),
    /**
     * How icons are served. The default is `link`, which redirects to the upstream. If
     * links point to files, the default is `mirror`, which copies the icons into the
     * site.
     */
    sprites: option(
      '--sprites <mode>',
      'how to serve icons',
      z.enum(iconModes).optional(),
    ),
    spritesUpstream: option(
      '--sprites-upstream <url>',
      'base URL of icons',
      plainUrl.optional(),
    ),
    archive: flag('--archive', 'offer the site as /download/gamedata.tar.gz'),
  }),
  ...inGroup('Hosts:', {
    hosts: option(
      '--host <name...>',
      `hosts to configure [${defaultHost}]: ${hostNames.join(', ')}`,
      hostList,
    ),
    /** The document root of a web server. The default is the output folder. */
    root: option(
      '--root <dir>',
      'document root of a web server [--out]',
      folder.optional(),
    ),
  }),
};
