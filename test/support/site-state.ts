import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** The record at each path of the API, such as `move/1` at `/api/gamedata/move/a/`. */
export type Records = ReadonlyMap<string, string>;

/**
 * A site as a command sees it. If a build was killed after its commit, this is the new
 * site.
 */
export interface SiteState {
  /** The SHA-256 and mtime of each file on disk, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly records: Records;
  /** The records, and the redirects to them. */
  readonly addresses: Records;
  readonly baseUrl: string;
  readonly hosts: readonly string[];
  /** What contradicts the manifest or the rest of the site. */
  readonly problems: readonly string[];
}

const STAGED = '.gamedata/next';

/** Describes every file on disk, so that two equal results mean that nothing changed. */
function listFiles(folder: string): Map<string, string> {
  const files = new Map<string, string>();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (entry.isDirectory()) continue;
    const absolute = path.join(entry.parentPath, entry.name);
    const sha256 = hash('sha256', readFileSync(absolute));
    const { mtimeNs } = statSync(absolute, { bigint: true });
    files.set(path.relative(folder, absolute), `${sha256} ${mtimeNs}`);
  }
  return new Map([...files].sort());
}

interface ListedFile {
  readonly path: string;
  readonly sha256: string;
}

/**
 * Reads a site without gamedata's own readers. First compares the listed files with the
 * manifest, then reads the records, and finally checks what depends on the records: the
 * counts in `meta.json` and the targets of redirects.
 */
export function readSite(folder: string): SiteState {
  const isCommitted = existsSync(path.join(folder, STAGED, 'manifest.json'));
  const problems: string[] = [];

  function read(file: string): string {
    const staged = path.join(folder, STAGED, file);
    const isStaged = isCommitted && existsSync(staged);
    return readFileSync(isStaged ? staged : path.join(folder, file), 'utf8');
  }

  const { files: listed } = JSON.parse(read('manifest.json'));
  const records = new Map<string, string>();
  const { base_url: baseUrl, hosts, counts } = JSON.parse(read('meta.json'));
  for (const { path: file, sha256 } of listed as ListedFile[]) {
    if (file.endsWith('.gz') || file.endsWith('.png') || file.endsWith('.ico'))
      continue;
    const text = read(file);
    if (hash('sha256', text) !== sha256) problems.push(`${file} differs`);
    const kind = /^api\/gamedata\/(\w+)\/[^/]+\/index\.json$/.exec(file)?.[1];
    if (kind === undefined) continue;
    const { id, url } = JSON.parse(text);
    records.set(`/${file.slice(0, -'index.json'.length)}`, `${kind}/${id}`);
    if (!url.startsWith(`${baseUrl}/api/`))
      problems.push(`${file} has the URL ${url}`);
  }
  const total = Number(counts.move) + Number(counts.item);
  if (records.size !== total) problems.push(`meta.json counts ${total} records`);

  const addresses = new Map(records);
  const redirects: Record<string, string> = JSON.parse(read('moved.json'));
  for (const [from, to] of Object.entries(redirects)) {
    const target = records.get(to);
    if (target === undefined || records.has(from)) {
      problems.push(`moved.json redirects ${from} to ${to}`);
    } else addresses.set(from, target);
  }
  const files = listFiles(folder);
  return { files, records, addresses, baseUrl, hosts, problems };
}
