/** The story of a build: source → data set → site → output. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { capture, type Watchers } from './capture.ts';
import { countWarnings } from './contract/data-set.ts';
import type { Meta } from './contract/meta.ts';
import { pageTemplates } from './contract/pages/index.ts';
import type { SiteFile } from './contract/site.ts';
import { ASSETS_FOLDER, BUNDLED_DATA, type BuildOptions, PUBLIC_FOLDER, resolveBuild } from './options.ts';
import { withPacker } from './output/packer.ts';
import { withOutput } from './output/publish.ts';
import { listFiles } from './output/published.ts';
import { historyOf, type Past } from './past.ts';
import { createReport, type Report } from './report.ts';
import { wholeSite } from './site.ts';
import { readPastSnapshot } from './sources/snapshot.ts';
import type { SourceResult } from './sources/source.ts';
import { gatherPictures, type SpritesReport } from './sprites.ts';
import { GENERATOR } from './version.ts';

export interface BuildReport extends Report {
  readonly sprites: SpritesReport;
}

/**
 * Builds the site and publishes it into a folder.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the published site is then the old one, untouched
 */
export async function build(options: BuildOptions = {}, watchers: Watchers = {}): Promise<BuildReport> {
  const started = performance.now();
  const resolved = resolveBuild(options, process.env);
  const { source: sourceOptions, baseUrl, links, hosts, out, downloads, archive, sprites } = resolved;
  const { signal } = options;

  return withOutput(out, async (output) => {
    const captured = await capture({
      ...sourceOptions,
      ...watchers,
      signal,
      pastOf: (loaded) => output.previous ?? refreshed(loaded),
    });
    const { provenance, records, counts, digest, source, fallback } = captured;
    const handWritten = readAssets();
    const gathered = await gatherPictures(sprites, records, {
      assets: handWritten,
      source: sourceOptions,
      signal,
    });
    const warnings = [...captured.warnings, ...gathered.warnings];
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
      hosts: [...hosts],
      downloads,
      sprites,
    };
    const assets = [...handWritten, ...gathered.files];
    const history = historyOf(captured);
    return withPacker(async (compress) => {
      const { sizes } = output;
      const site = wholeSite({ records, meta, history, hosts, assets, archive, compress, sizes });
      const published = await output.publish(site, { signal });
      const report = createReport({ ...captured, warnings }, published, { out, started });
      return { ...report, sprites: gathered.report };
    });
  });
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

/** The hand-written files and what the compiler added, in a fixed order and without what file managers leave. */
function readAssets(): SiteFile[] {
  const isTemplate = (file: string): boolean => pageTemplates.some((name) => name === file);
  return [PUBLIC_FOLDER, ASSETS_FOLDER].flatMap((folder) =>
    listFiles(folder)
      .filter((file) => !path.basename(file).startsWith('.') && !isTemplate(file))
      .sort()
      .map((file) => ({ path: file, body: readFileSync(path.join(folder, file)) })),
  );
}
