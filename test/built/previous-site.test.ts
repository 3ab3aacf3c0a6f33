import { describe, expect, it } from 'vitest';
import { readPreviousSite } from '../../src/built/previous-site.ts';
import { memoryStorage } from '../../src/built/storage.ts';
import { listPageFile } from '../../src/contract/paths.ts';
import { emptyHistory } from '../../src/dataset/history.ts';
import { noOldSlugs } from '../../src/dataset/old-slugs.ts';
import { RESTART } from '../../src/dataset/past.ts';
import { damage, openChanged } from '../support/built-site.ts';
import { renamedSite } from '../support/data-set-versions.ts';
import { rawRecords, siteOf } from '../support/sites.ts';

const raw = rawRecords(130, 3);
const site = siteOf(raw);
const movePage = listPageFile('move', 0);

describe('readPreviousSite', () => {
  it('returns undefined if nothing is published', () => {
    const storage = memoryStorage('site', '/', new Map());
    expect(readPreviousSite(storage, { entries: new Map() })).toBeUndefined();
  });

  it('reads the metadata, records, old slugs and history of a published site', () => {
    const renamed = renamedSite();
    const { previous } = openChanged(renamed.files());
    expect(previous).toMatchObject({
      digest: renamed.meta.digest,
      captured: '2026-01-02',
    });
    expect(previous?.records()).toEqual(renamed.records);
    expect(previous?.readPast(false).history.steps).toHaveLength(1);
    expect(previous?.readPast(false).oldSlugs.move).toEqual(
      new Map([['move-1', 1]]),
    );
  });

  it('reads old slugs and the addresses of records even if meta.json is damaged', () => {
    const { previous } = openChanged(
      renamedSite().files(),
      damage('meta.json', '{'),
    );
    expect(previous).toMatchObject({ digest: '', counts: { move: 3, item: 1 } });
    expect(previous?.records()).toBeUndefined();
    const slugs = ['new', 'move-2', 'move-3'].map((slug, at) => ({
      id: at + 1,
      slug,
    }));
    expect(previous?.listed?.().move).toEqual(slugs);
    expect(previous?.readPast(false).oldSlugs.move).toEqual(
      new Map([['move-1', 1]]),
    );
  });

  const hint = 'gamedata verify <dir> lists every problem.';
  it.each([
    [
      'is missing',
      undefined,
      { message: expect.stringContaining('does not exist') },
    ],
    [
      'was changed',
      '{}',
      { message: expect.stringContaining('has 2 bytes, expected'), hint },
    ],
  ])('lists the records by their own files if a list page %s', (_, text, error) => {
    const { previous, open, bodies } = openChanged(
      site.files(),
      damage(movePage, text),
    );
    expect(previous?.records()).toBeUndefined();
    const records = raw.move.map(({ id, slug }) => ({ id, slug }));
    expect(previous?.listed?.().move).toEqual(expect.arrayContaining(records));
    damage('api/gamedata/move/move-7/index.json', '{"id":9}')(bodies);
    expect(previous?.listed?.().move).toContainEqual({ slug: 'move-7' });
    expect(() => open().records()).toThrow(expect.objectContaining(error));
  });

  it.each([
    ['nothing if changes.json is not listed', [], false, undefined],
    ['a new history if changes.json is missing', [RESTART], true, undefined],
    ['a new history if changes.json is invalid', [RESTART], true, '{"steps":[1]}'],
  ])('returns an empty history and reports %s', (_, notices, isListed, text) => {
    const files = site
      .files()
      .filter(({ path }) => isListed || path !== 'changes.json');
    const { previous } = openChanged(files, damage('changes.json', text));
    expect(previous?.readPast(false)).toMatchObject({
      history: emptyHistory,
      notices,
    });
  });

  it('rejects damaged old slugs that must not be lost', () => {
    const { previous } = openChanged(
      renamedSite().files(),
      damage('former.json', '{'),
    );
    expect(() => previous?.readPast(false)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('has old slugs that cannot be read'),
        hint: expect.stringContaining('--forget-history'),
      }),
    );
  });

  it('recovers old slugs from the redirects if the old slugs may be lost', () => {
    const { previous, bodies } = openChanged(
      renamedSite().files(),
      damage('former.json', '{'),
    );
    expect(previous?.readPast(true).oldSlugs.move).toEqual(new Map([['move-1', 1]]));
    damage('moved.json', '{')(bodies);
    expect(previous?.readPast(true).oldSlugs).toEqual(noOldSlugs);
  });

  it.each([true, false])(
    'merges modified old slugs with the published redirects (may be lost: %s)',
    (mayBeLost) => {
      const former = '{"move":{"move-1":3,"other":2},"item":{}}';
      const { previous } = openChanged(
        renamedSite().files(),
        damage('former.json', former),
      );
      const { oldSlugs, notices } = previous?.readPast(mayBeLost) ?? {};
      expect(oldSlugs?.move).toEqual(
        new Map([
          ['move-1', 1],
          ['other', 2],
        ]),
      );
      expect(notices).toEqual([
        'former.json does not match the other files, as after an interrupted build: its old slugs are kept',
      ]);
    },
  );

  it('drops history steps after the published data if changes.json was modified', () => {
    const renamed = renamedSite();
    const files = renamed.files();
    const published = `${files.find(({ path }) => path === 'changes.json')?.body}`;
    const [step] = JSON.parse(published).steps;
    const newer = { ...step, from: step.to, to: step.from };
    const { previous } = openChanged(
      files,
      damage('changes.json', JSON.stringify({ steps: [newer, step] })),
    );
    expect(previous?.readPast(false)).toMatchObject({
      history: { steps: [step] },
      notices: [
        'changes.json does not match the other files, as after an interrupted build: its steps up to the published data are kept',
      ],
    });
  });
});
