/** The story of a build: source → data set → site → output. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { capture, type Watchers } from './capture.ts';
import { countWarnings } from './contract/data-set.ts';
import { withDownloads } from './contract/downloads.ts';
import type { Meta } from './contract/meta.ts';
import { specificationFiles } from './contract/openapi/files.ts';
import { createRoutes } from './contract/routes.ts';
import { type SiteFile, siteFiles } from './contract/site.ts';
import { hostFiles } from './hosts/index.ts';
import { type BuildOptions, HANDLER_MODULE, PACK_MODULE, PUBLIC_FOLDER, resolveBuild } from './options.ts';
import { createPacker } from './output/packer.ts';
import { withOutput } from './output/publish.ts';
import { listFiles } from './output/published.ts';
import { createReport, type Report } from './report.ts';
import { GENERATOR } from './version.ts';

/**
 * Builds the site and publishes it into a folder.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the published site is then the old one, untouched
 */
export async function build(options: BuildOptions = {}, watchers: Watchers = {}): Promise<Report> {
  const started = performance.now();
  const resolved = resolveBuild(options, process.env);
  const { source: sourceOptions, baseUrl, links, hosts: hostNames, out, downloads } = resolved;
  const { signal } = options;

  return withOutput(out, async (output) => {
    const captured = await capture({ ...sourceOptions, ...watchers, signal, previous: output.previous });
    const { provenance, warnings, records, counts, digest, source, fallback } = captured;
    const meta: Meta = {
      generator: GENERATOR,
      source,
      upstream: provenance.upstream,
      captured: provenance.captured,
      fallback,
      counts,
      warnings: countWarnings(warnings),
      digest,
      base_url: baseUrl,
      links,
      hosts: [...hostNames],
      downloads,
    };
    const routes = createRoutes(records);
    const extras = [...readAssets(PUBLIC_FOLDER), ...hostFiles(hostNames, { routes, handlerModule })];
    const plan = { records, meta, linkBase: { baseUrl, links }, extras };
    const site = siteFiles(plan);
    const packer = createPacker(PACK_MODULE);
    try {
      const files = concatenate(
        downloads ? withDownloads(site, plan, packer.compress) : site,
        specificationFiles(plan),
      );
      return createReport(captured, await output.publish(files, { signal }), { out, started });
    } finally {
      await packer.end();
    }
  });
}

function* concatenate<T>(...all: Iterable<T>[]): Generator<T> {
  for (const one of all) yield* one;
}

/** The handler as one module, as `npm run compile` bundles it. */
const handlerModule = (): string => readFileSync(HANDLER_MODULE, 'utf8');

/** The hand-written files, in a fixed order and without what file managers leave. */
function readAssets(folder: string): SiteFile[] {
  return listFiles(folder)
    .filter((file) => !path.basename(file).startsWith('.'))
    .sort()
    .map((file) => ({ path: file, body: readFileSync(path.join(folder, file)) }));
}
