import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { compare } from '../../src/dataset/compare.ts';
import { OutputError } from '../../src/errors.ts';
import { withOutput } from '../../src/publish/publish.ts';
import { downloadFiles } from '../../src/site/record-files.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { versionOf } from '../support/data-set-versions.ts';
import { everyKind, otherKinds } from '../support/kinds.ts';
import { listAsTheyAre } from '../support/listed.ts';
import { rawMove, rawRecords, type SiteOptions, siteOf } from '../support/sites.ts';

const published = realpathSync(mkdtempSync(path.join(tmpdir(), 'gamedata-verify-')));
afterAll(() => rmSync(published, { recursive: true, force: true }));

/** A published site, by default of 130 moves and 3 items, and how to damage it until the test ends. */
async function goodSite(options: SiteOptions = {}, moves = 130, items = 3) {
  const folder = path.join(published, JSON.stringify({ ...options, moves, items }));
  if (!existsSync(folder)) {
    const { plan, files } = siteOf(rawRecords(moves, items), options);
    const made = options.downloads ? [...files(), ...downloadFiles(plan.served)] : files();
    await withOutput(folder, (output) => output.publish(made));
  }
  /** Where a file is, which is as it was when the test has ended. */
  const damaged = (file: string): string => {
    const at = path.join(folder, file);
    const before = existsSync(at) ? readFileSync(at) : undefined;
    onTestFinished(() => (before ? writeFileSync(at, before) : rmSync(at)));
    return at;
  };
  const write = (file: string, text: string | Buffer) => {
    const at = damaged(file);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, text);
  };
  return {
    folder,
    write,
    remove: (file: string) => rmSync(damaged(file)),
    link: (file: string, target: string) => symlinkSync(target, damaged(file)),
    edit(file: string, from: string | RegExp, to: string) {
      const text = readFileSync(path.join(folder, file), 'utf8');
      expect(text.replace(from, to)).not.toBe(text);
      write(file, text.replace(from, to));
    },
    bless() {
      damaged('manifest.json');
      listAsTheyAre(folder);
    },
  };
}
type Damaged = Awaited<ReturnType<typeof goodSite>>;
type Damage = (site: Damaged) => void;

const edit =
  (...told: Parameters<Damaged['edit']>): Damage =>
  (site) =>
    site.edit(...told);
const write =
  (...told: Parameters<Damaged['write']>): Damage =>
  (site) =>
    site.write(...told);
const remove =
  (file: string): Damage =>
  (site) =>
    site.remove(file);
const all =
  (...damages: Damage[]): Damage =>
  (site) => {
    for (const damage of damages) damage(site);
  };
/** Makes the manifest say that all is as it has to be. */
const bless: Damage = (site) => site.bless();

const problemsOf = (folder: string): string[] =>
  verifyFolder(folder).problems.map(({ file, problem }) => `${file}: ${problem}`);

/** These problems in any order, and no others. */
function expectProblems(folder: string, expected: readonly RegExp[]): void {
  const found = problemsOf(folder);
  for (const pattern of expected) {
    const at = found.findIndex((problem) => pattern.test(problem));
    expect(at, `${pattern} among\n${found.join('\n')}`).not.toBe(-1);
    found.splice(at, 1);
  }
  expect(found).toEqual([]);
}

/** A step between two data sets that were never this site's. */
const elsewhere = compare(
  { ...versionOf([]), digest: `sha256:${'0'.repeat(64)}` },
  { ...versionOf([rawMove(1)]), digest: `sha256:${'1'.repeat(64)}` },
);

const move = (name: string) => `api/gamedata/move/${name}index.json`;
const second = move('offset/100/');
const onNoList = Array(30).fill(/is not on any list$/);

