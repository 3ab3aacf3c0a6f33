/**
 * `npm run screenshots`: takes the README's screenshot, the image of link previews,
 * and `favicon.ico`. Requires Chromium.
 */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { SOCIAL_CARD_FILE } from '../../src/contract/paths.ts';
import { describeSubject } from '../../src/contract/words.ts';
import { startServe } from '../support/engines/serve.ts';
import { findProgram } from '../support/engines/web-servers.ts';
import { buildPageSite, removePageSite } from '../support/page-site.ts';

const fileOf = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));
const SCREENSHOT = fileOf('.github/screenshot.png');
const CARD = fileOf(`public/${SOCIAL_CARD_FILE}`);
const FAVICON = fileOf('public/favicon.ico');
const FAVICON_SIZE = 32;
const SCREENSHOT_BYTES = 150_000;

const logo = readFileSync(fileOf('public/mark.svg'), 'utf8');

/** https://ogp.me */
const CARD_SIZE = { width: 1200, height: 630 };
const card = `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; height: 630px; display: grid; place-content: center; gap: 36px; background: #fff; color: #1b1f24;
  font: 44px system-ui, sans-serif; text-align: center }
svg { width: 180px; margin: auto }
b { font-size: 92px; letter-spacing: -0.02em }
p { margin: 0; color: #57606a }
</style>${logo}<b>gamedata</b><p>${describeSubject()}, as JSON</p>`;

/** Wraps a square PNG: https://en.wikipedia.org/wiki/ICO_(file_format) */
function wrapInIco(png: Buffer, size: number): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.set([size, size], 6);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

const executablePath = findProgram('chromium');
if (executablePath === undefined) throw new Error('Chromium is not installed');
const site = await buildPageSite();
const server = await startServe(site);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({
    viewport: { width: 1000, height: 860 },
    colorScheme: 'light',
  });
  await page.goto(`${server.url}/?q=thunder`);
  await page.locator('#results a').first().waitFor();
  await page.screenshot({ path: SCREENSHOT });
  // On another page, because the site's policy forbids inline styles.
  const preview = await browser.newPage({
    viewport: CARD_SIZE,
    colorScheme: 'light',
  });
  await preview.setContent(card);
  await preview.screenshot({ path: CARD });
  await preview.setViewportSize({ width: FAVICON_SIZE, height: FAVICON_SIZE });
  await preview.setContent(
    `<style>body { margin: 0 } svg { display: block }</style>${logo}`,
  );
  writeFileSync(
    FAVICON,
    wrapInIco(await preview.screenshot({ omitBackground: true }), FAVICON_SIZE),
  );
  if (statSync(SCREENSHOT).size > SCREENSHOT_BYTES) {
    throw new Error('the screenshot is too large');
  }
} finally {
  await browser.close();
  await server.stop();
  removePageSite(site);
}
