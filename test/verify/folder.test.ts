import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { archiveStorage } from '../../src/built/archive.ts';
import { memoryStorage } from '../../src/built/storage.ts';
import { compare } from '../../src/dataset/compare.ts';
import { listFiles } from '../../src/files.ts';
import { createEntry, encodeManifest } from '../../src/site/manifest.ts';
import { verifyFolder, verifySite } from '../../src/verify/folder.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { everyKind } from '../support/kinds.ts';
import { rawMove } from '../support/sites.ts';
import { sharedSite } from '../support/small-data.ts';

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

/** A history step between two data sets that do not belong to this site. */
const elsewhere = compare(
  { ...versionOf([]), digest: `sha256:${'0'.repeat(64)}` },
  { ...versionOf([rawMove(1)]), digest: `sha256:${'1'.repeat(64)}` },
);

const move = (name: string) => `api/gamedata/move/${name}index.json`;
const otherNames = '"names":{"digest":"sha256:0","languages":{}},"base_url"';

/** Stores the site in memory with some damage. */
function createStorage(damage: Damage) {
  const files = new Map(built);
  damage(files);
  return memoryStorage('site', '/', files);
}

it('verifyFolder and verifySite find no problems in a built site or its archive', async () => {
  const { files, ...report } = verifyFolder(site);
  const counts = everyKind({ move: 120, item: 5 }, () => 1);
  expect(report).toEqual({ counts, problems: [] });
  expect(files).toBeGreaterThan(125);
  const archive = await archiveStorage(path.join(site, 'download/gamedata.tar.gz'));
  expect(verifySite(archive)).toMatchObject({ counts, problems: [] });
});

describe('verifySite', () => {
  it.each<[string, Damage, RegExp]>([
    [
      'a changed file',
      edit('404.json', 'N', 'n'),
      /^404.json: has SHA-256 \w+, expected \w+, as in /,
    ],
    [
      'a truncated file',
      edit(move(''), /.{40}$/, ''),
      /move\/index.json: has \d+ bytes, expected \d+/,
    ],
    [
      'line breaks that Git has changed',
      edit('style.css', /\n/g, '\r\n'),
      /^style.css: has CRLF line breaks, expected LF$/,
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
      /: got sha256:\w+, expected sha256:x/,
    ],
    [
      'a wrong record on a page',
      list(edit(move('offset/100/'), 'Move 107', 'Move 108')),
      / › digest: got /,
    ],
    [
      'too few pages',
      list(remove(move('offset/100/'))),
      /100\/index.json: is not in the manifest$/,
    ],
    [
      'a page without records',
      list(write(move(''), '{}')),
      / › results: got nothing, expected array/,
    ],
    [
      'wrong names',
      list(edit('meta.json', '"base_url"', otherNames)),
      /: does not match the site's names$/,
    ],
    [
      'a wrong history',
      list(write('changes.json', JSON.stringify({ steps: [elsewhere] }))),
      / › steps\[0\]\.to\.digest: got .*1{64}, /,
    ],
    [
      'an invalid history',
      list(edit('changes.json', '[', '[1')),
      /› steps\[0\]: got 1, expected object/,
    ],
    [
      'invalid old slugs',
      list(write('former.json', '{"move":{"x":"y"}}')),
      /former.json › move.x: got "y"/,
    ],
  ])('reports a problem if a site has %s', (_, damage, problem) => {
    const { problems } = verifySite(createStorage(damage));
    expect(problems.map(({ file, problem }) => `${file}: ${problem}`)).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  it('ignores files that other programs added to .well-known/', () => {
    const storage = createStorage(write('.well-known/acme-challenge/token', 'x'));
    const list = () => [
      ...storage.list(),
      { path: '.well-known/link', isFile: false },
    ];
    expect(verifySite({ ...storage, list }).problems).toEqual([]);
  });

  it('reports a changed file in .well-known/ that the manifest lists', () => {
    const file = '.well-known/security.txt';
    const storage = createStorage((files) => {
      list(write(file, 'x'))(files);
      write(file, 'y')(files);
    });
    expect(verifySite(storage).problems).toMatchObject([{ file }]);
  });

  it('reports an unreadable file and still compares the other files', () => {
    const storage = createStorage(edit('404.json', 'N', 'n'));
    const read = (file: string): Buffer => {
      if (file === 'style.css') {
        throw Object.assign(new Error('damaged disk'), { code: 'EIO' });
      }
      return storage.read(file);
    };
    expect(verifySite({ ...storage, read }).problems).toEqual([
      { file: '404.json', problem: expect.stringContaining('has SHA-256') },
      { file: 'style.css', problem: 'cannot be read (EIO)' },
    ]);
  });

  it('reports a symlink as a problem', () => {
    const storage = createStorage(() => {});
    const list = () => [...storage.list(), { path: 'link', isFile: false }];
    const problem = { file: 'link', problem: 'is not a regular file' };
    expect(verifySite({ ...storage, list }).problems).toEqual([problem]);
  });

  it.each<[string, Damage, RegExp]>([
    ['no manifest', remove('manifest.json'), /has no manifest.json$/],
    [
      'a broken manifest',
      write('manifest.json', '{'),
      /manifest.json: invalid JSON$/,
    ],
    [
      'an outer path',
      edit('manifest.json', '"404', '"../404'),
      /path: got .* a relative path/,
    ],
    [
      'an unknown link style',
      edit('meta.json', '"query"', '"magic"'),
      /meta.json: links: /,
    ],
  ])('rejects a site with %s', (_, damage, message) => {
    const error = expect.objectContaining({
      code: 'output',
      message: expect.stringMatching(message),
    });
    expect(() => verifySite(createStorage(damage))).toThrow(error);
  });
});

it('verifySite reports progress before it checks each file', () => {
  const seen: string[] = [];
  verifySite(
    createStorage(() => {}),
    ({ done, total }) => seen.push(`${done} of ${total}`),
  );
  const { length } = JSON.parse(`${built.get('manifest.json')}`).files;
  expect(seen).toEqual(Array.from({ length }, (_, done) => `${done} of ${length}`));
});
