/** The handler as hosts that run code call it: the entry of its bundle, to which a site adds one line for its base path. */

import { createFetchStore } from './asset-store.ts';
import { createHandler } from './index.ts';

export { createHandler };

/** https://developers.cloudflare.com/workers/static-assets/binding/ */
interface CloudflareEnvironment {
  readonly ASSETS: { fetch(url: string): Promise<Response> };
}

/** A Worker of Cloudflare. */
export const createWorker = (base: string) => ({
  fetch(request: Request, { ASSETS }: CloudflareEnvironment): Promise<Response> {
    const store = createFetchStore((file) => ASSETS.fetch(`https://assets.local/${file}`));
    return createHandler(store, base)(request);
  },
});

/** https://docs.netlify.com/build/edge-functions/api/ */
interface NetlifyContext {
  next(request: Request): Promise<Response>;
}

/** An edge function of Netlify. `next` reads files without this function and the rules; `fetch` would start both again. */
export const createEdgeFunction =
  (base: string) =>
  (request: Request, context: NetlifyContext): Promise<Response> => {
    const store = createFetchStore((file) => context.next(new Request(new URL(`/${file}`, request.url))));
    return createHandler(store, base)(request);
  };
