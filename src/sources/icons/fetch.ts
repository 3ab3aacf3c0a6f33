/** Fetches icons: each distinct one once, with the same client and cache as records. */

import pLimit from 'p-limit';
import { ICONS_FOLDER } from '../../contract/paths.ts';
import { UpstreamError } from '../../errors.ts';
import { MalformedBody } from '../../http/body.ts';
import type { Codec, Fetcher } from '../../http/fetcher.ts';

/** Icon → its file; null if the upstream does not have it. */
export type IconFiles = ReadonlyMap<string, Buffer | null>;

/** A hundred times the largest icon of the live upstream. */
const MAX_ICON_BYTES = 256 * 1024;

/** How PNG, GIF and JPEG start; of WebP, the size comes in between. */
const SIGNATURES = ['\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a', '\xff\xd8\xff'];

/** @see https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern */
export function isImage(body: Buffer): boolean {
  const start = body.toString('latin1', 0, 12);
  return SIGNATURES.some((signature) => start.startsWith(signature)) || /^RIFF.{4}WEBP/s.test(start);
}

/** Cached as base64, since the cache is a text file. */
const codec: Codec<string | null> = {
  decode(body) {
    if (!isImage(body))
      throw new MalformedBody(`got ${body.length} bytes, expected a PNG, GIF, JPEG or WebP image`);
    return body.toString('base64');
  },
  revive(cached) {
    if (cached === null) return null;
    return typeof cached === 'string' && isImage(Buffer.from(cached, 'base64')) ? cached : undefined;
  },
};

/**
 * Fetches icons. If the upstream cannot be reached, cached ones are used.
 *
 * @param icons distinct paths under `sprites/items`
 * @returns also why the upstream could not be reached, if it could not
 * @throws UpstreamError if one cannot be fetched, or is not an image; 404 and 410 mean that it does not exist
 */
export async function fetchIcons(
  icons: readonly string[],
  { upstream, fetcher, concurrency }: { upstream: string; fetcher: Fetcher; concurrency: number },
): Promise<{ files: IconFiles; offline: UpstreamError | undefined }> {
  let offline: UpstreamError | undefined;

  async function read(icon: string): Promise<string | null> {
    const url = `${upstream}/${icon.slice(ICONS_FOLDER.length)}`;
    if (!offline) {
      try {
        const absent = { value: null };
        return (await fetcher.load(url, codec, { absent, maxBytes: MAX_ICON_BYTES })).value;
      } catch (error) {
        if (!(error instanceof UpstreamError && error.request.unreachable)) throw error;
        offline = error;
      }
    }
    const known = fetcher.recall(url, codec);
    if (known === undefined) throw offline;
    return known;
  }

  const [first, ...others] = icons;
  const texts = first === undefined ? [] : [await read(first)];
  texts.push(...(await pLimit(concurrency).map(others, read)));
  const bodies = texts.map((text) => (text === null ? null : Buffer.from(text, 'base64')));
  return { files: new Map(icons.map((icon, at) => [icon, bodies[at] ?? null])), offline };
}
