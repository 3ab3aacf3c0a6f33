/** The build command: source → data set → site → output folder. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import * as z from 'zod';
import { kindNames } from '../../contract/kinds.ts';
import { DEFAULT_ICONS_UPSTREAM, iconModes } from '../../contract/routes.ts';
import { listed } from '../../contract/words.ts';
import { errorCode, explainSystemError, OutputError, UsageError } from '../../errors.ts';
import { isInside } from '../../files.ts';
import { webServerNames } from '../../hosts/names.ts';
import type { Watchers } from '../../sources/capture.ts';
import type { Problem } from '../../verify/folder.ts';
import { checkValue, integer, oneOf, plainUrl } from '../checks.ts';
import { declare } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { settledSource } from '../folders.ts';
import { makeSite, type SiteReport } from '../make-site.ts';
import { checkOptions, flag, type Given, inGroup, option } from '../options.ts';
import { PUBLIC_FOLDER } from '../package-files.ts';
import {
  BUILD_FOLDER,
  captureOptions,
  type Environment,
  hostsOption,
  linksOption,
  resolveHosts,
  type SourceOptions,
  servingOptions,
  sourceOptions,
} from '../shared-options.ts';
import { buildLines, keptLines, problemLines, publishedLines, summaryLines } from '../summary.ts';

const DEFAULT_BASE_URL = 'http://localhost:3000';

const outsidePublic = z.string().refine((out) => !isInside(PUBLIC_FOLDER, path.resolve(out)), {
  error: `got a folder in ${PUBLIC_FOLDER}, which would become part of every site`,
});

const buildOptions = {
  ...sourceOptions,
  ...inGroup('Output:', {
    /** The base URL of the site. Default: `BASE_URL`, Netlify's variables, `http://localhost:3000`. */
    baseUrl: option('--base-url <url>', `base URL [$BASE_URL, or ${DEFAULT_BASE_URL}]`, plainUrl.optional()),
    /** The output folder. Default `build`. */
    out: option('--out <dir>', 'output folder', outsidePublic.default(BUILD_FOLDER)),
    /** What links point to. Default `query`, for GitHub Pages `file`. */
    links: linksOption,
    /** Whether the site has bulk files. Default true. */
    downloads: flag('--no-downloads', 'omit the bulk files'),
    /** How icons are served. Default `link`: requests are redirected to the upstream's. */
    sprites: option('--sprites <mode>', 'icons', oneOf(iconModes).default('link')),
    /** Where icons are fetched from, or redirected to. Default: the live upstream's. */
    spritesUpstream: option('--sprites-upstream <url>', 'where icons come from', z.string().optional()),
    /** Whether the site offers itself for download, as `/download/gamedata.tar.gz` and `.zip`. Default false. */
    archive: flag('--archive', 'offer the site as /download/gamedata.tar.gz'),
    /** Whether every published file is read again and checked. Default false. */
    verify: flag('--verify', 'check what was published'),
    /** Keep an archive of each of the last states of the data, this many, beside the output folder. Default: none. */
    keep: option('--keep <n>', 'keep archives of the last n states of the data', integer(0, 1000).optional()),
  }),
  ...inGroup('Hosts:', {
    /** The hosts to write configuration for. Default `['netlify']`. */
    hosts: hostsOption('write configuration for [netlify]'),
    ...servingOptions,
  }),
};

// Published declarations keep the comments of rows only where they are declared: `SourceOptions` has its own.
export type BuildOptions = SourceOptions & Given<typeof buildOptions>;

export interface BuildReport extends SiteReport {
  /** How many published files were read again and checked; null if none were. */
  readonly verified: number | null;
  /** What is wrong with the published site, or with its archive. */
  readonly problems: readonly Problem[];
  /** The archive of this site; null if none is kept. */
  readonly kept: string | null;
}

/**
 * Builds the site and publishes it into a folder.
 *
 * @throws UsageError, UpstreamError, DataError or OutputError; the published site is then unchanged
 */
export async function build(options: BuildOptions = {}, watchers: Watchers = {}): Promise<BuildReport> {
  const { source, out, verify, keep, takeLock, ...settings } = resolveBuild(options, process.env);
  const { dataFolder, upstream = dataFolder, signal } = source;
  if (source.source === 'auto') await settledSource(dataFolder, out);
  if (source.source === 'snapshot' || source.source === 'site') await settledSource(upstream, out);
  const making = { source, settingsOf: () => settings, byContent: verify, out, signal, takeLock };
  const { report } = await makeSite({ ...making, ...watchers });
  return { ...report, ...(await inspect(out, { verify, keep })) };
}

/** What is done with a published site. It stays published whatever comes of it, so that failures are problems, not errors. */
async function inspect(
  out: string,
  { verify, keep }: { verify: boolean; keep: number },
): Promise<Pick<BuildReport, 'verified' | 'problems' | 'kept'>> {
  let verified = null;
  try {
    const checked = verify ? (await import('../../verify/folder.ts')).verifyFolder(out) : undefined;
    const problems = checked?.problems ?? [];
    verified = checked?.files ?? null;
    if (problems.length > 0 || keep === 0) return { verified, problems, kept: null };
    const { keepArchive } = await import('./archive.ts');
    return { verified, problems, kept: await keepArchive(out, keep) };
  } catch (thrown) {
    const error = explainSystemError(thrown, out);
    if (!(error instanceof OutputError)) throw thrown;
    return { verified, problems: [{ file: error.path, problem: error.problem }], kept: null };
  }
}

