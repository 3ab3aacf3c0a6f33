import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compare } from '../../src/dataset/compare.ts';
import { archiveStorage } from '../../src/sources/site/storage.ts';
import { verifyFolder, verifySite } from '../../src/verify/folder.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { everyKind } from '../support/kinds.ts';
import { listAsTheyAre } from '../support/listed.ts';
import { rawMove } from '../support/sites.ts';
import { sharedSite } from '../support/small-data.ts';

const { site, copied } = sharedSite({ archive: true });

type Damage = (folder: string) => void;

const write =
  (file: string, text: string): Damage =>
  (folder) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  };
const edit =
  (file: string, from: string | RegExp, to: string): Damage =>
  (folder) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    expect(text.replace(from, to)).not.toBe(text);
    write(file, text.replace(from, to))(folder);
  };
const remove =
  (file: string): Damage =>
  (folder) =>
    rmSync(path.join(folder, file));
const link =
  (file: string, target: string): Damage =>
  (folder) =>
    symlinkSync(target, path.join(folder, file));

/** A step between two data sets of other sites. */
const elsewhere = compare(
  { ...versionOf([]), digest: `sha256:${'0'.repeat(64)}` },
  { ...versionOf([rawMove(1)]), digest: `sha256:${'1'.repeat(64)}` },
);

const move = (name: string) => `api/gamedata/move/${name}index.json`;

/** Damages a copy of the site and returns its problems. */
function findProblems(damage: Damage, isListed = false): string[] {
  const folder = copied();
  damage(folder);
  if (isListed) listAsTheyAre(folder);
  return verifyFolder(folder).problems.map(({ file, problem }) => `${file}: ${problem}`);
}

describe('verifyFolder', () => {
  it('finds no problems in a built site or its archive', async () => {
    const { files, ...report } = verifyFolder(site);
    const counts = everyKind({ move: 120, item: 5 }, () => 1);
    expect(report).toEqual({ counts, problems: [] });
    expect(files).toBeGreaterThan(125);
    const archive = await archiveStorage(path.join(site, 'download/gamedata.tar.gz'));
    expect(verifySite(archive)).toMatchObject({ counts, problems: [] });
  });

  it.each<[string, Damage, RegExp]>([
    ['a changed record', edit(move('move-7/'), 'Move 7', 'Move 8'), /move-7\/index.json: has SHA-256 \w+, /],
    ['a changed page', edit('404.json', 'N', 'n'), /^404.json: has SHA-256 \w+, expected \w+, as in /],
    [
      'a truncated file',
      edit(move('offset/100/'), /.{40}$/, ''),
      /100\/index.json: has \d+ bytes, expected \d+/,
    ],
    ['a missing file', remove('sprites/items/unknown.png'), /^sprites\/items\/unknown.png: is missing$/],
    ['a missing record', remove(move('move-7/')), /^.*move-7\/index.json: is missing$/],
    ['an unknown file', write(move('stowaway/'), '{}'), /^.*stowaway\/index.json: is not in the manifest$/],
    ['a symlink', link('link', 'meta.json'), /^link: is not a regular file$/],
  ])('finds %s', (_, damage, problem) => {
    expect(findProblems(damage)).toEqual([expect.stringMatching(problem)]);
  });

  const otherNames = '"names":{"digest":"sha256:0","languages":{}},"base_url"';
  it.each<[string, Damage, RegExp]>([
    [
      'a wrong digest',
      edit('meta.json', /sha256:\w/, 'sha256:x'),
      /digest: got sha256:\w+, expected sha256:x/,
    ],
    ['a wrong record on a page', edit(move('offset/100/'), '"Move 107"', '"Move 108"'), / › digest: got /],
    ['fewer pages than records', remove(move('offset/100/')), /100\/index.json: is not in the manifest$/],
    ['a page without records', write(move(''), '{}'), / › results: got nothing, expected array/],
    ['wrong names', edit('meta.json', '"base_url"', otherNames), /: does not match the site's names$/],
    [
      'a wrong history',
      write('changes.json', JSON.stringify({ steps: [elsewhere] })),
      /: got digest .*1{64}, /,
    ],
    [
      'an invalid history',
      edit('changes.json', '[', '[1'),
      /changes.json › steps\[0\]: got 1, expected object/,
    ],
    ['invalid old slugs', write('former.json', '{"move":{"x":"y"}}'), /former.json › move.x: got "y"/],
  ])('finds %s even if the manifest matches the file', (_, damage, problem) => {
    expect(findProblems(damage, true)).toEqual([expect.stringMatching(problem)]);
  });

  it.each<[string, Damage, RegExp]>([
    ['no manifest', remove('manifest.json'), /has no valid manifest.json: ENOENT$/],
    ['a broken manifest', write('manifest.json', '{'), /manifest.json: invalid JSON$/],
    [
      'a path outside the site',
      edit('manifest.json', '"404.json"', '"../404.json"'),
      /path: got .* a relative path/,
    ],
    ['an unknown link style', edit('meta.json', '"query"', '"magic"'), /meta.json: links: /],
  ])('rejects a folder with %s', (_, damage, message) => {
    expect(() => findProblems(damage)).toThrow(
      expect.objectContaining({ code: 'output', message: expect.stringMatching(message) }),
    );
  });
});
