import path from 'node:path';
import { type BuildOptions, build } from '../../src/cli/commands/build.ts';
import { createFolder, removeFolder } from './folders.ts';

/** Builds a site without icons from the bundled data. Returns the site's folder. */
export async function buildPageSite(options: BuildOptions = {}): Promise<string> {
  const out = path.join(createFolder(), 'site');
  const baseUrl = 'https://example.test';
  await build({
    source: 'snapshot',
    baseUrl,
    hosts: [],
    sprites: 'none',
    ...options,
    out,
  });
  return out;
}

export const removePageSite = (folder: string): void =>
  removeFolder(path.dirname(folder));
