import type { ManifestEntry, Meta } from '../contract/meta.ts';
import { isUrl } from '../contract/paths.ts';
import type { Output } from '../publish/publish.ts';
import { openSite, readIfIntact } from '../site-folder.ts';
import { type CopiedSite, readSite } from '../upstream/copied-site.ts';
import type { SourceSettings } from './source-settings.ts';

interface CopySettings extends SourceSettings {
  /** Returns whether the copy contains icons. */
  readonly wantsIcons: (meta: Meta) => boolean;
}

/**
 * Reads the site that is copied, from its folder or its URL. An icon that the published
 * site already has is read from there, so that a copy that is updated does not request
 * thousands of icons again.
 *
 * @throws GamedataError if the site cannot be read
 */
export async function copySite(
  from: string,
  output: Output,
  settings: CopySettings,
): Promise<CopiedSite> {
  const readPublishedIcon = (icon: ManifestEntry): Buffer | undefined =>
    readIfIntact(output.folder, icon);
  const options = { ...settings, readPublishedIcon };
  if (!isUrl(from)) return readSite(openSite(from), options);
  // Copying a folder does not require undici, so we import this module on demand.
  const { readRemoteSite } = await import('../upstream/remote-data.ts');
  return readRemoteSite(from, options);
}
