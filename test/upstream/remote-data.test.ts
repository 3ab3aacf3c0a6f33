import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { snapshot } from '../../src/cli/commands/snapshot.ts';
import {
  readRemoteDataSet,
  readRemoteSite,
} from '../../src/upstream/remote-data.ts';
import { decodeDataSet } from '../support/decode.ts';
import { deploy } from '../support/deployed.ts';
import { startServer, status } from '../support/local-server.ts';
import { readTree } from '../support/publishing.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { sharedFolder } from '../support/temporary.ts';

const folder = sharedFolder();
const site = path.join(folder, 'site');
const data = path.join(folder, 'data');
const newer = path.join(folder, 'newer');
beforeAll(async () => {
  await smallSource(rawRecords(8, 5), data);
  const options = { source: 'snapshot', baseUrl: 'https://origin.test' } as const;
  await build({ ...options, upstream: data, out: site });
  await smallSource(rawRecords(9, 5), path.join(folder, 'newer-data'));
  const upstream = path.join(folder, 'newer-data');
  await build({ ...options, upstream, out: newer, maxShrink: 100 });
});

const options = { concurrency: 4, retryBaseMs: 1 };
const copyOptions = {
  ...options,
  wantsIcons: () => false,
  readPublishedIcon: () => undefined,
};

it('a site contains exactly the data files that snapshot writes', async () => {
  const written = path.join(folder, 'written');
  const upstream = { source: 'snapshot', upstream: data } as const;
  await snapshot({ ...upstream, data: written, maxShrink: 100 });
  expect(readTree(path.join(site, 'data'))).toEqual(readTree(written));
});

describe('readRemoteDataSet', () => {
  it('reads the same data set from the URL of a site, of its data, and of a data set folder', async () => {
    const [ofSite, ofFolder] = [await deploy(site), await deploy(folder)];
    const urls = [ofSite.url, `${ofSite.url}/data`, `${ofFolder.url}/data`];
    for (const url of urls) {
      const { dataSet } = await readRemoteDataSet(url, options);
      expect(decodeDataSet(dataSet).records.move).toHaveLength(8);
    }
  });

  it('sends only one request to a URL that is not a site, and rejects the URL', async () => {
    const { url, requests } = await startServer(status(404));
    await expect(readRemoteDataSet(url, options)).rejects.toThrow(
      `${url}/data: is not a gamedata site`,
    );
    expect(requests).toHaveLength(1);
  });

  it('requests a file again, bypassing caches, if it does not match its hash', async () => {
    const server = await deploy(site);
    server.faults.set('data/move.ndjson', (response, { url = '' }) => {
      const isPastCaches = url.includes('?');
      response.end(isPastCaches ? readMoves(site) : readMoves(newer));
    });
    const { dataSet } = await readRemoteDataSet(server.url, options);
    expect(dataSet.counts.move).toBe(8);
  });

  it('reads the data set again if a new site is deployed in the meantime', async () => {
    let isDeployed = false;
    const server = await startServer((response, { url = '' }) => {
      const { pathname } = new URL(url, 'http://site.test');
      if (pathname === '/data/move.ndjson') isDeployed = true;
      const file = path.join(isDeployed ? newer : site, pathname);
      response.end(readFileSync(file));
    });
    const { dataSet } = await readRemoteDataSet(server.url, options);
    expect(dataSet.counts.move).toBe(9);
  });

  it('reports the actual and the expected size of a file that never matches its hash', async () => {
    const server = await deploy(site);
    server.faults.set('data/move.ndjson', (response) =>
      response.end(readMoves(newer)),
    );
    await expect(readRemoteDataSet(server.url, options)).rejects.toThrow(
      /data\/move\.ndjson\S*: (?:has \d+ bytes, expected \d+|got more than \d+ bytes)/,
    );
  });
});

function readMoves(root: string): string {
  return readTree(root)['data/move.ndjson'] ?? '';
}

describe('readRemoteSite', () => {
  it('reads only the description and the data set of a site, not its pages', async () => {
    const server = await deploy(site);
    const { meta, dataSet } = await readRemoteSite(server.url, copyOptions);
    expect(meta.base_url).toBe('https://origin.test');
    expect(dataSet.counts.move).toBe(8);
    const requested = server.paths().map((name) => name.replace(/\?.*/, ''));
    const others = requested.filter((name) => !name.startsWith('data/'));
    expect(others).toEqual(['manifest.json', 'meta.json']);
  });
});
