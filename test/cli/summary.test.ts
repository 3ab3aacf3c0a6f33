import { describe, expect, it } from 'vitest';
import { formatSummary } from '../../src/cli/summary.ts';
import type { KindChanges } from '../../src/contract/changes.ts';
import { mapKinds } from '../../src/contract/kinds.ts';
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
      added: 2,
      examples: ['a: has none', 'b: has none'],
    },
    { kind: 'item', code: 'missing-name', count: 1, added: 0, examples: [] },
  ],
  notices: ['GET /meta/: got null'],
  seconds: 1.25,
};
const emptyChanges = () =>
  mapKinds(
    (): KindChanges => ({ added: [], removed: [], renamed: [], changed: [] }),
  );
const summary = {
  digest: `sha256:${'0'.repeat(64)}`,
  captured: null,
  counts: report.data.counts,
};
const unchangedStep = {
  from: summary,
  to: summary,
  totals: { added: 0, removed: 1, renamed: 1, changed: 0 },
};
const frenchNames = {
  language: 'fr',
  before: 100,
  lost: 0,
  replaced: 0,
  changed: 12,
  examples: [],
};
const counts = `937 moves, 1 item${oneOfOthers}`;

describe('formatSummary', () => {
  it("lists a build's data, warnings, requests and files in this order", () => {
    expect(formatSummary(report)).toEqual([
      `data: ${counts} from https://upstream.test/api/v2, edition 00000000 from 2026-04-07, captured 2026-01-02`,
      'skipped: move/3, item/17, item/18',
      'warning: item no-icon: 2, such as a: has none',
      'warnings: 1,128 as in the previous data',
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

  it('lists the removed and the renamed records, and the changed settings', () => {
    const changes = emptyChanges();
    changes.move.removed.push({ id: 1, slug: 'gone', name: 'Gone' });
    changes.item.renamed.push({ id: 2, from: 'old', to: 'new', fields: [] });
    const step = { ...unchangedStep, changes };
    const lines = formatSummary({
      ...report,
      changes: { steps: [step], names: [frenchNames] },
      site: {
        baseUrl: 'https://example.test',
        links: 'query',
        hosts: ['nginx'],
        changed: ['hosts netlify → nginx'],
      },
      kept: 'site.data/2026-01-02-0123456789ab',
    });
    for (const line of [
      '  removed: move/gone',
      '  renamed: item/old → new',
      'names: 12 names changed in fr',
      'site: https://example.test, host nginx; changed: hosts netlify → nginx',
      'kept: site.data/2026-01-02-0123456789ab',
    ])
      expect(lines).toContain(line);
  });

  it('counts the icons, the placeholders and the requests', () => {
    const icons = {
      mode: 'mirror',
      upstream: 'https://icons.test',
      icons: 20,
      copied: 3,
      published: 4,
      placeholders: 1,
      failed: 1,
      problem: null,
      requests,
    } as const;
    expect(formatSummary({ ...report, icons })).toContain(
      'icons: 20 icons · 1 replaced by the placeholder · 1 request',
    );
  });

  it('shortens the summary to the notices and one line if nothing has changed', () => {
    expect(formatSummary({ ...report, changed: false })).toEqual([
      'warning: GET /meta/: got null',
      `build: 3,203 files, 2.3 MB: nothing changed, in 1.25 s; data: ${counts} from https://upstream.test/api/v2, edition 00000000 from 2026-04-07, captured 2026-01-02`,
    ]);
  });
});
