/**
 * What the pages cost a visitor: `npm run bench:web -- [--rounds n]`. Each page is opened in chromium on `gamedata serve`,
 * in a new profile, as on a middling phone: 1.6 Mbit/s, 150 ms to the server, a processor slowed down four times. Times
 * are medians, in milliseconds from the request on; sizes are of the bodies, compressed with gzip as hosts send them.
 * Exit code 1 if a page takes more than its budget, which does not include the JSON that it shows.
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
  readonly budget?: { readonly bytes: number; readonly requests?: number };
}

interface Load {
  readonly requests: number;
  /** Of everything but JSON. */
  readonly bytes: number;
  /** Of JSON. */
  readonly data: number;
  readonly painted: number;
  readonly interactive: number;
}

const LINK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const SLOWDOWN = 4;

const subjects: readonly Subject[] = [
  { name: 'front page', path: '/', ready: '#search-form', budget: { bytes: 20_000, requests: 5 } },
  {
    name: 'front page and a search',
    path: '/',
    ready: '#search-form',
    async act(page) {
      await page.locator('#query').fill('thunder');
      await page.locator('#results li').first().waitFor();
    },
  },
  { name: 'docs', path: '/docs/', ready: '#getMove .try', budget: { bytes: 60_000 } },
  { name: 'a record', path: '/api/gamedata/move/pound/', ready: '.answer', budget: { bytes: 12_000 } },
  { name: 'a list page', path: '/api/gamedata/move/', ready: '.records', budget: { bytes: 12_000 } },
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

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;

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
    const { budget } = subject;
    const [bytes, requests] = [median((one) => one.bytes), median((one) => one.requests)];
    const isKept = !budget || (bytes <= budget.bytes && requests <= (budget.requests ?? Infinity));
    if (!isKept) process.exitCode = 1;
    const limits = budget && [
      `${budget.bytes / 1000} kB`,
      ...(budget.requests ? [`${budget.requests} requests`] : []),
    ];
    rows.push([
      subject.name,
      String(requests),
      kilobytes(bytes),
      kilobytes(median((one) => one.data)),
      limits ? `${limits.join(', ')}: ${isKept ? 'kept' : 'MISSED'}` : '',
      `${Math.round(median((one) => one.painted))} ms`,
      `${Math.round(median((one) => one.interactive))} ms`,
    ]);
  }
  console.log(
    aligned([['page', 'requests', 'compressed', 'JSON', 'budget', 'first paint', 'interactive'], ...rows]),
  );
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
    const [sizes, data]: [Promise<number>[], Promise<number>[]] = [[], []];
    page.on('requestfinished', (request) => {
      const isData = request.resourceType() === 'fetch';
      (isData ? data : sizes).push(compressedSize(request));
    });
    await page.goto(server.url + address);
    await page.locator(ready).waitFor();
    await act?.(page);
    await page.waitForLoadState('networkidle');
    const [painted = 0, usable = 0, busyUntil = 0]: number[] = await page.evaluate(
      `[performance.getEntriesByName('first-contentful-paint')[0].startTime, usable, busyUntil]`,
    );
    return {
      requests: sizes.length + data.length,
      bytes: sum(await Promise.all(sizes)),
      data: sum(await Promise.all(data)),
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
