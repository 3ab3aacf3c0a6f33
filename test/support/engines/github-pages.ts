/**
 * GitHub Pages as its documentation and its responses describe it: files at their own paths, queries ignored, folders with a
 * slash, one page for everything else.
 */

import { extname } from 'node:path';
import type { Engine } from './engine.ts';
import { basePathOf, readSite } from './site-folder.ts';
import { startWebServer } from './web-server.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
};

export const githubPages: Engine = {
  name: 'GitHub Pages',
  host: 'github-pages',
  missing: () => undefined,
  start: async (site) => {
    const base = basePathOf(site);
    const files = readSite(site);
    return startWebServer(async (request) => {
      const { pathname, origin } = new URL(request.url);
      const sent = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'max-age=600' };
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return new Response('Not Allowed', { status: 405 });
      const inside = pathname.startsWith(`${base}/`)
        ? decodeURIComponent(pathname.slice(base.length + 1))
        : '';
      const own = inside === '' || inside.endsWith('/') ? `${inside}index.html` : inside;
      if (files.has(`${inside}/index.html`))
        return new Response(null, { status: 301, headers: { ...sent, Location: `${origin}${pathname}/` } });
      const asset = files.get(own);
      const [status, shown, name] = asset ? [200, asset, own] : [404, files.get('404.html'), '404.html'];
      const headers = new Headers({
        ...sent,
        ETag: shown?.etag ?? '""',
        'Content-Type': mediaTypes[extname(name)] ?? 'application/octet-stream',
      });
      if (asset && request.headers.get('If-None-Match') === asset.etag)
        return new Response(null, { status: 304, headers });
      return new Response(request.method === 'HEAD' ? null : (shown?.body ?? null), { status, headers });
    }, base);
  },
};