describe('verifying', () => {
  it.each(['query', 'file'] as const)('finds nothing wrong with a good site with %s links', async (links) => {
    const { folder } = await goodSite({ links });
    const [files, counts] = [147 + 2 * otherKinds.length, everyKind({ move: 130, item: 3 }, () => 1)];
    expect(verifyFolder(folder)).toEqual({ files, counts, problems: [] });
  });

  it('finds nothing wrong with a good site without any record', async () => {
    const { folder } = await goodSite({}, 0, 0);
    expect(verifyFolder(folder)).toMatchObject({ counts: { move: 0, item: 0 }, problems: [] });
  });

  const text = 'x'.repeat(3 * 2 ** 20);
  it.each<[string, Damage, RegExp[]]>([
    [
      'a changed byte in a record',
      edit(move('move-7/'), 'Move 7', 'Move 8'),
      [
        /^.*move-7\/index.json: has SHA-256 \w+, expected \w+, as in the manifest$/,
        /: differs from the record on /,
      ],
    ],
    ['a changed byte elsewhere', edit('404.json', 'N', 'n'), [/^404.json: has SHA-256 /]],
    ['nothing in a large file', all(write('map.svg', text), bless), []],
    [
      'a changed byte in a large file',
      all(write('map.svg', text), bless, write('map.svg', text.replace(/x$/, 'y'))),
      [/^map\.svg: has SHA-256 \w+, expected \w+, as in/],
    ],
    [
      'a missing byte in a large file',
      all(write('map.svg', text), bless, write('map.svg', text.slice(1))),
      [/^map.svg: has 3145727 bytes, expected 3145728, as in the manifest$/],
    ],
    [
      'a missing record',
      remove(move('move-7/')),
      [/^.*move-7\/index.json: is missing$/, /is missing$/, /differs from the record/],
    ],
    ['a missing asset', remove('sprites/items/unknown.png'), [/is missing$/, /is missing$/]],
    ['an extra file', write('notes.txt', 'x'), [/^notes.txt: is not in the manifest$/]],
    ['an extra link', ({ link }) => link('link', 'meta.json'), [/^link: is not a regular file$/]],
    [
      'a truncated page',
      edit(second, /.{40}$/, ''),
      [/has \d+ bytes, expected/, /expected JSON$/, /^meta.json: has digest /, ...onNoList],
    ],
  ])('finds %s', async (_, damage, expected) => {
    const site = await goodSite();
    damage(site);
    expectProblems(site.folder, expected);
  });

  it.each<[string, Damage, RegExp[]]>([
    [
      'a record that does not match its page lists',
      edit(move('move-107/'), '"generation":1', '"generation":2'),
      [/^.*move-107\/index.json: differs from the record on .*offset\/100\/index.json$/],
    ],
    [
      'a changed record, on its page too',
      all(
        edit(move('move-107/'), '"generation":1', '"generation":2'),
        edit(second, '"name":"Move 107","generation":1', '"name":"Move 107","generation":2'),
      ),
      [/^meta.json: has digest sha256:\w+, that of the records is sha256:\w+$/],
    ],
    ['a wrong next', edit(move(''), 'offset=100', 'offset=120'), [/got next .*offset=120/]],
    [
      'a wrong order',
      edit(second, /(\{"url":[^}]*move-101\/[^}]*\}),(\{[^}]*\})/, '$2,$1'),
      [/results\[1\]: got id 101 after 102, expected ascending ids/, /^meta.json: has digest/],
    ],
    [
      'keys in another order',
      (site) => {
        for (const file of [move('move-1/'), move('')])
          edit(file, '"id":1,"slug":"move-1"', '"slug":"move-1","id":1')(site);
      },
      [/results\[0\]: got the order of keys/, /^api\/gamedata\/move\/move-1\/index.json: differs /],
    ],
    [
      'a record that is on no page',
      write(move('stowaway/'), '{}'),
      [/stowaway\/index.json: is not on any list$/],
    ],
    ['a page too many', write(move('offset/200/'), '{}'), [/offset\/200\/index.json: is not on any list$/]],
    [
      'a missing page',
      remove(second),
      [/offset\/100\/index.json: is missing/, /^meta.json: has digest/, ...onNoList],
    ],
    ['broken JSON', edit(move('move-7/'), '}', ''), [/differs from the record/]],
    ['another digest', edit('meta.json', /sha256:\w/, 'sha256:x'), [/^meta.json: has digest sha256:x/]],
    [
      'another address in meta.json',
      edit('meta.json', 'https://example.test', 'https://other.test'),
      [
        ...Array(133 + otherKinds.length + 2).fill(/got .*example\.test.*, expected .*other\.test/),
        /^api\/gamedata\/index.json: expected /,
        /^changes.atom: does not match /,
      ],
    ],
    [
      'a wrong root',
      edit('api/gamedata/index.json', 'move', 'moves'),
      [/^api\/gamedata\/index.json: expected \{"move"/],
    ],
    ['a missing error body', remove('405.json'), [/^405.json: is missing$/]],
    [
      'a history that is none',
      edit('changes.json', '[', '[1'),
      [/^changes.json: steps\[0\]: got 1: expected object/],
    ],
    [
      'a history that leads elsewhere',
      edit('changes.json', '[\n', `[\n${JSON.stringify(elsewhere)}\n`),
      [/^changes.json: ends at digest sha256:1{64}, that of the site is /, /^changes.atom: does/],
    ],
    ['another feed', edit('changes.atom', '<title>', '<title>x'), [/^changes.atom: does not match /]],
    ['a moved address that is none', edit('moved.json', '}', '"/a/":"/b/"}'), [/^moved.json: does/]],
  ])('finds %s, whatever the manifest says', async (_, damage, expected) => {
    const site = await goodSite();
    all(damage, bless)(site);
    expectProblems(site.folder, expected);
  });

  it.each<[string, Damage, RegExp]>([
    ['no manifest', remove('manifest.json'), /has no valid manifest.json: ENOENT$/],
    ['a broken manifest', write('manifest.json', '{'), /manifest.json: invalid JSON$/],
    [
      'a manifest that leads outside',
      edit('manifest.json', '"404.json"', '"../404.json"'),
      /manifest.json: files\[\d+\]\.path: got .* expected a relative path/,
    ],
    ['an unknown link style', edit('meta.json', '"query"', '"magic"'), /meta.json: links: /],
  ])('rejects a folder with %s', async (_, damage, message) => {
    const site = await goodSite();
    damage(site);
    expect(() => verifyFolder(site.folder)).toThrow(OutputError);
    expect(() => verifyFolder(site.folder)).toThrow(message);
  });
});

