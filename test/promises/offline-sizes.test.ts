import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT, readBuildAssets } from '../../src/package.ts';
import { dataFiles } from '../../src/serve/offline/data-store.ts';
import { createOfflineScript } from '../../src/site/offline-script.ts';
import { NEWER_FUNCTIONS } from '../support/newer-functions.ts';
import { rawRecords, siteOf } from '../support/sites.ts';

describe('the offline worker', () => {
  const { meta } = siteOf(rawRecords(1, 1));
  const { template, compiled } = readBuildAssets();
  const script = `${createOfflineScript({ meta, template, compiled }).body}`;

  it('has at most 15 kB when it is compressed', () => {
    expect(gzipSync(script).length).toBeLessThan(15_000);
  });

  it.each(NEWER_FUNCTIONS)(
    'does not use %s, which the oldest supported browsers do not have',
    (text) => {
      expect(script).not.toContain(text);
    },
  );

  it('stores at most 150 kB of compressed data in an app', () => {
    let bytes = 0;
    for (const file of dataFiles) {
      // The bundled data set has the same form as the one in a site.
      const bundledFile = path.join(PACKAGE_ROOT, file);
      bytes += gzipSync(readFileSync(bundledFile)).length;
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(150_000);
  });
});
