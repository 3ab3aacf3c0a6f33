/**
 * `npm run screenshots`: takes the README's screenshot, the image for link previews,
 * and `favicon.ico`. Requires Chromium.
 */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { SOCIAL_CARD_FILE } from '../../src/contract/paths.ts';
import { describeSubject } from '../../src/contract/words.ts';
import { readDataSet } from '../../src/data/data-set-folder.ts';
import { openDataSet } from '../../src/site-folder.ts';
import { renderFrieze } from '../../src/web/front/frieze.ts';
import { groupByGeneration } from '../../src/web/front/generations.ts';
import { renderLettering } from '../../src/web/front/headline.ts';
import { startServe } from '../support/engines/serve.ts';
import { findProgram } from '../support/engines/web-servers.ts';
import { createFolder, removeFolder } from '../support/folders.ts';
import { buildPageSite } from '../support/page-site.ts';

/** Returns the path of a file, relative to the project's folder. */
function resolveFile(file: string): string {
  return fileURLToPath(new URL(`../../${file}`, import.meta.url));
}

const SCREENSHOT = resolveFile('.github/screenshot.png');
const CARD = resolveFile(`public/${SOCIAL_CARD_FILE}`);
const BASE_URL = 'https://example.org';
const BUNDLED_DATA = resolveFile('data');
const FAVICON = resolveFile('public/favicon.ico');
/** In pixels. */
const FAVICON_SIZE = 32;
const MAX_SCREENSHOT_BYTES = 150_000;

const logo = readFileSync(resolveFile('public/mark.svg'), 'utf8');

/** The size of the image for link previews, in pixels: https://ogp.me */
const CARD_SIZE = { width: 1200, height: 630 };
const CARD_COLUMNS = 48;
const style = readFileSync(resolveFile('src/web/shared/style.css'), 'utf8');
const dataSet = await readDataSet(openDataSet(BUNDLED_DATA));
const groups = groupByGeneration(dataSet.readRecords());
const card = `<!doctype html><meta charset="utf-8"><style>${style}
body { position: relative; height: 630px }
.lettering { position: absolute; left: 48px; top: 96px; width: 888px; max-width: none }
p { position: absolute; left: 48px; top: 492px; margin: 0; font: 36px / 48px system-ui, sans-serif }
svg.glyphs { position: absolute; left: 24px; top: 24px; width: 1152px }
svg.glyphs + svg.glyphs { top: 558px }
</style>${renderFrieze(groups, CARD_COLUMNS).text}${renderFrieze(groups, CARD_COLUMNS).text}
${renderLettering().text}<p>gamedata: ${describeSubject()} as JSON</p>`;
const icon = `<style>body { margin: 0 } svg { display: block }</style>${logo}`;

/**
 * Wraps a square PNG in an ICO file with one image. The numbers are the offsets of
 * the header's fields: https://en.wikipedia.org/wiki/ICO_(file_format)
 */
function wrapInIco(png: Buffer, size: number): Buffer {
  const TYPE_ICON = 1;
  const COLOR_PLANES = 1;
  const BITS_PER_PIXEL = 32;
  const IMAGES = 1;
  const header = Buffer.alloc(22);
  header.writeUInt16LE(TYPE_ICON, 2);
  header.writeUInt16LE(IMAGES, 4);
  header.set([size, size], 6);
  header.writeUInt16LE(COLOR_PLANES, 10);
  header.writeUInt16LE(BITS_PER_PIXEL, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

async function takeScreenshot(browser: Browser, siteUrl: string): Promise<void> {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  // The page shows its own URL, so we show it at the site's base URL.
  await page.route(`${BASE_URL}/**`, async (route) => {
    const url = route.request().url().replace(BASE_URL, siteUrl);
    await route.fulfill({ response: await route.fetch({ url }) });
  });
  await page.goto(`${BASE_URL}/?q=thunder`);
  await page.locator('.raised').first().waitFor();
  await page.locator('.request-line em', { hasText: 'thunder' }).waitFor();
  await page.screenshot({ path: SCREENSHOT });
  // GitHub shows the image to every visitor, so it must load quickly.
  const { size } = statSync(SCREENSHOT);
  if (size <= MAX_SCREENSHOT_BYTES) return;
  throw new Error(
    `${SCREENSHOT}: got ${size} bytes, expected at most ${MAX_SCREENSHOT_BYTES}`,
  );
}

/**
 * Takes the image for link previews and the favicon. Both are inline HTML. The
 * site's policy forbids inline styles, so they have a separate page.
 */
async function takeImages(browser: Browser): Promise<void> {
  const page = await browser.newPage({
    viewport: CARD_SIZE,
    colorScheme: 'light',
  });
  await page.setContent(card);
  await page.screenshot({ path: CARD });
  await page.setViewportSize({ width: FAVICON_SIZE, height: FAVICON_SIZE });
  await page.setContent(icon);
  const png = await page.screenshot({ omitBackground: true });
  writeFileSync(FAVICON, wrapInIco(png, FAVICON_SIZE));
}

const executablePath = findProgram('chromium');
if (executablePath === undefined) throw new Error('Chromium is not installed');
const folder = createFolder();
const options = { upstream: BUNDLED_DATA, baseUrl: BASE_URL };
const site = await buildPageSite(folder, options);
const server = await startServe(site);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  await takeImages(browser);
  await takeScreenshot(browser, server.url);
} finally {
  await browser.close();
  await server.stop();
  removeFolder(folder);
}
