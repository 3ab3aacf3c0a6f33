import * as fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { SiteFile } from '../../src/contract/meta.ts';
import { listFiles } from '../../src/files.ts';
import {
  type OpenOptions,
  type PublishOptions,
  type PublishResult,
  withOutput,
} from '../../src/publish/publish.ts';
import { encodeManifest } from '../../src/site/manifest.ts';
import { parseEntries, readIfExists } from '../../src/site-folder.ts';
import { fingerprintFiles } from './fingerprint.ts';
import { temporaryFolder } from './temporary.ts';

/** The text of each file, by path. */
export type Tree = Readonly<Record<string, string>>;

export const treeFiles = (tree: Tree) =>
  Object.entries(tree).map(([path, body]) => ({ path, body }));

/** Options to publish a site that states no inputs. */
export const plainManifest: PublishOptions = {
  encodeManifest: (entries) =>
    encodeManifest({ generator: 'gamedata/0.0.0' }, entries),
};

export const publishFiles = (
  out: string,
  files: Iterable<SiteFile>,
  options?: OpenOptions,
): Promise<PublishResult> =>
  withOutput(out, ({ publish }) => publish(files, plainManifest), options);

export const publishTree = (
  out: string,
  tree: Tree,
  options?: OpenOptions,
): Promise<PublishResult> => publishFiles(out, treeFiles(tree), options);

/** Publishes nothing. Returns the notices about an interrupted change. */
export const openAgain = (out: string): Promise<readonly string[]> =>
  withOutput(out, async ({ notices }) => notices);

/** Reads all files on disk except the manifest. */
export function readTree(folder: string): Tree {
  const names = listFiles(folder).filter((name) => name !== 'manifest.json');
  return Object.fromEntries(
    names
      .sort()
      .map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]),
  );
}

/** Reads the site that commands see, which includes a change that is not complete. */
export function readVisibleTree(folder: string): Tree {
  const tree: Record<string, string> = {};
  const manifest = readIfExists(folder, 'manifest.json');
  if (!manifest) return tree;
  for (const { path: file } of parseEntries(folder, 'manifest.json', manifest)) {
    tree[file] = `${readIfExists(folder, file)}`;
  }
  return tree;
}

const kept = { 'kept/0.json': '0', 'kept/1.json': '1' };

/** Two sites that differ in a few files. */
export const littleChanged: readonly [old: Tree, fresh: Tree] = [
  {
    ...kept,
    'a.json': '1',
    'b/c.json': '2',
    'gone/x/y.json': '3',
    'gone.json': '4',
  },
  { ...kept, 'a.json': '10', 'b/c.json': '2', 'come/x.json': '30', 'b/d.json': '5' },
];

/** Publishes a site into a new folder, and returns the folder. */
export async function publishedSite(tree: Tree): Promise<string> {
  const out = path.join(temporaryFolder(), 'site');
  await publishTree(out, tree);
  return out;
}

/** Expects that publishing fails, and changes no file in the folder or next to it. */
export async function expectRejected(
  out: string,
  publishing: () => Promise<unknown>,
  error: Readonly<Record<string, unknown>>,
): Promise<void> {
  const before = fingerprintFiles(path.dirname(out));
  await expect(publishing()).rejects.toMatchObject(error);
  expect(fingerprintFiles(path.dirname(out))).toEqual(before);
}

export const failing = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: simulated`), { code });
};
