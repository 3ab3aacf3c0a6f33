/** What commands about copies tell people: mirror, rebase, archive and a build's pictures. */

import type { ArchiveReport } from './archive.ts';
import type { MirrorReport } from './mirror.ts';
import type { RebaseReport } from './rebase.ts';
import { number, plural, size, some } from './reporter.ts';
import type { SpritesReport } from './sprites.ts';

export function mirrorLines(report: MirrorReport): string[] {
  const { out, dryRun, travelled, fetched, removed, leftOut, files } = report;
  const lines: string[] = [];
  if (leftOut.length > 0) lines.push(`left out, as configuration of hosts: ${some(leftOut)}`);
  if (dryRun && fetched.length > 0) lines.push(`to fetch: ${some(fetched)}`);
  if (removed.length > 0) lines.push(`${dryRun ? 'to remove' : 'removed'}: ${some(removed)}`);
  const resumed = travelled.resumed > 0 ? `, ${number(travelled.resumed)} received before` : '';
  const verb = dryRun ? 'would travel' : 'travelled';
  lines.push(`${plural(travelled.files, 'file', 'files')} ${verb}, ${size(travelled.bytes)}${resumed}`);
  if (!report.changed) lines.push(`${out}: nothing changed, in ${report.seconds} s`);
  else if (files)
    lines.push(
      `${out}: ${plural(files.files, 'file', 'files')}, ${size(files.bytes)}: ${number(files.written)} written, ${number(files.kept)} kept, ${number(files.removed)} removed, in ${report.seconds} s`,
    );
  return lines;
}

export function rebaseLines({
  out,
  from,
  to,
  links,
  hosts,
  stale,
  files,
  changed,
  seconds,
}: RebaseReport): string[] {
  const lines = [`links: from ${from} to ${to}, style ${links}; hosts: ${hosts.join(', ') || 'none'}`];
  if (stale.length > 0)
    lines.push(`warning: taken over as they are, with the old address in them: ${some(stale)}`);
  const what = changed ? `${number(files.written)} written, ${number(files.kept)} kept` : 'nothing changed';
  lines.push(
    `${out}: ${plural(files.files, 'file', 'files')}, ${size(files.bytes)}: ${what}, in ${seconds} s`,
  );
  return lines;
}

export function archiveLines({ dir, out, files, archives, seconds }: ArchiveReport): string[] {
  const made = archives.map(({ name, bytes }) => `${name}, ${size(bytes)}`).join('; ');
  return [`${dir}: ${plural(files, 'file', 'files')} packed into ${out}: ${made}, in ${seconds} s`];
}

export function spritesLines({ mode, pictures, missing, offline, requests }: SpritesReport): string[] {
  if (mode === 'link') return [];
  const parts = [
    plural(pictures, 'picture', 'pictures'),
    `${number(mode === 'none' ? pictures : missing)} the placeholder`,
  ];
  if (requests)
    parts.push(plural(requests.bodies, 'body', 'bodies'), `${number(requests.cacheHits)} from the cache`);
  const lines = [`sprites: ${parts.join(' · ')}`];
  if (offline !== null) lines.push(`warning: pictures are those of the last time: ${offline}`);
  return lines;
}
