import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { findProgram } from './engines/web-servers.ts';

const executablePath = findProgram('chromium');

/** The suffix of a skipped group's name. */
export const noBrowser =
  executablePath || process.env.ENGINES === 'all'
    ? ''
    : ' (skipped: chromium is not installed)';

/** Measures layout shifts that the user did not cause. */
export const SHIFTS = `new Promise((resolve) => {
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(shift), 300);
})`;

/**
 * Removes functions that the oldest browsers in `rolldown.config.mjs` do not have, so
 * that every page test covers these browsers.
 */
const REMOVE_NEWER_FUNCTIONS = `
  delete URL.canParse;
  delete Object.groupBy;
  delete Promise.withResolvers;
  for (const name of ['toSorted', 'toReversed', 'toSpliced', 'with']) delete Array.prototype[name];
`;

/**
 * Starts the browser for a group of tests. Returns a function that opens a URL in a
 * new profile until the test ends.
 */
export function useBrowser() {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (!executablePath) throw new Error('chromium is not installed');
    browser = await chromium.launch({
      executablePath,
      // Root has no sandbox. Host names do not resolve, so no test reaches the
      // internet.
      args: [
        '--no-sandbox',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ],
    });
  });
  afterAll(() => browser?.close());

  return async (url: string, options: BrowserContextOptions = {}) => {
    if (!browser) throw new Error('the browser has not been started');
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    await context.addInitScript(REMOVE_NEWER_FUNCTIONS);
    const page = await context.newPage();
    /** Errors and warnings on the console, and uncaught errors. */
    const problems: string[] = [];
    /** Requests to other hosts. */
    const foreign: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) {
        problems.push(message.text());
      }
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('request', (request) => {
      if (
        !request.url().startsWith(new URL('/', url).href) &&
        !request.url().startsWith('data:')
      )
        foreign.push(request.url());
    });
    await page.goto(url);
    await page.locator('h1').first().waitFor();
    return { page, problems, foreign };
  };
}
