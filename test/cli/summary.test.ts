import { describe, expect, it } from 'vitest';
import { formatProblems, formatSummary } from '../../src/cli/summary.ts';
import type { Report } from '../../src/pipeline/report.ts';
import { namedEdition } from '../support/editions.ts';
import { everyKind, oneOfOthers } from '../support/kinds.ts';

const requests = {
  requests: 1,
  bytes: 1500,
  cacheHits: 1234,
};
const report: Report = {
  changed: true,
  out: 'build',
  data: {
    source: 'rest',
    upstream: 'https://upstream.test/api/v2',
    captured: '2026-01-02',
    edition: namedEdition(7),
    skipped: everyKind({ move: [3], item: [17, 18] }, () => []),
    fallback: null,
    digest: 'sha256:0',
    counts: everyKind({ move: 937, item: 1 }, () => 1),
    isCached: false,
    requests,
  },
  changes: { steps: [], names: [] },
  files: { files: 3203, bytes: 2_345_678, written: 1203, kept: 2000, removed: 1 },
  warnings: [
    {
      kind: 'item',
      code: 'no-icon',
      count: 1129,
      examples: ['a: has none', 'b: has none'],
    },
    { kind: 'item', code: 'missing-name', count: 1, examples: ['c: has none'] },
  ],
  notices: ['GET /meta/: got null'],
  seconds: 1.25,
};
const counts = `937 moves, 1 item${oneOfOthers}`;

describe('formatSummary', () => {
  it("lists a build's data, warnings, requests and files in this order", () => {
    expect(formatSummary(report)).toEqual([
      `data: ${counts} from https://upstream.test/api/v2, edition 00000000 from 2026-04-07, captured 2026-01-02`,
      'skipped: move/3, item/17, item/18',
      'warning: item no-icon: 1,129',
      '  - a: has none',
      '  - b: has none',
      '  … and 1,127 more',
      'warning: item missing-name: 1',
      '  - c: has none',
      'warning: GET /meta/: got null',
      'fetched: 1 request · 1.5 kB · 1,234 from cache',
      'build: 3,203 files, 2.3 MB: 1,203 written, 2,000 kept, 1 removed, in 1.25 s',
    ]);
    const cached = formatSummary({
      ...report,
      data: { ...report.data, isCached: true },
    }).join('\n');
    expect(cached).toContain(
      ' · 1,234 from cache · the upstream has no newer edition\n',
    );
  });

  it.each([
    [1, 'icons: 1 icon path shows the placeholder'],
    [1960, 'icons: 1,960 icon paths show the placeholder'],
  ])('reports %i placeholders for a site without icons', (icons, line) => {
    const none = {
      mode: 'none',
      upstream: null,
      copied: 0,
      published: 0,
      missing: 0,
    } as const;
    const built = {
      ...none,
      icons,
      placeholders: icons,
      failed: 0,
      problem: null,
      requests: null,
    };
    const lines = formatSummary({ ...report, icons: built });
    expect(lines).toContain(line);
  });

  it('shortens the summary to the notices and one line if nothing has changed', () => {
    expect(formatSummary({ ...report, changed: false })).toEqual([
      'warning: GET /meta/: got null',
      `build: 3,203 files, 2.3 MB: nothing changed, in 1.25 s; ${counts}, captured 2026-01-02, edition 00000000 from 2026-04-07`,
    ]);
  });
});

it('explains once how to resolve files that are not in the manifest', () => {
  const problem = 'is not in the manifest';
  const problems = [
    { file: 'diary.txt', problem },
    { file: 'notes.txt', problem },
  ];
  expect(formatProblems('site', problems)).toEqual([
    'diary.txt: is not in the manifest',
    'notes.txt: is not in the manifest',
    'hint: Delete the files that are not in the manifest, serve them from another folder, or move them into public/ to make them part of the site. Only .well-known/ may contain other files.',
    'site: 2 problems found',
  ]);
});

it('lists the first 20 problems and the number of remaining problems', () => {
  const problems = Array.from({ length: 23 }, (_, at) => ({
    file: `${at}.json`,
    problem: 'is missing',
  }));
  const lines = formatProblems('site', problems);
  expect(lines).toHaveLength(22);
  expect(lines[0]).toBe('0.json: is missing');
  expect(lines.slice(-2)).toEqual(['… and 3 more', 'site: 23 problems found']);
});