describe('verifying bulk files', () => {
  const UNEQUAL = 'does not match the list pages';
  const NO_COPY = 'is not a compressed copy of move.csv';
  it.each<[string, string, (file: string) => Damage, string]>([
    ['another value in a line', 'move.ndjson', (file) => edit(file, '"Move 7"', '"Move 8"'), UNEQUAL],
    ['another value in a table', 'item.csv', (file) => edit(file, 'Item 2', 'Item 3'), UNEQUAL],
    ['a missing record', 'move.ndjson', (file) => edit(file, /^.*\n/, ''), UNEQUAL],
    ['another value in the whole', 'gamedata.json', (file) => edit(file, '"Move 7"', '"Move 8"'), UNEQUAL],
    ['a twin of something else', 'move.csv.gz', (file) => write(file, gzipSync('x')), NO_COPY],
    ['a missing file', 'item.csv', remove, 'is missing'],
    // No more is decompressed than is expected.
    [
      'a quarter of a gigabyte',
      'move.csv.gz',
      (file) => write(file, gzipSync(Buffer.alloc(2 ** 28))),
      NO_COPY,
    ],
  ])('finds %s', async (_, name, damage, problem) => {
    const file = `download/${name}`;
    const site = await goodSite({ downloads: true });
    all(damage(file), bless)(site);
    const before = process.memoryUsage().rss;
    expect(problemsOf(site.folder)).toEqual([`${file}: ${problem}`]);
    expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 28);
  });

  it('takes nothing that cannot be decompressed for a copy of an empty file', async () => {
    const site = await goodSite({ downloads: true }, 0, 2);
    all(write('download/move.ndjson.br', '!'), bless)(site);
    expectProblems(site.folder, [/^download\/move.ndjson.br: is not a compressed copy of move.ndjson$/]);
  });
});
