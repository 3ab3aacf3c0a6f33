/** The handler over a site in memory. */

import { createHash } from 'node:crypto';
import { type Asset, createHandler } from '../../src/serve/handler/index.ts';
import { rawItem, rawMove, type SiteOptions, type SomeRecords, siteOf } from './sites.ts';
import { range } from './upstream-data.ts';

/** As many records as the reference framework was asked about, with gaps in the ids if its data has them. */
export function recordsWithGaps(): SomeRecords {
  return {
    move: [...range(1, 919), ...range(10001, 10018)].map((id) =>
      rawMove(id, id === 1 ? { slug: 'pound', englishName: 'Pound' } : {}),
    ),
    item: [...range(1, 500), ...range(552, 1600), ...range(1606, 2279)].map((id) =>
      rawItem(id, id === 4 ? { slug: 'poke-ball', englishName: 'Poké Ball' } : {}),
    ),
  };
}

export const browsePage = { path: 'browse.html', body: '<!doctype html><title>browse</title>' };

export interface HandledSite {
  readonly files: ReadonlyMap<string, Asset>;
  ask(path: string, init?: { method?: string; headers?: Record<string, string> }): Promise<Response>;
}

/** @param changes files that are replaced, added or, with null, removed */
export function handledSite(
  raw: SomeRecords,
  options: SiteOptions = { extras: [browsePage] },
  changes: Readonly<Record<string, string | null>> = {},
): HandledSite {
  const files = new Map<string, Asset>();
  const built = [...siteOf(raw, options).files()].map(({ path, body }) => [path, body] as const);
  for (const [path, body] of [...built, ...Object.entries(changes)]) {
    files.delete(path);
    if (body === null) continue;
    const bytes = new Uint8Array(Buffer.from(body));
    files.set(path, { body: bytes, etag: `"${createHash('sha256').update(bytes).digest('hex')}"` });
  }
  const handle = createHandler({ get: async (file) => files.get(file) });
  return { files, ask: (path, init) => handle(new Request(`https://host.test${path}`, init)) };
}
