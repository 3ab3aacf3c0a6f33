import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { serve } from '../../../src/cli/commands/serve.ts';
import { verify } from '../../../src/cli/commands/verify.ts';
import { createClient } from '../../../src/http/client.ts';
import { findDifferences } from '../../../src/publish/mirror/differences.ts';
import { folderPlace } from '../../../src/sources/site/place.ts';
import { openSite } from '../../../src/sources/site/read.ts';
import { deploy } from '../../support/deployed.ts';
import { oneOfOthers } from '../../support/kinds.ts';
import { deserted, startServer } from '../../support/local-server.ts';
import { rawRecords } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';
import { sharedFolder } from '../../support/temporary.ts';

const raw = rawRecords(120, 5);
const changed = {
  ...raw,
  move: raw.move.map((record) => (record.id === 7 ? { ...record, slug: 'seven' } : record)),
};

const folder = sharedFolder();
const at = (name: string): string => path.join(folder, name);

/** Two editions of a site, each in a folder of its own. */
beforeAll(async () => {
  const options = { baseUrl: 'https://x.test', hosts: ['nginx'] } as const;
  await build({ ...options, out: at('old'), ...(await smallSource(raw, at('old-data'))) });
  await build({ ...options, out: at('new'), ...(await smallSource(changed, at('new-data'))) });
});

async function served(name: string): Promise<string> {
  const { url, close } = await serve({ dir: at(name), port: 0 });
  onTestFinished(close);
  return url;
}

describe('verify --like', () => {
  it('accepts the very build, and checks what its host supports, for links of its base URL', async () => {
    const report = await verify(await served('new'), { like: at('new') });
    expect(report).toMatchObject({ failed: 0 });
    const checked = 'guarantees' in report ? report.guarantees.map(({ guarantee }) => guarantee) : [];
    expect(checked).toContain('cors');
    // nginx does not serve any limit and offset.
    expect(checked).not.toContain('windows');
  });

  it('rejects another build at once, or after the time, and says what differs', async () => {
    const server = await deploy(at('old'));
    const data = `sha256:\\w{12}… of \\S+, 120 moves, 5 items${oneOfOthers}`;
    const problem = new RegExp(
      `^http\\S+: does not serve the site in \\S+new: serves ${data}, expected ${data}$`,
    );
    await expect(verify(server.url, { like: at('new') })).rejects.toThrow(problem);
    const asked = server.requests.length;
    await expect(verify(server.url, { like: at('new'), wait: '1s' })).rejects.toThrow(problem);
    expect(server.requests.length, 'asked again').toBeGreaterThan(2 * asked);
  });

  it('rejects one file that is not as it was built, and a deployment that is not there', async () => {
    const server = await deploy(at('new'));
    server.faults.set('meta.json', (response) => response.end('{}'));
    await expect(verify(server.url, { like: at('new') })).rejects.toThrow('meta.json: got 2 bytes, expected');
    server.faults.set('manifest.json', (response) => response.writeHead(404).end());
    await expect(verify(server.url, { like: at('new') })).rejects.toThrow('manifest.json: got 404');
  });

  it('reads the description and a sample of the other files, another one each time', async () => {
    const server = await deploy(at('new'));
    const client = createClient({ concurrency: 4, retries: 0 });
    onTestFinished(() => client.close());
    const site = openSite(folderPlace(at('new')));
    const requested = async (offset: number): Promise<string[]> => {
      const before = server.requests.length;
      expect(await findDifferences(client, server.url, { site, concurrency: 4, offset })).toEqual([]);
      return server.paths().slice(before);
    };
    const [first, second] = [await requested(0), await requested(1)];
    expect(first.filter((name) => second.includes(name))).toEqual(['manifest.json', 'meta.json']);
    for (const { length } of [first, second]) {
      expect(length).toBeGreaterThan(50);
      expect(length).toBeLessThanOrEqual(102);
    }
  });

  it('says what differs of the same data, and once that nobody responds', async () => {
    await build({
      baseUrl: 'https://y.test',
      out: at('moved'),
      ...(await smallSource(changed, at('new-data'))),
    });
    const server = await deploy(at('moved'));
    await expect(verify(server.url, { like: at('new') })).rejects.toThrow(
      /: GET \S+\/meta\.json: got .*, manifest\.json: is that of another build, /,
    );
    const upstream = await deserted();
    await expect(verify(upstream, { like: at('new') })).rejects.toThrow(
      new RegExp(`^${upstream}: does not serve the site in [^:]*: GET [^:]*://[^ ]*/manifest.json: [^,]*$`),
    );
  });

  it('says once what is wrong with every URL, with their number and what to do', async () => {
    const server = await startServer((response) => response.end());
    const url = server.url.replace('http:', 'https:');
    const problem =
      /^\S+: does not serve the site in [^:]*: GET \S+\/meta\.json: wrong version [^:,]* \(and \d+ other URLs\)$/;
    await expect(verify(url, { like: at('new') })).rejects.toMatchObject({
      message: expect.stringMatching(problem),
      hint: expect.stringContaining('does not seem to speak TLS'),
    });
  });

  it('waits for a deployment that lags, and says what for', async () => {
    cpSync(at('old'), at('live'), { recursive: true, preserveTimestamps: true });
    const told: string[] = [];
    const onWait = (line: string): void => {
      told.push(line);
      rmSync(at('live'), { recursive: true });
      cpSync(at('new'), at('live'), { recursive: true, preserveTimestamps: true });
    };
    const report = await verify(await served('live'), { like: at('new'), wait: '2s' }, { onWait });
    expect(report).toMatchObject({ failed: 0 });
    expect(told).toEqual([expect.stringMatching(/^waiting for http\S+: serves sha256:/)]);
  });

  it.each(['1', '1d', '-1s', 's', '1.5h'])('refuses %s as a time', async (wait) => {
    await expect(verify('http://127.0.0.1:1', { like: 'x', wait })).rejects.toThrow(
      `--wait: got "${wait}", expected a time such as 90s, 10m or 1h`,
    );
  });
});
