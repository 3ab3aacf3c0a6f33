/** A real browser for a file of tests: Debian's chromium, which cannot reach anything but loopback. */

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { findProgram } from './engines/server-program.ts';

const executablePath = findProgram('chromium');

/** Set if all engines have to be there, as they are after `scripts/install-engines.sh`. */
const demandsAll = process.env.ENGINES === 'all';

/** What is put after a group's name if it is skipped; empty if it runs. */
export const noBrowser = executablePath || demandsAll ? '' : ' (skipped: chromium is not installed)';

/** What has moved without anybody's doing, as browsers report it. */
export const SHIFTS = `new Promise((resolve) => {
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(shift), 300);
})`;

export interface Visit {
  readonly page: Page;
  /** What the browser complained of: errors and warnings on its console, and uncaught ones. */
  readonly problems: string[];
  /** Addresses of other hosts that were requested, be it in vain. */
  readonly foreign: string[];
}

export interface VisitOptions extends BrowserContextOptions {
  /** Wait for the page's answer, as everything but a page without scripts has one. Default true. */
  readonly waits?: boolean;
}

/** Opens an address in a profile of its own, until the test ends. */
export type Visitor = (url: string, options?: VisitOptions) => Promise<Visit>;

/** Starts the browser before the tests of this group, and ends it after them. */
export function useBrowser(): Visitor {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (!executablePath) throw new Error('chromium is not installed');
    browser = await chromium.launch({
      executablePath,
      // As root it has no sandbox. Nothing is reached by name, so that no test talks to the internet.
      args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    });
  });
  afterAll(() => browser?.close());

  return async (url, { waits = true, ...options } = {}) => {
    if (!browser) throw new Error('the browser has not been started');
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const [problems, foreign]: [string[], string[]] = [[], []];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL('/', url).href) && !request.url().startsWith('data:'))
        foreign.push(request.url());
    });
    await page.goto(url);
    if (waits) await page.locator('h1').first().waitFor();
    return { page, problems, foreign };
  };
}
