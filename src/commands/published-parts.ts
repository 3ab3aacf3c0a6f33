/** What a build need not make again of the published site: pages of records that are as they were, and their search index. */

import type { Meta } from '../contract/meta.ts';
import { listPageFile, SEARCH_FILE } from '../contract/paths.ts';
import type { FindKnown } from '../dataset/data-set.ts';
import type { Output } from '../output/publish.ts';
import type { PublishedParts } from '../site/complete-site.ts';
import { readListed } from '../sources/site-folder.ts';

/** @param isKnown tells which records the same code has published as they are */
export function publishedParts(
  output: Output,
  meta: Meta,
  isKnown: ReturnType<FindKnown> | undefined,
): PublishedParts {
  if (!isKnown) return {};
  const { meta: old, entries } = output.published;
  const hasSameLinks = old?.base_url === meta.base_url && old.links === meta.links;
  return {
    known: readIndex(output, isKnown),
    findPage: hasSameLinks
      ? (kind, offset) => (isKnown(kind, offset) ? entries.get(listPageFile(kind, offset)) : undefined)
      : undefined,
  };
}

/** One that somebody damaged is made of all records again. */
function readIndex(
  { folder, published: { entries } }: Output,
  isKnown: ReturnType<FindKnown>,
): PublishedParts['known'] {
  try {
    return { index: JSON.parse(readListed(folder, SEARCH_FILE, entries)), isKnown };
  } catch {
    return undefined;
  }
}
