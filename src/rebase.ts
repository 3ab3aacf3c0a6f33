/** The story of a rebase: the records of a copy → the same site under another address. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { archiveFiles } from './archive/entries.ts';
import { isHostFile } from './contract/host-files.ts';
import type { Meta } from './contract/meta.ts';
import type { ListedFile } from './contract/site.ts';
import { OutputError } from './errors.ts';
import { type RebaseOptions, resolveRebase } from './options.ts';
import { withPacker } from './output/packer.ts';
import { type PublishResult, withOutput } from './output/publish.ts';
import { wholeSite } from './site.ts';
import { type Examined, examineFolder } from './verify/folder.ts';
import { GENERATOR } from './version.ts';

export interface RebaseReport {
  readonly changed: boolean;
  /** The folder that was read, and the one that was written, as they were named. */
  readonly dir: string;
  readonly out: string;
  readonly from: string;
  readonly to: string;
  readonly links: Meta['links'];
  readonly hosts: readonly string[];
  /** Files taken over as they are that still name the old address. */
  readonly stale: readonly string[];
  readonly files: Omit<PublishResult, 'changed'>;
  readonly seconds: number;
}

/**
 * Makes a copy's site anew under another address, out of its own records: to the byte what a build with that address
 * would have made. Files that are not made of records are taken over.
 *
 * @throws UsageError, or OutputError where the copy is no whole site; it is then as it was
 */
export async function rebase(dir: string, options: RebaseOptions): Promise<RebaseReport> {
  const started = performance.now();
  const { out, ...asked } = resolveRebase(dir, options);
  return withOutput(out, (output) =>
    withPacker(async (compress) => {
      const copy = readCopy(dir);
      const { links = copy.meta.links, baseUrl } = asked;
      const hosts = asked.hosts ?? asked.knownHosts(copy.meta.hosts);
      const meta: Meta = { ...copy.meta, generator: GENERATOR, base_url: baseUrl, links, hosts: [...hosts] };
      const archive = copy.manifest.files.some((entry) => archiveFiles.includes(entry.path));
      const made = {
        records: copy.records,
        meta,
        history: copy.history,
        hosts,
        archive,
        compress,
        sizes: output.sizes,
      };
      const assets = takenOver(
        dir,
        copy,
        new Set([...wholeSite({ ...made, assets: [] })].map(({ path }) => path)),
      );
      const { changed, ...files } = await output.publish(wholeSite({ ...made, assets }), {
        signal: options.signal,
      });
      const from = copy.meta.base_url;
      const isStale = ({ path: file }: ListedFile): boolean =>
        from !== baseUrl && readFileSync(path.join(out, file)).includes(from);
      return {
        changed,
        dir,
        out,
        from,
        to: baseUrl,
        links,
        hosts,
        stale: assets.filter(isStale).map((file) => file.path),
        files,
        seconds: Math.round(performance.now() - started) / 1000,
      };
    }),
  );
}

/** Only what is whole is believed: a damaged record would become a right-looking one. */
function readCopy(dir: string): Examined {
  const copy = examineFolder(dir);
  const [first] = copy.report.problems;
  if (!first) return copy;
  const more = copy.report.problems.length > 1 ? ` (and ${copy.report.problems.length - 1} more)` : '';
  throw new OutputError(`is no whole site: ${first.file}: ${first.problem}${more}`, dir, {
    hint: 'gamedata verify <dir> lists every problem; gamedata mirror brings a damaged copy in order.',
  });
}

/** Everything that is not made anew. A host's configuration is: the copy's, if it has any, is the old one. */
function takenOver(dir: string, { manifest }: Examined, made: ReadonlySet<string>): ListedFile[] {
  return manifest.files
    .filter(({ path }) => !made.has(path) && !isHostFile(path))
    .map((entry) => ({ ...entry, make: () => readFileSync(path.join(dir, entry.path)) }));
}
