import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Engine, getSitePath } from './engine.ts';

/** `scripts/install-engines.sh` installs engines there. */
const folder = fileURLToPath(
  new URL('../../../.engines/node_modules/', import.meta.url),
);

export const engineFile = (name: string): string => folder + name;

/** Returns a problem if a package file in that folder is missing. */
export function missingEngine(file: string): string | undefined {
  if (existsSync(engineFile(file))) return undefined;
  const packageName = /^(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
  return `${packageName} is not installed`;
}

const MINIFLARE = 'miniflare/dist/src/index.js';

/** The parts of miniflare's interface that are used here; it is not a dependency. */
interface MiniflareModule {
  readonly Miniflare: new (
    options: object,
  ) => { readonly ready: Promise<URL>; dispose(): Promise<void> };
}

/**
 * Cloudflare's runtime and asset server with the site's `wrangler.jsonc`, as
 * `wrangler dev` runs them.
 */
export const cloudflare: Engine = {
  name: 'Cloudflare',
  host: 'cloudflare',
  missing: () => missingEngine(MINIFLARE),
  async start(site) {
    const moduleUrl = pathToFileURL(engineFile(MINIFLARE)).href;
    const { Miniflare }: MiniflareModule = await import(moduleUrl);
    const read = (file: string): string =>
      readFileSync(path.join(site, file), 'utf8');
    // Miniflare does not read wrangler.jsonc, so we translate its fields.
    const configuration = JSON.parse(read('wrangler.jsonc'));
    const { name, main, compatibility_date, assets } = configuration;
    const { directory, binding, run_worker_first, ...handling } = assets;
    const miniflare = new Miniflare({
      name,
      host: '127.0.0.1',
      port: 0,
      cf: false,
      log: undefined,
      compatibilityDate: compatibility_date,
      modules: [{ type: 'ESModule', path: main, contents: read(main) }],
      assets: {
        workerName: name,
        directory: path.join(site, directory),
        binding,
        routerConfig: {
          has_user_worker: true,
          static_routing: { user_worker: run_worker_first },
        },
        assetConfig: { compatibility_date, ...handling },
      },
    });
    const { origin } = await miniflare.ready;
    return { url: origin + getSitePath(site), stop: () => miniflare.dispose() };
  },
};
