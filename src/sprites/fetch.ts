/** Fetching pictures: each distinct one once, by the same client and cache as records. */

import pLimit from 'p-limit';
import { PICTURES_PATH } from '../contract/pictures.ts';
import { UpstreamError } from '../errors.ts';
import { MalformedBody } from '../http/body.ts';
import type { Codec, Fetcher } from '../http/fetcher.ts';
import { isPicture } from './signature.ts';

/** Icon → its picture; null where the upstream has none. */
export type Pictures = ReadonlyMap<string, Buffer | null>;

/** A hundred times the largest picture of the live upstream. */
const MAX_PICTURE_BYTES = 256 * 1024;

/** Pictures are kept in the cache as text, for its journal is one. */
const codec: Codec<string | null> = {
  decode(body) {
    if (!isPicture(body))
      throw new MalformedBody(`answered ${body.length} bytes that are no PNG, GIF, JPEG or WebP picture`);
    return body.toString('base64');
  },
  revive(cached) {
    if (cached === null) return null;
    return typeof cached === 'string' && isPicture(Buffer.from(cached, 'base64')) ? cached : undefined;
  },
};

/**
 * Reads pictures. Where the upstream cannot be reached, those of the last time do.
 *
 * @param icons paths under `sprites/items`, each once
 * @returns also why the upstream could not be reached, where that was so
 * @throws UpstreamError where one does not come, or is no picture; 404 and 410 say that there is none
 */
export async function fetchPictures(
  icons: readonly string[],
  { upstream, fetcher, concurrency }: { upstream: string; fetcher: Fetcher; concurrency: number },
): Promise<{ pictures: Pictures; offline: UpstreamError | undefined }> {
  let offline: UpstreamError | undefined;

  async function read(icon: string): Promise<string | null> {
    const url = `${upstream}/${icon.slice(PICTURES_PATH.length - 1)}`;
    if (!offline) {
      try {
        return await fetcher.load(url, codec, { absent: { value: null }, maxBytes: MAX_PICTURE_BYTES });
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
  return { pictures: new Map(icons.map((icon, at) => [icon, bodies[at] ?? null])), offline };
}
