/** The bundled handler as a small Deno server over a site's folder. Arguments: the bundle, the folder, the port, the base path. */

import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [, , bundle, folder, port, base] = process.argv;
const { createHandler } = await import(pathToFileURL(bundle).href);

const store = {
  async get(file) {
    try {
      const body = await Deno.readFile(`${folder}/${file}`);
      const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
      return { body, etag: `"${hash.subarray(0, 16).toHex()}"` };
    } catch (error) {
      if (
        error instanceof Deno.errors.NotFound ||
        error instanceof Deno.errors.NotADirectory ||
        error.code === 'ENAMETOOLONG'
      )
        return undefined;
      throw error;
    }
  },
};

Deno.serve({ hostname: '127.0.0.1', port: Number(port), onListen: () => {} }, createHandler(store, base));
