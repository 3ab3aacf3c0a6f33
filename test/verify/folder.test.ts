import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import fsExtra from 'fs-extra';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEntry } from '../../src/data/entries.ts';
import { listFiles } from '../../src/files.ts';
import { encodeManifest } from '../../src/site/manifest.ts';
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

/** Damages files, and then lists the damaged files in a new manifest. */
const list =
  (damage: Damage): Damage =>
  (files) => {
    damage(files);
    files.delete('manifest.json');
    const entries = Array.from(files, ([file, body]) => createEntry(file, body));
    const manifest = encodeManifest({ generator: 'gamedata/0.0.0' }, entries);
    files.set('manifest.json', Buffer.from(manifest));
  };

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
  expect(report).toEqual({ counts, problems: [] });
  expect(files).toBeGreaterThan(125);
});

describe('verifyFolder', () => {
  it.each<[string, Damage, RegExp]>([
    [
      'a changed file',
      edit('404.json', 'N', 'n'),
      /^404.json: has SHA-256 \w+, expected \w+, as listed$/,
    ],
    [
      'a truncated file',
      edit(move(''), /.{40}$/, ''),
      /move\/index.json: has \d+ bytes, expected \d+/,
    ],
    [
      'line breaks that Git has changed',
      edit('style.css', /\n/g, '\r\n'),
      /^style.css: has \d+ bytes, expected \d+, as listed$/,
    ],
    [
      'a damaged image, although its signature has a CRLF line break',
      write('sprites/items/unknown.png', 'PNG\r\n\x1a\n\0'),
      /^sprites\/items\/unknown.png: has 8 bytes, expected \d+/,
    ],
    [
      'a missing file',
      remove(move('move-7/')),
      /^.*move-7\/index.json: is missing$/,
    ],
    [
      'an unknown file',
      write(move('stowaway/'), '{}'),
      /^.*stowaway\/index.json: is not in the manifest$/,
    ],
    [
      'a wrong digest',
      list(edit('meta.json', /sha256:\w/, 'sha256:x')),
      /: got digest sha256:x\w+, expected sha256:\w+, as in the data set$/,
    ],
    [
      'a data set that does not match its description',
      list(edit('data/move.ndjson', 'Move 107', 'Move 108')),
      /^data\/: .*move.ndjson: has SHA-256 /,
    ],
    [
      'an invalid description of its data set',
      list(edit('data/dataset.json', '"captured"', '"capturet"')),
      /^data\/: /,
    ],
  ])('reports a problem if a site has %s', async (_, damage, problem) => {
    const { problems } = await verifyFolder(writeSite(damage));
    expect(problems.map(({ file, problem }) => `${file}: ${problem}`)).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  it('ignores files that other programs added to .well-known/', async () => {
    const folder = writeSite(write('.well-known/acme-challenge/token', 'x'));
    symlinkSync('token', path.join(folder, '.well-known/link'));
    expect((await verifyFolder(folder)).problems).toEqual([]);
  });

  it('reports a changed file in .well-known/ that the manifest lists', async () => {
    const file = '.well-known/security.txt';
    const folder = writeSite((files) => {
      list(write(file, 'x'))(files);
      write(file, 'y')(files);
    });
    expect((await verifyFolder(folder)).problems).toMatchObject([{ file }]);
  });

  it('reports an unreadable file and still compares the other files', async () => {
    const folder = writeSite(edit('404.json', 'N', 'n'));
    rmSync(path.join(folder, 'style.css'));
    mkdirSync(path.join(folder, 'style.css'));
    expect((await verifyFolder(folder)).problems).toEqual([
      { file: '404.json', problem: expect.stringContaining('has SHA-256') },
      { file: 'style.css', problem: 'is missing' },
    ]);
  });

  it('reports a symlink as a problem', async () => {
    const folder = writeSite(() => {});
    symlinkSync('404.json', path.join(folder, 'link'));
    const problem = { file: 'link', problem: 'is not a regular file' };
    expect((await verifyFolder(folder)).problems).toEqual([problem]);
  });

  it.each<[string, Damage, RegExp]>([
    ['no manifest', remove('manifest.json'), /is not a gamedata site/],
    [
      'a broken manifest',
      write('manifest.json', '{'),
      /manifest.json: got invalid JSON: /,
    ],
    [
      'an outer path',
      edit('manifest.json', '"404', '"../404'),
      /path: got .* a relative path/,
    ],
    [
      'an unknown link style',
      list(edit('meta.json', '"query"', '"magic"')),
      /meta.json › links: /,
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
