/** Publishing into a folder as tests do it: small trees of text, and what became of them. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type PublishResult, withOutput } from '../../src/output/publish.ts';
import { listFiles } from '../../src/output/published.ts';

/** Path → text. */
export type Tree = Readonly<Record<string, string>>;

export const treeFiles = (tree: Tree) => Object.entries(tree).map(([path, body]) => ({ path, body }));

export const publishTree = (out: string, tree: Tree): Promise<PublishResult> =>
  withOutput(out, (output) => output.publish(treeFiles(tree)));

/** What is in a folder, without the manifest if there is one. */
export function readTree(folder: string): Tree {
  return Object.fromEntries(
    listFiles(folder)
      .filter((name) => name !== 'manifest.json')
      .sort()
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );
}
