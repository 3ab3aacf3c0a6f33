/** Takes the README's screenshot: `npm run screenshots`. Needs Chromium. */

import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { startServe } from '../test/support/engines/serve.ts';
import { findProgram } from '../test/support/engines/server-program.ts';
import { buildPageSite, removePageSite } from '../test/support/page-site.ts';

const FILE = fileURLToPath(new URL('../.github/screenshot.png', import.meta.url));

const executablePath = findProgram('chromium');
if (executablePath === undefined)
  throw new Error('Chromium is not installed (Debian: apt-get install chromium)');
const site = await buildPageSite();
const server = await startServe(site);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 1000, height: 780 }, colorScheme: 'light' });
  await page.goto(`${server.url}/?q=thunder`);
  await page.locator('#results a').first().waitFor();
  await page.screenshot({ path: FILE });
  console.log(`${FILE}: ${statSync(FILE).size} bytes`);
} finally {
  await browser.close();
  await server.stop();
  removePageSite(site);
}
