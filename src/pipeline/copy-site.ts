import type { ManifestEntry, Meta } from '../contract/meta.ts';
import { isUrl } from '../contract/paths.ts';
import type { Output } from '../publish/publish.ts';
import { openSite, readIntact } from '../site-folder.ts';
import { type CopiedSite, readSite } from '../upstream/copied-site.ts';
import type { SourceSettings } from './source-settings.ts';

interface CopySettings extends SourceSettings {
  /** Returns whether the copy contains icons. */
  readonly wantsIcons: (meta: Meta) => boolean;
}

/**
 * Reads the site that is copied from its folder or its URL. Icons that the published
 * site already has are read from there.
 *
 * @throws GamedataError if the site cannot be read
 */
export async function copySite(
  from: string,
  output: Output,
  settings: CopySettings,
): Promise<CopiedSite> {
  const readPublished = (icon: ManifestEntry): Buffer | undefined =>
    readIntact(output.folder, icon);
  const { wantsIcons } = settings;
  if (!isUrl(from)) return readSite(openSite(from), { wantsIcons, readPublished });
  // Copying a folder does not require undici, so we import this module on demand.
  const { readRemoteSite } = await import('../upstream/remote-data.ts');
  return readRemoteSite(from, { ...settings, wantsIcons, readPublished });
}
