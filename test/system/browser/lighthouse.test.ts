/** Lighthouse's audits of the pages on a simulated phone, without speed, which depends on the machine. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, it } from 'vitest';
import { engineFile, missingEngine } from '../../support/engines/npm-engines.ts';
import { findProgram } from '../../support/engines/web-servers.ts';
import { usePageSite } from '../../support/served-pages.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const LIGHTHOUSE = 'lighthouse/cli/index.js';
const chromium = findProgram('chromium');
const missing = chromium === undefined ? 'chromium is not installed' : missingEngine(LIGHTHOUSE);
const reason = missing === undefined || process.env.ENGINES === 'all' ? '' : ` (skipped: ${missing})`;

/** One page as a whole, before compression. */
const MAX_BYTES = 250_000;

interface Category {
  readonly score: number;
  readonly auditRefs: readonly { readonly id: string; readonly weight: number }[];
}

/** The part of a report that we check: https://github.com/GoogleChrome/lighthouse/blob/main/docs/understanding-results.md */
interface Report {
  readonly runtimeError?: { readonly message: string };
  readonly categories: Record<string, Category>;
  readonly audits: Record<string, { score: number | null; numericValue?: number }>;
}

const pages = ['/', '/docs/', '/api/gamedata/item/', '/api/gamedata/item/master-ball/'];

async function audit(url: string): Promise<Report> {
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
      // The browsable page is not indexed on purpose.
      '--skip-audits=is-crawlable',
      '--only-categories=performance,accessibility,best-practices,seo',
    ],
    { env: { ...process.env, CHROME_PATH: chromium ?? '' } },
  );
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The audits that cost points. */
const costly = (refs: Category['auditRefs'], audits: Report['audits']): string[] =>
  refs.filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1).map(({ id }) => id);

describe.skipIf(reason !== '')(`Lighthouse${reason}`, () => {
  const site = usePageSite();

  // Each audit mostly waits until its page is quiet.
  it.concurrent.for(pages)('finds nothing to improve on %s', async (address, { expect }) => {
    expect(missing).toBeUndefined();
    const { runtimeError, categories, audits } = await audit(site.url + address);
    expect(runtimeError).toBeUndefined();
    for (const [name, { score, auditRefs }] of Object.entries(categories))
      if (name !== 'performance') expect([name, score, ...costly(auditRefs, audits)]).toEqual([name, 1]);
    expect(audits['cumulative-layout-shift']?.numericValue).toBeLessThan(0.05);
    expect(audits['total-byte-weight']?.numericValue).toBeLessThan(MAX_BYTES);
  });
});
