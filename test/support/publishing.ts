import { hash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { listFiles } from '../../src/files.ts';
import {
  type OpenOptions,
  type PublishResult,
  withOutput,
} from '../../src/publish/publish.ts';
import { resolveWorkPaths } from '../../src/publish/work-paths.ts';
import { fingerprint } from './fingerprint.ts';
import { temporaryFolder } from './temporary.ts';

/** The text of each file, by path. */
export type Tree = Readonly<Record<string, string>>;

export const treeFiles = (tree: Tree) =>
  Object.entries(tree).map(([path, body]) => ({ path, body }));

export const publishTree = (
  out: string,
  tree: Tree,
  options?: OpenOptions,
): Promise<PublishResult> =>
  withOutput(out, (output) => output.publish(treeFiles(tree)), options);

/** Publishes nothing. Returns the recovery notices. */
export const openAgain = (out: string): Promise<readonly string[]> =>
  withOutput(out, async ({ notices }) => notices);

/** Reads a folder without its manifest. */
export function readTree(folder: string): Tree {
  const names = listFiles(folder).filter((name) => name !== 'manifest.json');
  return Object.fromEntries(
    names
      .sort()
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  );
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

export async function publishedSite(tree: Tree) {
  const folders = resolveWorkPaths(path.join(temporaryFolder(), 'site'));
  const { out } = folders;
  await publishTree(out, tree);
  const names = () => readdirSync(path.dirname(out));
  return { out, folders, names };
}

/**
 * Leaves a committed change next to a site, as a killed build does. It would publish
 * the same site again.
 */
export function leaveCommitted(out: string): void {
  const { staged, replacedFile } = resolveWorkPaths(out);
  const manifest = path.join(out, 'manifest.json');
  mkdirSync(staged, { recursive: true });
  copyFileSync(manifest, path.join(staged, 'manifest.json'));
  writeFileSync(replacedFile, hash('sha256', readFileSync(manifest)));
}

/** Expects that publishing fails and changes nothing in the folder or next to it. */
export async function expectRejected(
  out: string,
  publishing: () => Promise<unknown>,
  error: Readonly<Record<string, unknown>>,
): Promise<void> {
  const before = fingerprint(path.dirname(out));
  await expect(publishing()).rejects.toMatchObject(error);
  expect(fingerprint(path.dirname(out))).toEqual(before);
}

export const failing = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: simulated`), { code });
};
