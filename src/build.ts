/** The story of a build: source → data set → site → output. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { capture, type Watchers } from './capture.ts';
import { changeFiles } from './changes/files.ts';
import { movedRoutes } from './changes/history.ts';
import { countWarnings } from './contract/data-set.ts';
import type { Meta } from './contract/meta.ts';
import { type PageTemplates, pageFiles, pageTemplates } from './contract/pages/index.ts';
import { createRoutes } from './contract/routes.ts';
import { type SiteFile, siteFiles } from './contract/site.ts';
import { hostFiles } from './hosts/index.ts';
import {
  BUNDLED_DATA,
  type BuildOptions,
  HANDLER_MODULE,
  PAGE_SCRIPTS,
  PUBLIC_FOLDER,
  resolveBuild,
} from './options.ts';
import { withOutput } from './output/publish.ts';
import { listFiles } from './output/published.ts';
import { historyOf, type Past } from './past.ts';
import { createReport, type Report } from './report.ts';
import { readPastSnapshot } from './sources/snapshot.ts';
import type { SourceResult } from './sources/source.ts';
import { GENERATOR } from './version.ts';

/**
 * Builds the site and publishes it into a folder.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the published site is then the old one, untouched
 */
export async function build(options: BuildOptions = {}, watchers: Watchers = {}): Promise<Report> {
  const started = performance.now();
  const { source: sourceOptions, baseUrl, links, hosts: hostNames, out } = resolveBuild(options, process.env);
  const { signal } = options;

  return withOutput(out, async (output) => {
    const captured = await capture({
      ...sourceOptions,
      ...watchers,
      signal,
      pastOf: (loaded) => output.previous ?? refreshed(loaded),
    });
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
    };
    const history = historyOf(captured);
    const routes = createRoutes(records, movedRoutes(history, records));
    /** Read and made when their turn comes: a host's rules may be as large as the data. */
    function* extras(): Generator<SiteFile> {
      yield* changeFiles(history, routes.moved, { baseUrl, captured: meta.captured });
      yield* readAssets();
      yield* hostFiles(hostNames, { routes, handlerModule });
    }
    const site = siteFiles({ records, meta, linkBase: { baseUrl, links }, extras: extras() });
    const pages = pageFiles({ templates: readTemplates(), records, meta, sizes: () => output.sizes });
    const published = await output.publish(concatenate(site, pages), { signal });
    return createReport(captured, published, { out, started });
  });
}

function* concatenate<T>(...all: Iterable<T>[]): Generator<T> {
  for (const one of all) yield* one;
}

/**
 * Where no site is published, as on a machine that starts anew for each build, the bundled data set is what was before,
 * if the upstream that was read now is the one it came from.
 */
function refreshed({ source, dataSet: { provenance } }: SourceResult): Past | undefined {
  const bundled = source === 'snapshot' ? undefined : readPastSnapshot(BUNDLED_DATA);
  const isSame = bundled?.source === provenance.source && bundled.upstream === provenance.upstream;
  return isSame ? bundled : undefined;
}

/** The handler as one module, as `npm run compile` bundles it. */
const handlerModule = (): string => readFileSync(HANDLER_MODULE, 'utf8');

/** The hand-written files and the pages' scripts, in a fixed order and without what file managers leave. */
function readAssets(): SiteFile[] {
  const isTemplate = (file: string): boolean => pageTemplates.some((name) => name === file);
  return [PUBLIC_FOLDER, PAGE_SCRIPTS].flatMap((folder) =>
    listFiles(folder)
      .filter((file) => !path.basename(file).startsWith('.') && !isTemplate(file))
      .sort()
      .map((file) => ({ path: file, body: readFileSync(path.join(folder, file)) })),
  );
}

/** The hand-written pages that say what is true of one site. */
export function readTemplates(): PageTemplates {
  const read = (name: string): string => readFileSync(path.join(PUBLIC_FOLDER, name), 'utf8');
  return { 'index.html': read('index.html'), 'browse.html': read('browse.html') };
}
