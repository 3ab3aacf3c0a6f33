import { type AssetStore, createEtag } from './asset-store.ts';
import { createHandler } from './index.ts';

export { createHandler };

type FetchFile = (file: string) => Promise<Response>;

/**
 * The bindings for a Worker with static assets:
 * https://developers.cloudflare.com/workers/static-assets/binding/
 */
interface WorkerEnvironment {
  readonly ASSETS: { readonly fetch: FetchFile };
}

/** Creates the Worker for a site on Cloudflare. */
export function createWorker(base: string) {
  function respond(
    request: Request,
    { ASSETS }: WorkerEnvironment,
  ): Promise<Response> {
    // The binding ignores the host in the URL.
    const store = createFetchStore((file) =>
      ASSETS.fetch(`https://assets.local/${file}`),
    );
    return createHandler(store, base)(request);
  }
  return { fetch: respond };
}

/**
 * The context of an edge function:
 * https://docs.netlify.com/build/edge-functions/api/
 */
interface EdgeContext {
  next(request: Request): Promise<Response>;
}

/**
 * Creates the edge function for a site on Netlify. It reads files with `next`, because
 * `fetch` would run this function and the redirect rules again.
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
 * Creates a store for the files that a host serves. If the host sends no ETag, one is
 * calculated from the content.
 */
export function createFetchStore(fetchFile: FetchFile): AssetStore {
  return {
    async get(file) {
      const response = await fetchFile(file);
      if (response.status !== 200) {
        await response.body?.cancel();
        throwIfTemporary(file, response.status);
        // Any other status means that the site does not have the file.
        return undefined;
      }
      const body = new Uint8Array(await response.arrayBuffer());
      const etag = response.headers.get('ETag') ?? (await createEtag(body));
      return { body, etag };
    },
  };
}

/**
 * Throws if the host fails temporarily. Such a failure must not become a 404, because
 * caches would store the 404.
 */
function throwIfTemporary(file: string, status: number): void {
  const isTemporary = status >= 500 || status === 429;
  if (isTemporary) throw new Error(`${file}: got status ${status}, expected 200`);
}
