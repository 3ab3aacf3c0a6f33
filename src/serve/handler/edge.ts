import { type AssetStore, createEtag } from './asset-store.ts';
import { createHandler } from './index.ts';

export { createHandler };

type FetchFile = (file: string) => Promise<Response>;

/** https://developers.cloudflare.com/workers/static-assets/binding/ */
interface WorkerEnvironment {
  readonly ASSETS: { readonly fetch: FetchFile };
}

/** Creates the Worker of a site on Cloudflare. */
export function createWorker(base: string) {
  function respond(request: Request, { ASSETS }: WorkerEnvironment): Promise<Response> {
    const store = createFetchStore((file) => ASSETS.fetch(`https://assets.local/${file}`));
    return createHandler(store, base)(request);
  }
  return { fetch: respond };
}

/** https://docs.netlify.com/build/edge-functions/api/ */
interface EdgeContext {
  next(request: Request): Promise<Response>;
}

/**
 * Creates the edge function of a site on Netlify. It reads files with `next`, which bypasses this
 * function and the rules. `fetch` would run both again.
 */
export function createEdgeFunction(base: string) {
  return (request: Request, context: EdgeContext): Promise<Response> => {
    const store = createFetchStore((file) => {
      const url = new URL(`/${file}`, request.url);
      return context.next(new Request(url));
    });
    return createHandler(store, base)(request);
  };
}

/**
 * Creates a store of the files that a host serves. It calculates an ETag if the host sends none.
 */
export function createFetchStore(fetchFile: FetchFile): AssetStore {
  return {
    async get(file) {
      const response = await fetchFile(file);
      if (response.status !== 200) {
        await response.body?.cancel();
        rejectFailure(file, response.status);
        return undefined;
      }
      const body = new Uint8Array(await response.arrayBuffer());
      const etag = response.headers.get('ETag') ?? (await createEtag(body));
      return { body, etag };
    },
  };
}

/** A temporary failure of the host must not become a 404, which caches keep. */
function rejectFailure(file: string, status: number): void {
  if (status >= 500 || status === 429)
    throw new Error(`${file}: got status ${status}, expected 200`);
}
