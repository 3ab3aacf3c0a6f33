/** File servers: the `serve` package, Python's own server, and GitHub Pages. */

import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createFolder, removeFolder } from '../folders.ts';
import {
  type Engine,
  getSitePath,
  type RunningEngine,
  readSite,
  startWebServer,
} from './engine.ts';
import { freePort, startProgram } from './process.ts';

/**
 * Starts a file server on a folder in which the site is below the path of its base
 * URL.
 */
async function startOn(
  site: string,
  createCommand: (folder: string, port: number) => string[],
): Promise<RunningEngine> {
  const port = await freePort();
  const base = getSitePath(site);
  const needsCopy = base !== '';
  const folder = needsCopy ? createFolder() : site;
  // We copy the site, because `serve` follows links only to files.
  if (needsCopy) cpSync(site, path.join(folder, base), { recursive: true });
  const [command = '', ...args] = createCommand(folder, port);
  return startProgram({
    command,
    args,
    url: `http://127.0.0.1:${port}${base}`,
    env: { NO_UPDATE_CHECK: '1' },
    cleanUp() {
      if (needsCopy) removeFolder(folder);
    },
  });
}

const serveCli = createRequire(import.meta.url).resolve('serve/build/main.js');
export const serveStatic: Engine = {
  name: 'serve',
  missing: () => undefined,
  start: (site) =>
    startOn(site, (folder, port) => {
      const options = ['--listen', `tcp://127.0.0.1:${port}`];
      options.push('--no-clipboard', '--no-port-switching');
      return [process.execPath, serveCli, ...options, folder];
    }),
};

export const pythonHttpServer: Engine = {
  name: 'python3 -m http.server',
  // Its backlog has room for five connections; others wait for a second.
  concurrency: 4,
  missing() {
    const { status } = spawnSync('python3', ['--version']);
    return status === 0 ? undefined : 'python3 is not installed';
  },
  start: (site) =>
    startOn(site, (folder, port) => {
      const options = ['--bind', '127.0.0.1', '--directory', folder];
      return ['python3', '-m', 'http.server', ...options, String(port)];
    }),
};

/** The media types that CDNs send without configuration. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
};

export function typeOf(file: string): string {
  const extension = path.extname(file);
  return mediaTypes[extension] ?? 'application/octet-stream';
}

/**
 * Returns the file of a path below the base path: a folder's index.html, or the file
 * itself.
 */
function toFile(pathname: string, base: string): string {
  if (!pathname.startsWith(`${base}/`)) return 'index.html';
  const file = decodeURIComponent(pathname.slice(base.length + 1));
  const isFolder = file === '' || file.endsWith('/');
  return isFolder ? `${file}index.html` : file;
}

export const githubPages: Engine = {
  name: 'GitHub Pages',
  host: 'github-pages',
  missing: () => undefined,
  async start(site) {
    const base = getSitePath(site);
    const files = readSite(site);

    async function respond(request: Request): Promise<Response> {
      const { method, url, headers: sentHeaders } = request;
      if (method !== 'GET' && method !== 'HEAD') {
        return new Response('Not Allowed', { status: 405 });
      }
      const { pathname, origin } = new URL(url);
      const file = toFile(pathname, base);
      const headers = new Headers({
        'Access-Control-Allow-Origin': '*',
        'Cache-Control': 'max-age=600',
      });
      // GitHub Pages redirects a folder without its slash, and drops the query.
      if (files.has(`${file}/index.html`)) {
        headers.set('Location', `${origin}${pathname}/`);
        return new Response(null, { status: 301, headers });
      }
      const isFound = files.has(file);
      const servedFile = isFound ? file : '404.html';
      const asset = files.get(servedFile);
      const etag = asset?.etag ?? '';
      headers.set('ETag', etag);
      headers.set('Content-Type', typeOf(servedFile));
      if (isFound && sentHeaders.get('If-None-Match') === etag) {
        return new Response(null, { status: 304, headers });
      }
      const body = method === 'HEAD' ? undefined : asset?.body;
      return new Response(body ?? null, { status: isFound ? 200 : 404, headers });
    }
    return startWebServer(respond, base);
  },
};
