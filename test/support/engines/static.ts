/** Servers of files: the `serve` package, Python's own, and GitHub Pages. */

import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createFolder, removeFolder } from '../folders.ts';
import { type Engine, getSitePath, readSite, startWebServer } from './engine.ts';
import { freePort, startProgram } from './process.ts';

async function startOn(site: string, createCommand: (folder: string, port: number) => string[]) {
  const port = await freePort();
  const base = getSitePath(site);
  const folder = base === '' ? site : createFolder();
  // A copy, because `serve` follows links only to files.
  if (base !== '') cpSync(site, path.join(folder, base), { recursive: true });
  const [command = '', ...args] = createCommand(folder, port);
  const cleanUp = () => base !== '' && removeFolder(folder);
  const url = `http://127.0.0.1:${port}${base}`;
  return startProgram({ command, args, url, cleanUp, env: { NO_UPDATE_CHECK: '1' } });
}

const serveCli = createRequire(import.meta.url).resolve('serve/build/main.js');
export const serveStatic: Engine = {
  name: 'serve',
  missing: () => undefined,
  start: (site) =>
    startOn(site, (folder, port) => {
      const listen = [
        '--listen',
        `tcp://127.0.0.1:${port}`,
        '--no-clipboard',
        '--no-port-switching',
      ];
      return [process.execPath, serveCli, ...listen, folder];
    }),
};

export const pythonHttpServer: Engine = {
  name: 'python3 -m http.server',
  // Its backlog has room for five connections; others wait for a second.
  concurrency: 4,
  missing: () =>
    spawnSync('python3', ['--version']).status === 0 ? undefined : 'python3 is not installed',
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
export const typeOf = (file: string): string =>
  mediaTypes[path.extname(file)] ?? 'application/octet-stream';

export const githubPages: Engine = {
  name: 'GitHub Pages',
  host: 'github-pages',
  missing: () => undefined,
  async start(site) {
    const base = getSitePath(site);
    const files = readSite(site);
    return startWebServer(async ({ method, url, headers }) => {
      if (method !== 'GET' && method !== 'HEAD')
        return new Response('Not Allowed', { status: 405 });
      const { pathname, origin } = new URL(url);
      const isInside = pathname.startsWith(`${base}/`);
      const file = (isInside ? decodeURIComponent(pathname.slice(base.length + 1)) : '').replace(
        /(^|\/)$/,
        '$1index.html',
      );
      const fields = new Headers({
        'Access-Control-Allow-Origin': '*',
        'Cache-Control': 'max-age=600',
      });
      if (files.has(`${file}/index.html`)) {
        fields.set('Location', `${origin}${pathname}/`);
        return new Response(null, { status: 301, headers: fields });
      }
      const found = files.get(file);
      const etag = (found ?? files.get('404.html'))?.etag ?? '';
      fields.set('ETag', etag);
      fields.set('Content-Type', typeOf(found ? file : '404.html'));
      if (found && headers.get('If-None-Match') === etag)
        return new Response(null, { status: 304, headers: fields });
      const body = method === 'HEAD' ? null : (found ?? files.get('404.html'))?.body;
      return new Response(body ?? null, { status: found ? 200 : 404, headers: fields });
    }, base);
  },
};
