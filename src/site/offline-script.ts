import { FORMAT, type Meta, type SiteFile } from '../contract/meta.ts';
import type { OfflineSite } from '../contract/offline.ts';
import * as paths from '../contract/paths.ts';
import { listKeptGuarantees } from '../hosts/index.ts';

/** The pages that work offline, and the files that they load besides their scripts. */
const pageFiles: readonly string[] = [
  'index.html',
  `${paths.DOCS_PATH.slice(1)}index.html`,
  paths.BROWSE_FILE,
  'browse/index.html',
  paths.SEARCH_FILE,
  paths.LOGO_FILE,
  paths.PLACEHOLDER_ICON,
];

const SCRIPT_OR_STYLE = /\.(?:js|css)$/;

interface OfflineScriptInput {
  readonly meta: Meta;
  /** The compiled scripts and styles of the pages. */
  readonly compiled: readonly SiteFile[];
  /** Reads a template by its file name. */
  readonly template: (name: string) => string;
}

/**
 * Creates a site's offline worker: a constant with the site's values, followed by the
 * compiled worker. The braces give the constant its own scope, because an app's worker
 * may import the workers of several sites.
 */
export function createOfflineScript(input: OfflineScriptInput): SiteFile {
  const { meta, compiled, template } = input;
  const scripts: string[] = [];
  for (const { path } of compiled) {
    if (SCRIPT_OR_STYLE.test(path)) scripts.push(path);
  }
  const site: OfflineSite = {
    baseUrl: meta.base_url,
    format: FORMAT,
    supportsAnyPageRange: listKeptGuarantees(meta).has('page-ranges'),
    pageFiles: [...pageFiles, ...scripts],
  };
  const constant = `const gamedataSite = ${JSON.stringify(site)};`;
  const worker = template(paths.OFFLINE_FILE);
  return { path: paths.OFFLINE_FILE, body: `{\n${constant}\n${worker}\n}\n` };
}
