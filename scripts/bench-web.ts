/**
 * What the pages cost a visitor: `npm run bench:web -- [--rounds n]`. Each page is opened in chromium on `gamedata serve`,
 * in a new profile, as on a middling phone: 1.6 Mbit/s, 150 ms to the server, a processor slowed down four times. Times
 * are medians, in milliseconds from the request on; sizes are of the bodies, compressed with gzip as hosts send them.
 * Exit code 1 if the front page takes more than 50 kB before anybody searches.
 */

import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page, type Request } from 'playwright-core';
import { startServe } from '../test/support/engines/serve.ts';
import { findProgram } from '../test/support/engines/server-program.ts';
import { buildPageSite, removePageSite } from '../test/support/page-site.ts';
import { aligned } from './bench/report.ts';

interface Subject {
  readonly name: string;
  readonly path: string;
  /** What is there once a visitor can use the page. */
  readonly ready: string;
  readonly act?: (page: Page) => Promise<unknown>;
}

interface Load {
  readonly requests: number;
  readonly bytes: number;
  readonly painted: number;
  readonly interactive: number;
}

const FRONT_BUDGET = 50_000;
const LINK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const SLOWDOWN = 4;

const front: Subject = { name: 'front page', path: '/', ready: '#search-form:not([hidden])' };
const subjects: readonly Subject[] = [
  front,
  {
    name: 'front page and a search',
    path: '/',
    ready: '#search-form:not([hidden])',
    async act(page) {
      await page.locator('#query').fill('thunder');
      await page.locator('#results li').first().waitFor();
    },
  },
  { name: 'a record', path: '/api/gamedata/move/pound/', ready: '.answer' },
  { name: 'a list page', path: '/api/gamedata/move/', ready: '.answer' },
];

/**
 * Run in the page: notes when what makes it usable is there, and when the processor was last busy for long. Lighthouse
 * too takes a task of 50 ms and more for one that keeps a visitor waiting.
 */
const observe = (ready: string): string => `
  globalThis.usable = 0;
  globalThis.busyUntil = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) globalThis.busyUntil = startTime + duration;
  }).observe({ type: 'longtask', buffered: true });
  (function look() {
    if (document.querySelector(${JSON.stringify(ready)})) globalThis.usable = performance.now();
    else requestAnimationFrame(look);
  })();`;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);
const executablePath = findProgram('chromium');
if (!executablePath) {
  console.error('chromium is not installed (scripts/install-engines.sh): nothing can be measured');
  process.exit(1);
}

const site = await buildPageSite();
const server = await startServe(site);
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
});
try {
  const rows: string[][] = [];
  for (const subject of subjects) {
    const loads: Load[] = [];
    for (let round = 0; round < rounds; round++) loads.push(await load(browser, subject));
    const median = (of: (load: Load) => number): number =>
      loads.map(of).sort((a, b) => a - b)[Math.floor(loads.length / 2)] ?? 0;
    const bytes = median((one) => one.bytes);
    const isKept = subject !== front || bytes <= FRONT_BUDGET;
    if (!isKept) process.exitCode = 1;
    rows.push([
      subject.name,
      String(median((one) => one.requests)),
      `${(bytes / 1000).toFixed(1)} kB`,
      subject === front ? `${FRONT_BUDGET / 1000} kB: ${isKept ? 'kept' : 'MISSED'}` : '',
      `${Math.round(median((one) => one.painted))} ms`,
      `${Math.round(median((one) => one.interactive))} ms`,
    ]);
  }
  console.log(aligned([['page', 'requests', 'compressed', 'budget', 'first paint', 'interactive'], ...rows]));
} finally {
  await browser.close();
  await server.stop();
  removePageSite(site);
}

async function load(from: Browser, { path: address, ready, act }: Subject): Promise<Load> {
  const context = await from.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', LINK);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    await page.addInitScript(observe(ready));
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      sizes.push(compressedSize(request));
    });
    await page.goto(server.url + address);
    await page.locator(ready).waitFor();
    await act?.(page);
    await page.waitForLoadState('networkidle');
    const [painted = 0, usable = 0, busyUntil = 0]: number[] = await page.evaluate(
      `[performance.getEntriesByName('first-contentful-paint')[0].startTime, usable, busyUntil]`,
    );
    const bodies = await Promise.all(sizes);
    return {
      requests: bodies.length,
      bytes: bodies.reduce((sum, size) => sum + size, 0),
      painted,
      interactive: Math.max(painted, usable, act ? 0 : busyUntil),
    };
  } finally {
    await context.close();
  }
}

/** The preview server sends bodies as they are, hosts what this makes of them. */
async function compressedSize(request: Request): Promise<number> {
  const response = await request.response();
  if (!response || request.method() === 'HEAD') return 0;
  return gzipSync(await response.body()).length;
}
