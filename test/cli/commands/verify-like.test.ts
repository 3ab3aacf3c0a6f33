import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/cli/commands/build.ts';
import { verify } from '../../../src/cli/commands/verify.ts';
import { deploy } from '../../support/deployed.ts';
import { serve } from '../../support/engines/serve.ts';
import { rawRecords } from '../../support/sites.ts';
import { smallSource } from '../../support/small-data.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const raw = rawRecords(120, 5);
const changed = {
  ...raw,
  move: raw.move.map((record) => (record.id === 7 ? { ...record, slug: 'seven' } : record)),
};

/** Two editions of a site, each in a folder of its own. */
const folder = sharedFolder();
const at = (name: string): string => path.join(folder, name);
beforeAll(async () => {
  const options = { baseUrl: 'https://x.test', hosts: ['nginx'] } as const;
  await build({ ...options, out: at('old'), ...(await smallSource(raw, at('data'))) });
  await build({ ...options, out: at('new'), ...(await smallSource(changed, at('changed'))) });
});

describe('verify --like', () => {
  it('accepts the very build, and checks what its host supports, for links of its base URL', async () => {
    const { url, stop } = await serve.start(at('new'));
    try {
      const report = await verify(url, { like: at('new') });
      expect(report).toMatchObject({ failed: 0 });
      const checked = 'guarantees' in report ? report.guarantees.map(({ guarantee }) => guarantee) : [];
      expect(checked).toContain('cors');
      // nginx does not serve any limit and offset.
      expect(checked).not.toContain('windows');
    } finally {
      await stop();
    }
  });

  it('rejects another build at once, or after the time, and says what differs', async () => {
    const server = await deploy(at('old'));
    const problem =
      /^http\S+: does not serve the site in \S+new: GET \S+\/meta\.json: got .*manifest\.json: is that of another build/;
    await expect(verify(server.url, { like: at('new') })).rejects.toThrow(problem);
    const started = performance.now();
    await expect(verify(server.url, { like: at('new'), wait: '1s' })).rejects.toThrow(problem);
    expect(performance.now() - started).toBeGreaterThan(900);
  });

  it('rejects one file that is not as it was built, and a deployment that is not there', async () => {
    const server = await deploy(at('new'));
    server.faults.set('meta.json', (response) => response.end('{}'));
    await expect(verify(server.url, { like: at('new') })).rejects.toThrow('meta.json: got 2 bytes, expected');
    server.faults.set('manifest.json', (response) => response.writeHead(404).end());
    await expect(verify(server.url, { like: at('new') })).rejects.toThrow('manifest.json: got 404');
  });

  it('waits for a deployment that lags, and says what for', async () => {
    cpSync(at('old'), at('live'), { recursive: true, preserveTimestamps: true });
    const { url, stop } = await serve.start(at('live'));
    const told: string[] = [];
    try {
      const verified = verify(url, { like: at('new'), wait: '1m' }, { onWait: (line) => told.push(line) });
      await expect.poll(() => told.length, { timeout: 20_000 }).toBeGreaterThan(0);
      rmSync(at('live'), { recursive: true });
      cpSync(at('new'), at('live'), { recursive: true, preserveTimestamps: true });
      expect(await verified).toMatchObject({ failed: 0 });
      expect(told[0]).toMatch(/^waiting for http\S+: GET \S+\/meta\.json: got /);
    } finally {
      await stop();
    }
  }, 60_000);

  it.each(['1', '1d', '-1s', 's', '1.5h'])('refuses %s as a time', async (wait) => {
    await expect(verify('http://127.0.0.1:1', { like: 'x', wait })).rejects.toThrow(
      `--wait: got "${wait}", expected a time such as 90s, 10m or 1h`,
    );
  });
});