/** Applies defaults, including those of the environment, and checks. Throws `UsageError`. */
export function resolveBuild(options: BuildOptions, environment: Environment) {
  const checked = checkOptions(buildOptions, options);
  const { out, downloads, archive, verify, keep = 0, hosts: chosen, links, root, ...others } = checked;
  const {
    sprites: mode,
    spritesUpstream = DEFAULT_ICONS_UPSTREAM,
    baseUrl: named = environmentUrl(environment),
    ...source
  } = others;
  const baseUrl = named ?? DEFAULT_BASE_URL;
  const forHosts = resolveHosts({ hosts: chosen ?? ['netlify'], links, root }, 'query', out);
  if (named === undefined && chosen !== undefined) refuseUnnamed(forHosts.hosts);
  return {
    source: { ...captureOptions(source, environment), baseUrl, isBaseUrlNamed: named !== undefined },
    baseUrl,
    out,
    takeLock: source.takeLock,
    ...forHosts,
    downloads,
    archive,
    // Where no icon comes from anywhere, it does not matter.
    sprites: {
      mode,
      upstream: mode === 'none' ? null : checkValue(plainUrl, spritesUpstream, '--sprites-upstream'),
    },
    verify,
    keep,
  };
}

/** Links to this machine are of no use on a host that somebody has chosen. */
function refuseUnnamed(hosts: readonly string[]): void {
  if (hosts.length === 0) return;
  const cloudflare =
    'Cloudflare takes BASE_URL from the Worker: Settings → Build → Build variables and secrets.';
  throw new UsageError(
    `--base-url: got none, and no BASE_URL: expected the address of the site on ${hosts.join(', ')}`,
    { hint: hosts.includes('cloudflare') ? cloudflare : undefined },
  );
}

/**
 * The variable of the environment that names the base URL. Netlify's are too common names to mean anything elsewhere.
 *
 * @see https://docs.netlify.com/configure-builds/environment-variables/
 */
export function baseUrlVariable({ NETLIFY, CONTEXT = 'production', ...variables }: Environment) {
  const netlify = CONTEXT === 'production' ? ['URL'] : ['DEPLOY_PRIME_URL', 'URL'];
  const names = ['BASE_URL', ...(NETLIFY === 'true' ? netlify : [])];
  return names.find((candidate) => variables[candidate]);
}

function environmentUrl(environment: Environment): string | undefined {
  const name = baseUrlVariable(environment);
  return name === undefined ? undefined : checkValue(plainUrl, environment[name], name);
}

export const command = declare({
  description: `Reads every ${listed(kindNames)}, and publishes the site into a folder.`,
  options: {
    ...buildOptions,
    ...inGroup('Output:', {
      onChange: option(
        '--on-change <command>',
        'run once if the site changed, with the summary',
        z.string().optional(),
      ),
    }),
  },
  async run({ options: { onChange, ...options }, json, reporter, watchers, signal }) {
    const report = await build({ ...options, signal }, watchers);
    const { problems, changed, out } = report;
    let failed = problems.length > 0;
    const next = failed ? [] : nextLines(report, options.hosts);
    reporter.print([...buildLines(report), ...next], publishedLines(report).at(-1));
    reporter.fail(problemLines(out, problems));
    if (onChange !== undefined && changed) {
      const told = json ? JSON.stringify(report) : summaryLines(report).join('\n');
      const problem = failed ? 'not run, as problems were found' : await runWith(`${told}\n`, onChange);
      if (problem !== undefined)
        reporter.notice(`error: --on-change: ${problem}: the site is published; run by hand: ${onChange}`);
      failed ||= problem !== undefined;
    }
    return { output: report, exitCode: failed ? exitCodes.unfinished : exitCodes.done };
  },
  kept: ({ out = '', cache }, failure) => keptLines(out, failure, cache),
});

/** What to do with a site that has changed. */
function nextLines({ changed, out, install, kept }: BuildReport, hosts: BuildOptions['hosts']): string[] {
  if (!changed) return [];
  const archive = kept === null ? [] : [`archive: ${kept}`];
  const isInstalled = hosts?.some((host) => webServerNames.includes(host));
  const elsewhere = hosts?.includes('cloudflare')
    ? `cd ${out} && npx wrangler deploy`
    : `npx gamedata serve ${out}, or upload that folder to a host`;
  const commands = isInstalled ? install : [elsewhere];
  return [...archive, ...commands.map((command) => `next: ${command}`)];
}

/** Runs a command with a text on its standard input. Returns what went wrong; undefined if it succeeded. */
async function runWith(text: string, command: string): Promise<string | undefined> {
  // Standard output is for the report.
  const child = spawn(command, { shell: true, stdio: ['pipe', 2, 2] });
  // A command need not read it.
  child.stdin?.on('error', () => {}).end(text);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    return code === 0 ? undefined : `got ${signal ?? `exit code ${code}`}`;
  } catch (error) {
    return `cannot be started (${errorCode(error)})`;
  }
}
