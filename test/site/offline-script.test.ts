import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { OfflineSite } from '../../src/contract/offline.ts';
import type { HostName } from '../../src/hosts/index.ts';
import { readBuildAssets } from '../../src/package.ts';
import { generateFiles } from '../../src/site/generate-site.ts';
import { createOfflineScript } from '../../src/site/offline-script.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { createStoredData } from '../support/stored-data.ts';

const raw = rawRecords(2, 1);
const { meta } = siteOf(raw);
const buildAssets = readBuildAssets();

/** Returns the values that a build has inserted for the hosts of a site. */
function readValues(hosts: HostName[]): OfflineSite {
  const script = createOfflineScript({ ...buildAssets, meta: { ...meta, hosts } });
  const [, values = ''] = /gamedataSite = (.*);$/m.exec(`${script.body}`) ?? [];
  return JSON.parse(values);
}

describe('createOfflineScript', () => {
  it('lists every page, script and style of a site', async () => {
    const files = await generateFiles({
      dataSet: createStoredData(raw),
      dataLicense: 'the license\n',
      hosts: [],
      root: '/srv',
      assets: [],
      archive: false,
      meta,
      buildAssets,
    });
    const paths = files.map(({ path }) => path);
    const pageFiles = paths.filter((path) => /\.(?:html|js|css)$/.test(path));
    const others = ['404.html', 'offline.js', 'reference.html'];
    const expected = pageFiles.filter((path) => !others.includes(path));
    expect(readValues([]).pageFiles).toEqual(expect.arrayContaining(expected));
  });

  it.each<[hosts: HostName[], expected: boolean]>([
    [['netlify'], true],
    [['cloudflare', 'netlify-rules'], false],
    [['nginx'], false],
    [[], false],
  ])(
    'tries the network first only if all hosts support every page range: %j',
    (hosts, expected) => {
      expect(readValues(hosts).supportsAnyPageRange).toBe(expected);
    },
  );

  it('creates scripts that one worker can import together', () => {
    const { body } = createOfflineScript({ ...buildAssets, meta });
    // Two constants with the same name in one scope are a syntax error.
    expect(() => new Script(`${body}${body}`)).not.toThrow();
  });
});
