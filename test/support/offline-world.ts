/** Sites whose host can fail or change, and apps that import their offline worker. */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { build as bundle } from 'rolldown';
import { expect, onTestFinished } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { getMediaType, htmlHeaders } from '../../src/contract/responses.ts';
import type { HostName } from '../../src/hosts/index.ts';
import { PACKAGE_ROOT } from '../../src/package.ts';
import { createHandler } from '../../src/serve/handler/index.ts';
import { type Respond, readSite, startWebServer } from './engines/engine.ts';
import { rawRecords, type SomeRecords } from './sites.ts';
import { createStoredData, writeDataSet } from './stored-data.ts';
import { temporaryFolder } from './temporary.ts';

interface SiteKind {
  readonly hosts: readonly HostName[];
  /** Creates the server's responses from the files of the site. */
  readonly serve: (files: ReturnType<typeof readSite>, base: string) => Respond;
}

const siteKinds = {
  /**
   * A host that keeps the whole contract. Like Netlify, it sends the pages' policy with
   * every file, so the policy also applies to the worker.
   */
  contract: {
    hosts: ['netlify'],
    serve: (files, base) => {
      const handle = createHandler({ get: async (file) => files.get(file) }, base);
      return async (request) => {
        const response = await handle(request);
        for (const [name, value] of Object.entries(htmlHeaders)) {
          response.headers.set(name, value);
        }
        return response;
      };
    },
  },
  /** A plain file server, which ignores queries. */
  plain: {
    hosts: ['github-pages'],
    serve: (files, base) => async (request) => {
      const { pathname } = new URL(request.url);
      const file = pathname.slice(base.length + 1);
      const name = file === '' || file.endsWith('/') ? `${file}index.html` : file;
      const asset = files.get(name);
      const headers = {
        'Access-Control-Allow-Origin': '*',
        'Content-Type': getMediaType(name),
      };
      return new Response(asset?.body, { status: asset ? 200 : 404, headers });
    },
  },
} satisfies Record<string, SiteKind>;

/**
 * Starts a site that tests can change. It stops when the test ends.
 *
 * @param below the path of the site's base URL, such as `/games`
 */
export async function startSite(
  kind: keyof typeof siteKinds = 'contract',
  below = '',
) {
  const { hosts, serve } = siteKinds[kind];
  const folder = temporaryFolder();
  const out = path.join(folder, 'site');
  const requests: string[] = [];
  let respond: Respond;
  let failure: Respond | undefined;
  const server = await startWebServer((request) => {
    requests.push(new URL(request.url).pathname.slice(below.length));
    return failure ? failure(request) : respond(request);
  }, below);
  onTestFinished(server.stop);

  /** Builds the site from other records. */
  async function publish(raw: SomeRecords): Promise<void> {
    const upstream = writeDataSet(createStoredData(raw));
    await build({
      source: 'snapshot',
      upstream,
      out,
      baseUrl: server.url,
      hosts: [...hosts],
      sprites: 'none',
      maxShrink: 100,
    });
    respond = serve(readSite(out), below);
  }

  await publish(rawRecords(250, 5));
  return {
    ...server,
    requests,
    publish,
    /** Responds as the host does if it does not fail. */
    respond: (request: Request): Promise<Response> => respond(request),
    api: `${server.url}/api/gamedata`,
    /** Makes the host respond to every request in another way. */
    fail(response?: Respond): void {
      failure = response;
    },
  };
}

export type Site = Awaited<ReturnType<typeof startSite>>;

/** Starts an app on an origin of its own. Tests may replace its files. */
export async function startApp(files: Record<string, string>) {
  const requests: string[] = [];
  const page = '<!doctype html><link rel="icon" href="data:,"><h1>App</h1>';
  const served: Record<string, string> = { 'index.html': page, ...files };
  const server = await startWebServer(async (request) => {
    const file = new URL(request.url).pathname.slice(1) || 'index.html';
    requests.push(`${request.method} ${file}`);
    const headers = { 'Content-Type': getMediaType(file) };
    const body = served[file];
    return new Response(body, { status: body === undefined ? 404 : 200, headers });
  });
  onTestFinished(server.stop);
  return { ...server, files: served, requests };
}

/**
 * Returns the first code in a document that contains a text, for a site.
 *
 * @throws if there is no such code
 */
export function readRecipe(
  text: string,
  siteUrl: string,
  document = 'docs/OFFLINE.md',
): string {
  const file = path.join(PACKAGE_ROOT, document);
  const recipes = readFileSync(file, 'utf8').matchAll(/```js\n(.*?)```/gs);
  for (const [, code = ''] of recipes) {
    if (code.includes(text)) return code.replaceAll('https://example.org', siteUrl);
  }
  throw new Error(`${document} has no recipe with ${text}`);
}

/** The names of the caches of a page's origin. */
export const listCaches = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>('caches.keys()');

/** Waits until a site, or its data, is stored completely. */
export async function waitUntilStored(page: Page, site: Site): Promise<void> {
  const metaUrl = JSON.stringify(`${site.url}/meta.json`);
  const isStored = () =>
    page.evaluate<boolean>(
      `caches.match(${metaUrl}).then((meta) => meta !== undefined)`,
    );
  await expect.poll(isStored).toBe(true);
}

/** Makes the worker forget when it asked for `meta.json`, as five minutes would. */
export async function forgetCheck(page: Page, site: Site): Promise<void> {
  const url = JSON.stringify(`${site.url}/_checked`);
  await page.evaluate(`(async () => {
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      await cache.delete(${url});
    }
  })()`);
  await stopWorkers(page);
}

/** Stops the workers, as browsers do after a while. The next request starts them. */
export async function stopWorkers(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
  await session.detach();
}

export interface FetchedResponse {
  readonly status: number;
  /** The date of stored data, or null for a response from the network. */
  readonly date: string | null;
  readonly url: string;
  /** The JSON of the response, or its text. */
  readonly body: { readonly [field: string]: unknown };
}

/** Requests a URL in a page. The result is a string if the request fails. */
export function fetchIn(
  page: Page,
  url: string,
  options = {},
): Promise<FetchedResponse | string> {
  const args = `${JSON.stringify(url)}, ${JSON.stringify(options)}`;
  return page.evaluate<FetchedResponse | string>(`(async () => {
    try {
      const response = await fetch(${args});
      const text = await response.text();
      let body = text;
      try { body = JSON.parse(text); } catch {}
      const date = response.headers.get('Gamedata-Date');
      return { status: response.status, date, url: response.url, body };
    } catch (error) {
      return String(error);
    }
  })()`);
}

/** Reads a site's worker, as a developer who saves a copy does. */
export async function readScript(site: Site): Promise<string> {
  const response = await fetch(`${site.url}/offline.js`);
  return response.text();
}

/** Bundles a worker in the way of most bundlers, as one classic script. */
export async function bundleWorker(
  code: string,
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  // Packages are found from a folder inside the project.
  const folder = temporaryFolder(path.join(PACKAGE_ROOT, 'node_modules'));
  for (const [name, body] of Object.entries({ ...files, 'sw.js': code })) {
    writeFileSync(path.join(folder, name), body);
  }
  const { output } = await bundle({
    input: path.join(folder, 'sw.js'),
    write: false,
    output: { format: 'iife' },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  return output[0].code;
}
