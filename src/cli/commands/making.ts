/** What a site is made by and from, which its manifest says: the same gives the same files. */

import { hash } from 'node:crypto';
import type { Making } from '../../contract/meta.ts';
import type { ListedFile, SiteFile } from '../../contract/site-file.ts';
import { encodeFormer } from '../../dataset/former.ts';
import { webServerNames } from '../../hosts/names.ts';
import type { CompleteSite } from '../../site/complete-site.ts';
import { codeDigest } from '../../version.ts';

export interface Inputs extends Pick<CompleteSite, 'meta' | 'history' | 'former' | 'archive' | 'serving'> {
  readonly assets: readonly (SiteFile | ListedFile)[];
}

/** The records and the options need not be read: `meta.json` has the digest of the former, and all of the latter. */
export function describeMaking({
  meta,
  history,
  former,
  archive,
  serving,
  assets,
}: Inputs): Required<Making> {
  const listed = assets.map((file) => [
    file.path,
    'sha256' in file ? file.sha256 : hash('sha256', file.body),
  ]);
  listed.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  // Otherwise a site does not depend on the folder that it is in.
  const served = meta.hosts.some((host) => webServerNames.includes(host)) ? [serving] : [];
  const inputs = hash(
    'sha256',
    JSON.stringify([meta, history, encodeFormer(former), archive, listed, ...served]),
  );
  return { generator: meta.generator, code: codeDigest(), inputs };
}
