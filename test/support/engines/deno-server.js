/** Serves a site's folder with the bundled Worker. Arguments: the bundle, the folder, the port, the base path. */

import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [, , bundle, folder, port, base] = process.argv;
const { createWorker } = await import(pathToFileURL(bundle).href);
const worker = createWorker(base);

const ASSETS = {
  fetch: (url) =>
    Deno.readFile(folder + new URL(url).pathname).then(
      (body) => new Response(body),
      () => new Response(null, { status: 404 }),
    ),
};
const options = { hostname: '127.0.0.1', port: Number(port), onListen: () => {} };
Deno.serve(options, (request) => worker.fetch(request, { ASSETS }));
