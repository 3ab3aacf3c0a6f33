import { hash } from 'node:crypto';
import { type Asset, createHandler } from '../../src/serve/handler/index.ts';
import {
  rawItem,
  rawMove,
  type SiteOptions,
  type SomeRecords,
  siteOf,
} from './sites.ts';
import { range } from './upstream-data.ts';

/** Returns the records of the reference framework's data, whose ids have gaps. */
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

export const browsePage = {
  path: 'browse.html',
  body: '<!doctype html><title>browse</title>',
};

/**
 * Creates a site in memory, and sends requests to its handler.
 *
 * @param changes files that are replaced, added or, with null, removed
 */
export function handledSite(
  raw: SomeRecords,
  options: SiteOptions = { extras: [browsePage] },
  changes: Readonly<Record<string, string | null>> = {},
) {
  const files = new Map<string, Asset>();
  const built = [...siteOf(raw, options).files()].map(
    ({ path, body }) => [path, body] as const,
  );
  for (const [path, body] of [...built, ...Object.entries(changes)]) {
    files.delete(path);
    if (body === null) continue;
    const bytes = new Uint8Array(Buffer.from(body));
    files.set(path, { body: bytes, etag: `"${hash('sha256', bytes)}"` });
  }
  const handle = createHandler({ get: async (file) => files.get(file) });
  async function send(
    path: string,
    init?: { method?: string; headers?: Record<string, string> },
  ) {
    const response = await handle(new Request(`https://host.test${path}`, init));
    const body = Buffer.from(await response.arrayBuffer());
    const headers = Object.fromEntries(response.headers) as Record<
      string,
      string | undefined
    >;
    return { status: response.status, headers, body, text: body.toString() };
  }
  return { files, send };
}
