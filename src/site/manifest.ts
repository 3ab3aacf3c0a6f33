import {
  type BuildInputs,
  encodeText,
  FORMAT,
  type Manifest,
  type ManifestEntry,
} from '../contract/meta.ts';

/**
 * Encodes a site's manifest.
 *
 * @param files the entries of all files, sorted by path
 */
export function encodeManifest(
  buildInputs: BuildInputs,
  files: readonly ManifestEntry[],
): Uint8Array {
  const manifest: Manifest = { format: FORMAT, ...buildInputs, files: [...files] };
  return encodeText(JSON.stringify(manifest));
}
