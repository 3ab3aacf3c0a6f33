/** What the web servers of a distribution share: if they are, and how a site's configuration is moved to a free port. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Engine, RunningEngine } from './engine.ts';

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

/** Sets the lines that an operator sets. Each has to be there exactly once. */
export function moved(configuration: string, lines: Readonly<Record<string, string>>): string {
  let text = configuration;
  for (const [line, own] of Object.entries(lines)) {
    const [before, after, ...more] = text.split(line);
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`got ${more.length + (after === undefined ? 0 : 1)} lines ${line}, expected one`);
    text = before + own + after;
  }
  return text;
}
