/** What the web servers of a distribution share: if they are, and how a site's configuration is moved to a free port. */

import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createFolder, removeFolder } from '../folders.ts';
import type { Engine, RunningEngine } from './engine.ts';
import { freePort, startProgram } from './process.ts';
import { basePathOf } from './site-folder.ts';

export interface WebServer extends Engine {
  /** Serves a site with another configuration than its own, which listens where the site's would. */
  startWith(configuration: string, site: string): Promise<RunningEngine>;
}

/** Web servers are in folders that are not on everybody's PATH. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The path of a program, undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  return [...(process.env.PATH ?? '').split(path.delimiter), ...SYSTEM_FOLDERS]
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));
}

export const missingProgram = (name: string): string | undefined =>
  findProgram(name) ? undefined : `${name} is not installed`;

/**
 * Starts a web server on a free port, with a folder of its own.
 *
 * @param prepare returns the arguments, and the files of the folder by name
 */
export async function startServer(
  name: string,
  site: string,
  prepare: (folder: string, port: number) => { args: string[]; files: Readonly<Record<string, string>> },
): Promise<RunningEngine> {
  const folder = createFolder();
  const port = await freePort();
  const { args, files } = prepare(folder, port);
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
  return startProgram({
    command: findProgram(name) ?? name,
    args,
    url: `http://127.0.0.1:${port}${basePathOf(site)}`,
    // What Caddy keeps between runs.
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    cleanUp: () => removeFolder(folder),
  });
}

/** Sets the lines that an operator sets. Each has to be there exactly once. */
export function moved(configuration: string, lines: Readonly<Record<string, string>>): string {
  let text = configuration;
  for (const [line, own] of Object.entries(lines)) {
    const parts = text.split(line);
    if (parts.length !== 2) throw new Error(`got ${parts.length - 1} lines ${line}, expected one`);
    text = parts.join(own);
  }
  return text;
}
