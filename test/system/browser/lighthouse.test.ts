/** What Lighthouse says of the pages, on a simulated phone: medians of three runs. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { engineFile, missingEngine } from '../../support/engines/npm-engines.ts';
import { findProgram } from '../../support/engines/server-program.ts';
import { usePageSite } from '../../support/served-pages.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const LIGHTHOUSE = 'lighthouse/cli/index.js';
const chromium = findProgram('chromium');
const missing = chromium === undefined ? 'chromium is not installed' : missingEngine(LIGHTHOUSE);
const reason = missing === undefined || process.env.ENGINES === 'all' ? '' : ` (skipped: ${missing})`;

const RUNS = 3;
/** Of performance; everything else is 1. */
const LEAST = 0.95;

/** As much of a report as is looked at: https://github.com/GoogleChrome/lighthouse/blob/main/docs/understanding-results.md */
interface Report {
  readonly runtimeError?: { readonly message: string };
  readonly categories: Record<string, { score: number; auditRefs: { id: string; weight: number }[] }>;
  readonly audits: Record<string, { score: number | null; numericValue?: number }>;
}

/** What the status of an error page costs, whatever is on it. */
const costOfStatus = ['http-status-code', 'errors-in-console'];

const pages: readonly (readonly [name: string, path: string, skipped?: readonly string[]])[] = [
  ['front page', '/'],
  ['docs', '/docs/'],
  ['list', '/api/gamedata/item/'],
  ['record', '/api/gamedata/item/master-ball/'],
  ['error page', '/api/gamedata/item/mastre-ball/', costOfStatus],
];

async function audit(url: string, skipped: readonly string[]): Promise<Report> {
  const file = path.join(temporaryFolder(), 'report.json');
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-background-networking',
    "--host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'",
  ];
  await promisify(execFile)(
    process.execPath,
    [
      engineFile(LIGHTHOUSE),
      url,
      '--quiet',
      '--disable-full-page-screenshot',
      '--output=json',
      `--output-path=${file}`,
      `--chrome-flags=${flags.join(' ')}`,
      '--only-categories=performance,accessibility,best-practices,seo',
      ...(skipped.length > 0 ? ['--ignore-status-code', `--skip-audits=${skipped.join()}`] : []),
    ],
    { env: { ...process.env, CHROME_PATH: chromium ?? '' } },
  );
  return JSON.parse(readFileSync(file, 'utf8'));
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const scoreOf = (reports: readonly Report[], category: string): number =>
  median(reports.map(({ categories }) => categories[category]?.score ?? 0));

/** The audits that cost points. */
const costly = ({ categories, audits }: Report): string[] =>
  Object.values(categories).flatMap(({ auditRefs }) =>
    auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9).map(({ id }) => id),
  );

describe.skipIf(reason !== '')(`Lighthouse${reason}`, () => {
  const site = usePageSite();

  it.for(pages)('has nothing to say against the %s', async ([, address, skipped = []]) => {
    expect(missing).toBeUndefined();
    const run = () => audit(site.url + address, skipped);
    const reports = [await run()];
    // What something else costs the machine for a moment does not count.
    if (scoreOf(reports, 'performance') < LEAST) while (reports.length < RUNS) reports.push(await run());
    expect(reports.flatMap(({ runtimeError }) => runtimeError ?? [])).toEqual([]);
    for (const category of ['accessibility', 'best-practices', 'seo'])
      expect([category, scoreOf(reports, category)], reports.flatMap(costly).join()).toEqual([category, 1]);
    expect(scoreOf(reports, 'performance')).toBeGreaterThanOrEqual(LEAST);
    const shift = median(reports.map(({ audits }) => audits['cumulative-layout-shift']?.numericValue ?? 1));
    expect(shift).toBeLessThan(0.05);
  });
});
