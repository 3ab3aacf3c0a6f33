/** Publishing into a folder as tests do it: small trees of text, and what became of them. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { listFiles } from '../../src/files.ts';
import { type PublishResult, withOutput } from '../../src/publish/publish.ts';
import { resolveWorkPaths } from '../../src/publish/work-paths.ts';
import { temporaryFolder } from './temporary.ts';

/** Path → text. */
export type Tree = Readonly<Record<string, string>>;

export const treeFiles = (tree: Tree) => Object.entries(tree).map(([path, body]) => ({ path, body }));

export const publishTree = (out: string, tree: Tree): Promise<PublishResult> =>
  withOutput(out, (output) => output.publish(treeFiles(tree)));

/** Opens a folder as whoever publishes there does, and publishes nothing. */
export const openAgain = (out: string): Promise<readonly string[]> =>
  withOutput(out, async ({ notices }) => notices);

/** What is in a folder, without the manifest if there is one. */
export function readTree(folder: string): Tree {
  return Object.fromEntries(
    listFiles(folder)
      .filter((name) => name !== 'manifest.json')
      .sort()
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );
}

const kept = Object.fromEntries(Array.from({ length: 2 }, (_, at) => [`kept/${at}.json`, `${at}`]));
/** Two sites that differ in a few files, so that one becomes the other file by file. */
export const littleChanged: readonly [old: Tree, fresh: Tree] = [
  { ...kept, 'a.json': '1', 'b/c.json': '2', 'gone/x/y.json': '3', 'gone.json': '4' },
  { ...kept, 'a.json': '10', 'b/c.json': '2', 'come/x.json': '30', 'b/d.json': '5' },
];

/** What may happen to a site: each of the second trees has another `a.json`. */
export const transitions: Readonly<Record<string, readonly [old: Tree, fresh: Tree]>> = {
  'of which little has changed': littleChanged,
  'of which everything has changed': [
    { 'a.json': '1', 'b/c.json': '2', 'meta.json': '3' },
    { 'a.json': '10', 'b/c.json': '20', 'meta.json': '30' },
  ],
  'in which files become folders, and folders files': [
    { 'a.json': '1', file: '2', 'folder/x/y': '3', 'folder/z': '4', 'meta.json': '5' },
    { 'a.json': '10', 'file/x/y': '2', 'folder/x': '3', 'meta.json': '5' },
  ],
};

/** A site in a folder of its own, and what lies beside it. */
export async function publishedSite(tree: Tree) {
  const folders = resolveWorkPaths(path.join(temporaryFolder(), 'site'));
  await publishTree(folders.out, tree);
  const names = () => readdirSync(path.dirname(folders.out));
  return { out: folders.out, folders, names };
}

/** A call of the file system that fails. */
export const failing = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: simulated`), { code });
};
