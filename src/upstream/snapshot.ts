import { isUrl } from '../contract/paths.ts';
import { readDataSet } from '../data/data-set-folder.ts';
import { openDataSet } from '../site-folder.ts';
import type { Source } from './source.ts';

/**
 * Reads a data set folder, which may be the folder or the URL of a data set or of a
 * site. By default, reads the bundled data set.
 */
export const snapshotSource: Source = async (context) => {
  const { upstream = context.dataFolder } = context;
  const about = { source: 'snapshot', isCopy: true } as const;
  if (!isUrl(upstream)) {
    return { ...about, dataSet: await readDataSet(openDataSet(upstream)) };
  }
  // Reading a folder does not require undici, so we import this module on demand.
  const { readRemoteDataSet } = await import('./remote-data.ts');
  return { ...about, ...(await readRemoteDataSet(upstream, context)) };
};
