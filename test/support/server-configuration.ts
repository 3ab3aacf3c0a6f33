/** The configuration of a web server for small sites. */

import type { Host } from '../../src/hosts/host.ts';
import { bodyText } from './body.ts';
import { hostContext, rawRecords, siteOf } from './sites.ts';

export function serverConfiguration(host: Host) {
  const written = (moves: number, items: number): { path: string; text: string } => {
    const { routes } = siteOf(rawRecords(moves, items));
    const [file, ...more] = host.files(hostContext(routes));
    if (!file || more.some(({ path }) => !path.startsWith('_hosts/')))
      throw new Error('expected one file, and others that are not served');
    return { path: file.path, text: bodyText(file.body) };
  };
  return { ...written(1, 1), withMoreRecords: () => written(250, 3).text };
}
