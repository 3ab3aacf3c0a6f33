import { type AssetStore, createEtag } from './asset-store.ts';
import { createHandler } from './index.ts';

export { createHandler };

/** https://developers.cloudflare.com/workers/static-assets/binding/ */
export const createWorker = (base: string) => ({
  fetch(request: Request, { ASSETS }: { ASSETS: { fetch: FetchFile } }): Promise<Response> {
    const store = createFetchStore((file) => ASSETS.fetch(`https://assets.local/${file}`));
    return createHandler(store, base)(request);
  },
});

/**
 * `next` reads files directly, bypassing this function and the rules. `fetch` would run both again.
 * https://docs.netlify.com/build/edge-functions/api/
 */
export const createEdgeFunction =
  (base: string) =>
  (request: Request, context: { next(request: Request): Promise<Response> }): Promise<Response> => {
    const store = createFetchStore((file) =>
      context.next(new Request(new URL(`/${file}`, request.url))),
    );
    return createHandler(store, base)(request);
  };

type FetchFile = (file: string) => Promise<Response>;

export function createFetchStore(fetchFile: FetchFile): AssetStore {
  return {
    async get(file) {
      const response = await fetchFile(file);
      if (response.status !== 200) {
        await response.body?.cancel();
        // A temporary failure of the host must not become a 404, which caches keep.
        if (response.status >= 500 || response.status === 429)
          throw new Error(`${file}: got status ${response.status}, expected 200`);
        return undefined;
      }
      const body = new Uint8Array(await response.arrayBuffer());
      return { body, etag: response.headers.get('ETag') ?? (await createEtag(body)) };
    },
  };
}
