import { fileRows, plainBulkRows } from '../../contract/files.ts';
import type { Meta } from '../../contract/meta.ts';
import * as paths from '../../contract/paths.ts';
import { getMediaType } from '../../contract/responses.ts';
import { describeSubject } from '../../contract/words.ts';
import { Markup } from '../shared/html.ts';

/**
 * Describes the data for search engines, which index data sets by this metadata:
 * https://schema.org/Dataset and
 * https://developers.google.com/search/docs/appearance/structured-data/dataset
 *
 * @param sizes the files of the site, by path
 */
export function describeDataset(
  description: string,
  meta: Meta,
  sizes: ReadonlyMap<string, unknown>,
  archive: boolean,
): Markup {
  const files = plainBulkRows.filter(({ path }) => sizes.has(path));
  if (archive) {
    files.push(
      ...fileRows.archives.filter(({ path }) => path === paths.ARCHIVE_FILE),
    );
  }
  const metadata = {
    '@context': 'https://schema.org',
    '@type': 'Dataset',
    name: describeSubject(),
    description,
    url: `${meta.base_url}/`,
    license: `${meta.base_url}/data-license.txt`,
    isAccessibleForFree: true,
    creator: { '@type': 'Organization', name: 'PokéAPI', url: 'https://pokeapi.co' },
    dateModified: meta.captured,
    distribution: files.map(({ path, summary }) => ({
      '@type': 'DataDownload',
      contentUrl: `${meta.base_url}/${path}`,
      // The media type without its character set.
      encodingFormat: getMediaType(path).replace(/;.*/, ''),
      description: summary,
    })),
  };
  // We escape `<`, because text such as `</script>` would end the script element
  // that contains the metadata.
  return new Markup(JSON.stringify(metadata).replaceAll('<', '\\u003c'));
}
