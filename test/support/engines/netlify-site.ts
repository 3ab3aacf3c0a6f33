/**
 * A built site as Netlify serves it: an existing file first, then the rules by Netlify's own matching engine, with the
 * headers that Netlify's own parser reads. Methods are as in its local server, which answers any of them alike.
 */

import path from 'node:path';
import { type Header, parseAllHeaders } from '@netlify/headers-parser';
import type { Asset } from '../../../src/serve/handler/index.ts';
import { type Match, readRedirects } from '../netlify.ts';
import { readSite } from './site-folder.ts';
import type { Answer } from './web-server.ts';

/** Headers are for files only, not for redirects, and these Netlify sets itself: https://docs.netlify.com/manage/routing/headers/#limitations */
const ignoredHeaders = ['allow'];

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=UTF-8',
  '.html': 'text/html; charset=UTF-8',
  '.js': 'application/javascript; charset=UTF-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=UTF-8',
};

export async function netlifySite(folder: string): Promise<Answer> {
  const files = readSite(folder);
  const { engine } = await readRedirects(new TextDecoder().decode(files.get('_redirects')?.body));
  const { headers } = await parseAllHeaders({
    headersFiles: [path.join(folder, '_headers')],
    configHeaders: [],
    minimal: false,
  });
  for (const control of ['_redirects', '_headers']) files.delete(control);

  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { status, file, location } = route({ files, engine }, pathname, search.slice(1));
    if (location !== undefined) return new Response(null, { status, headers: { Location: location } });
    const asset = file === undefined ? undefined : files.get(file);
    if (file === undefined || !asset) return new Response('Not Found - Request ID: 0', { status: 404 });
    const fields = headersFor(headers as Header[], pathname);
    return assetResponse(request, { asset, file, status, fields });
  };
}

interface Routed {
  readonly status: number;
  readonly file?: string;
  readonly location?: string;
}

/** Status and file, or if a redirect leads. */
function route(
  { files, engine }: { files: ReadonlyMap<string, Asset>; engine: Match },
  pathname: string,
  query: string,
): Routed {
  const own = [pathname, `${pathname.replace(/\/$/, '')}/index.html`, `${pathname}.html`]
    .map((candidate) => candidate.slice(1))
    .find((candidate) => files.has(candidate));
  if (own !== undefined) return { status: 200, file: own };
  const [status = '404', target = ''] = engine(pathname, query)?.split(' ') ?? [];
  if (status.startsWith('3')) {
    // https://docs.netlify.com/manage/routing/redirects/redirect-options/#query-parameters
    const passed = query === '' || target.includes('?') ? '' : `?${query}`;
    return { status: Number(status), location: target + passed };
  }
  return { status: Number(status), file: target.slice(1) };
}

function headersFor(rules: readonly Header[], pathname: string): Headers {
  // What Netlify sends by itself: https://docs.netlify.com/platform/caching/
  const fields = new Headers({ 'Cache-Control': 'public, max-age=0, must-revalidate' });
  for (const { forRegExp, values } of rules) {
    if (!forRegExp.test(pathname)) continue;
    for (const [name, value] of Object.entries(values)) {
      if (!ignoredHeaders.includes(name.toLowerCase())) fields.set(name, value);
    }
  }
  return fields;
}

function assetResponse(
  request: Request,
  { asset, file, status, fields }: { asset: Asset; file: string; status: number; fields: Headers },
): Response {
  fields.set('ETag', asset.etag);
  if (status === 200 && request.headers.get('If-None-Match') === asset.etag)
    return new Response(null, { status: 304, headers: fields });
  if (!fields.has('Content-Type'))
    fields.set('Content-Type', mediaTypes[path.extname(file)] ?? 'application/octet-stream');
  fields.set('Content-Length', String(asset.body.length));
  return new Response(request.method === 'HEAD' ? null : asset.body, { status, headers: fields });
}
