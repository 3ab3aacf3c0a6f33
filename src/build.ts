/** The story of a build: source → data set → site → output. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { capture, type Watchers } from './capture.ts';
import { countWarnings } from './contract/data-set.ts';
import type { Meta } from './contract/meta.ts';
import type { SiteFile } from './contract/site.ts';
import { type BuildOptions, PUBLIC_FOLDER, resolveBuild } from './options.ts';
import { withOutput } from './output/publish.ts';
import { listFiles } from './output/published.ts';
import { createReport, type Report } from './report.ts';
import { wholeSite } from './site.ts';
import { GENERATOR } from './version.ts';

/**
 * Builds the site and publishes it into a folder.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the published site is then the old one, untouched
 */
export async function build(options: BuildOptions = {}, watchers: Watchers = {}): Promise<Report> {
  const started = performance.now();
  const resolved = resolveBuild(options, process.env);
  const { source: sourceOptions, baseUrl, links, hosts: hostNames, out, archive } = resolved;
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
    };
    const site = wholeSite({ records, meta, hosts: hostNames, assets: readAssets(PUBLIC_FOLDER), archive });
    return createReport(captured, await output.publish(site, { signal }), { out, started });
  });
}

/** The hand-written files, in a fixed order and without what file managers leave. */
function readAssets(folder: string): SiteFile[] {
  return listFiles(folder)
    .filter((file) => !path.basename(file).startsWith('.'))
    .sort()
    .map((file) => ({ path: file, body: readFileSync(path.join(folder, file)) }));
}
