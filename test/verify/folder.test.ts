import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { beforeAll, describe, expect, it } from 'vitest';
import { listFiles } from '../../src/files.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { everyKind } from '../support/kinds.ts';
import { sharedSite } from '../support/small-data.ts';
import { temporaryFolder } from '../support/temporary.ts';

type Files = Map<string, Buffer>;
type Damage = (files: Files) => void;

const { site } = sharedSite({ archive: true });
let built: Files;
beforeAll(() => {
  built = new Map(
    listFiles(site).map((file) => [file, readFileSync(path.join(site, file))]),
  );
});

const write =
  (file: string, text: string): Damage =>
  (files) =>
    files.set(file, Buffer.from(text));
const edit =
  (file: string, from: string | RegExp, to: string): Damage =>
  (files) => {
    const text = `${files.get(file)}`;
    expect(text.replace(from, to)).not.toBe(text);
    write(file, text.replace(from, to))(files);
  };
const remove =
  (file: string): Damage =>
  (files) =>
    files.delete(file);

const move = (name: string) => `api/gamedata/move/${name}index.json`;
/** Writes the site with some damage into a new folder. */
function writeSite(damage: Damage): string {
  const files = new Map(built);
  damage(files);
  const folder = path.join(temporaryFolder(), 'site');
  for (const [file, body] of files) {
    fsExtra.outputFileSync(path.join(folder, file), body);
  }
  return folder;
}

it('finds no problems in a built site', async () => {
  const { files, ...report } = await verifyFolder(site);
  const counts = everyKind({ move: 120, item: 5 }, () => 1);
  expect(report).toEqual({ counts, problems: [], unlisted: [], unfinished: false });
  expect(files).toBeGreaterThan(125);
});

describe('verifyFolder', () => {
  it.each<[string, Damage, RegExp]>([
    [
      'a changed file',
      edit('404.json', 'N', 'n'),
      /404.json: has SHA-256 \w+, expected \w+, as listed$/,
    ],
    [
      'a missing file',
      remove(move('move-7/')),
      /^.*move-7\/index.json: does not exist$/,
    ],
  ])('reports a problem if a site has %s', async (_, damage, problem) => {
    const { problems } = await verifyFolder(writeSite(damage));
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  it('does not report a problem for files that the manifest does not list', async () => {
    const folder = writeSite(write('photos/.DS_Store', 'x'));
    symlinkSync('404.json', path.join(folder, 'link'));
    const { problems, unlisted } = await verifyFolder(folder);
    expect(problems).toEqual([]);
    expect(unlisted.toSorted()).toEqual(['link', 'photos/.DS_Store']);
  });

  it('checks the new site if a killed build has not moved all files', async () => {
    const folder = writeSite((files) => {
      for (const file of ['404.json', 'manifest.json']) {
        write(`.gamedata/next/${file}`, `${files.get(file)}`)(files);
      }
      write('404.json', 'the old site')(files);
    });
    expect(await verifyFolder(folder)).toMatchObject({
      problems: [],
      unfinished: true,
    });
  });

  it.each(['.gamedata/next/404.json', 'lost+found/x'])(
    'does not report %s as unlisted',
    async (file) => {
      const folder = writeSite(write(file, 'x'));
      expect(await verifyFolder(folder)).toMatchObject({
        problems: [],
        unlisted: [],
      });
    },
  );

  it.each<[string, (file: string) => void]>([
    ['a folder', (file) => mkdirSync(file)],
    ['a symlink', (file) => symlinkSync('style.css', file)],
  ])('reports %s in place of a file', async (_, replace) => {
    const folder = writeSite(() => {});
    rmSync(path.join(folder, '404.json'));
    replace(path.join(folder, '404.json'));
    const problem = /404\.json: (?:cannot be read|is not a regular file)/;
    expect((await verifyFolder(folder)).problems).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  it.each<[string, Damage, RegExp]>([
    ['no manifest', remove('manifest.json'), /is not a gamedata site/],
    [
      'a broken manifest',
      write('manifest.json', '{'),
      /manifest.json: got invalid JSON: /,
    ],
    [
      'a path outside the site in its manifest',
      edit('manifest.json', '"404', '"../404'),
      /path: got .* a relative path/,
    ],
  ])('rejects a site with %s', async (_, damage, message) => {
    const error = expect.objectContaining({
      message: expect.stringMatching(message),
    });
    await expect(verifyFolder(writeSite(damage))).rejects.toThrow(error);
  });
});

it('reports progress before it checks each file', async () => {
  const seen: string[] = [];
  await verifyFolder(site, ({ done, total }) => seen.push(`${done} of ${total}`));
  const { length } = JSON.parse(`${built.get('manifest.json')}`).files;
  expect(seen).toEqual(Array.from({ length }, (_, done) => `${done} of ${length}`));
});
