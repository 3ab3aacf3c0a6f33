import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listFiles } from '../../src/files.ts';
import { archiveEntries, type Content, packSite } from '../../src/site/archive.ts';
import { temporaryFolder } from '../support/temporary.ts';

const described = { captured: '2026-01-02', generator: 'gamedata/1.0.0' };
const file = (name: string, text: string): Content => ({ path: name, body: Buffer.from(text) });
const long = `api/gamedata/item/${'long-'.repeat(39)}slug/index.json`;
const files = [
  file('b.json', '2'.repeat(5000)),
  file('_redirects', '/a /b 200\n'),
  file('a/é.json', '"é"'),
  file('empty.txt', ''),
  file(long, '{}'),
];

/** Writes the archives into a folder, and unpacks them there with the real programs. */
async function unpacked(contents: readonly Content[]) {
  const folder = temporaryFolder();
  for (const [name, body] of Object.entries(await packSite(contents, described)))
    writeFileSync(path.join(folder, name), body);
  const run = (command: string, args: string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, TZ: 'Asia/Tokyo' } });
  for (const kind of ['tar', 'zip']) mkdirSync(path.join(folder, kind));
  run('tar', ['-xzf', 'gamedata.tar.gz', '-C', 'tar']);
  run('unzip', ['-q', 'gamedata.zip', '-d', 'zip']);
  return { folder, run, trees: ['tar', 'zip'].map((kind) => path.join(folder, kind, 'gamedata')) };
}

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

describe('archives', () => {
  it('unpack to the same files, times and modes by tar and by unzip, in one folder of their own', async () => {
    const { trees } = await unpacked(files);
    const entries = archiveEntries(files, described);
    for (const tree of trees) {
      expect(listFiles(path.dirname(tree)).sort()).toEqual(entries.map(({ name }) => name).sort());
      for (const { name, body, time } of entries) {
        const unpackedFile = path.join(path.dirname(tree), name);
        expect(readFileSync(unpackedFile)).toEqual(Buffer.from(body));
        const { mtimeMs, mode } = statSync(unpackedFile);
        expect([name, mtimeMs / 1000, mode & 0o777]).toEqual([name, time, 0o644]);
      }
    }
  });

  it('pass the checks of sha256sum, unzip, gzip and tar, belong to nobody, and hold files only', async () => {
    const { run } = await unpacked(files);
    expect(run('sha256sum', ['-c', 'gamedata.sha256'])).toBe('gamedata.tar.gz: OK\ngamedata.zip: OK\n');
    expect(run('unzip', ['-tq', 'gamedata.zip'])).toMatch(/^No errors detected/);
    expect(run('gzip', ['-t', 'gamedata.tar.gz'])).toBe('');
    const lines = run('tar', ['-tvzf', 'gamedata.tar.gz', '--numeric-owner']).trimEnd().split('\n');
    expect(lines.map((line) => line.split(/\s+/).slice(0, 2).join(' '))).toEqual(
      lines.map(() => '-rw-r--r-- 0/0'),
    );
  });

  it('have the same bytes in every zone and order, and on every version of Node', async () => {
    const hashes: string[] = [];
    const offsets = new Set<number>();
    for (const [TZ, contents] of [
      ['UTC', files],
      ['America/Sao_Paulo', files.toReversed()],
      ['Pacific/Kiritimati', files],
    ] as const) {
      process.env.TZ = TZ;
      offsets.add(new Date().getTimezoneOffset());
      hashes.push(
        Object.values(await packSite(contents, described))
          .map((body) => hash('sha256', body))
          .join(' '),
      );
    }
    expect(offsets.size).toBe(3);
    // Written down on Node 20: another version of Node, of fflate or of modern-tar that packs otherwise is noticed.
    expect(new Set(hashes)).toEqual(new Set([GOLDEN]));
  });
});

describe('the entries of an archive', () => {
  it('are in order, without downloads, and with a manifest of just themselves', () => {
    const entries = archiveEntries([...files, file('download/gamedata.zip', 'old')], described);
    const names = entries.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    const manifest = entries.find(({ name }) => name === 'gamedata/manifest.json');
    const listed = JSON.parse(Buffer.from(manifest?.body ?? []).toString()) as { files: { path: string }[] };
    expect(listed).toMatchObject({ generator: described.generator });
    expect(listed.files.map((entry) => `gamedata/${entry.path}`)).toEqual(
      names.filter((name) => name !== 'gamedata/manifest.json'),
    );
  });

  it("carry the data's day, and no file is newer than the manifest", () => {
    const entries = archiveEntries(files, described);
    const day = Date.UTC(2026, 0, 2) / 1000;
    const youngest = Math.max(...entries.map(({ time }) => time));
    for (const { time } of entries) {
      expect(time).toBeGreaterThanOrEqual(day);
      expect(time).toBeLessThanOrEqual(day + 3600);
      expect(time % 2).toBe(0);
    }
    const newest = entries.filter(({ time }) => time === youngest);
    expect(newest.map(({ name }) => name)).toEqual(['gamedata/manifest.json']);
  });

  it.each(['1970-01-01', '1980-01-01', '2099-12-31', '2150-06-01'])(
    'can be packed whatever the day: %s',
    async (captured) => {
      for (const TZ of ['Pacific/Kiritimati', 'Pacific/Niue', 'UTC']) {
        vi.stubEnv('TZ', TZ);
        expect((await packSite(files, { ...described, captured }))['gamedata.zip'].length).toBeGreaterThan(0);
      }
      vi.unstubAllEnvs();
    },
  );

  it('get another time for other content of the same size, and keep it for the same content', () => {
    const timeOf = (text: string, captured = described.captured) =>
      archiveEntries([file('a.json', text)], { ...described, captured }).find(({ name }) =>
        name.endsWith('a.json'),
      )?.time;
    expect(timeOf('{"a":1}')).not.toBe(timeOf('{"a":2}'));
    expect(timeOf('{"a":1}')).toBe(timeOf('{"a":1}'));
    expect(timeOf('{"a":1}', '2026-01-03')).toBe((timeOf('{"a":1}') ?? 0) + 86_400);
  });
});

/** SHA-256 of gamedata.tar.gz, gamedata.zip and gamedata.sha256. */
const GOLDEN = [
  '0659977e6e25ad1da3d2d9fb0c76647a1a88fd47829b305133de08bedafb5a4c',
  '662b9ff4d738a4a1977e9375268704a2de6622aec1ecd559a4b132540fafed8f',
  'abde75051a1a55d4957750815c74083d6826988dfa1c2450402b6c059bc49dd7',
].join(' ');
