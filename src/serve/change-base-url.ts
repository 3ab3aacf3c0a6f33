import { encodeBody, type Meta, type SiteFile } from '../contract/meta.ts';
import { DATA_FOLDER } from '../contract/paths.ts';
import { LICENSE_FILE, readDataSet } from '../data/data-set-folder.ts';
import { PRODUCT, readBuildAssets } from '../package.ts';
import { createManifest, type EncodedFile } from '../site/archive.ts';
import { generateFiles } from '../site/generate-site.ts';
import { openSiteData, type SiteFolder } from '../site-folder.ts';

interface ChangedSite {
  readonly meta: Meta;
  readonly files: readonly SiteFile[];
}

/**
 * Regenerates a site in memory for another base URL, without host configuration. Icons,
 * hand-written files and anything else that is not generated come from the folder. The
 * new site offers no archive, because the existing one contains the original site.
 *
 * @param folderFiles the files that hosts serve from the site's folder
 */
export async function changeBaseUrl(
  site: SiteFolder,
  folderFiles: readonly SiteFile[],
  baseUrl: string,
): Promise<ChangedSite> {
  const meta: Meta = {
    ...site.meta,
    generator: PRODUCT,
    base_url: baseUrl,
    archive: undefined,
  };
  const generated = await generateFiles({
    dataSet: await readDataSet(openSiteData(site.name)),
    meta,
    hosts: [],
    root: '',
    dataLicense: site.read(DATA_FOLDER + LICENSE_FILE),
    assets: folderFiles,
    archive: false,
    buildAssets: readBuildAssets(),
  });
  // Generated files are added last, so they replace the files from the folder.
  const files = new Map<string, EncodedFile>();
  for (const file of generated) {
    files.set(file.path, { path: file.path, body: encodeBody(file) });
  }
  const manifest = createManifest([...files.values()], PRODUCT);
  return { meta, files: [...files.values(), manifest] };
}
