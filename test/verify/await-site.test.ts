import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { type VerifyOptions, verify } from '../../src/cli/commands/verify.ts';
import type { DeploymentReport } from '../../src/verify/deployment.ts';
import { deploy } from '../support/deployed.ts';
import { handler } from '../support/engines/engine.ts';
import { deserted } from '../support/local-server.ts';
import { rawRecords } from '../support/sites.ts';
import { smallSource } from '../support/small-data.ts';
import { sharedFolder } from '../support/temporary.ts';

const folder = sharedFolder();
const at = (name: string): string => path.join(folder, name);

/** Builds an old and a new version of a site. */
beforeAll(async () => {
  const options = { baseUrl: 'https://x.test', hosts: ['netlify'] } as const;
  for (const [name, moves] of [
    ['old', 119],
    ['new', 120],
  ] as const) {
    const source = await smallSource(rawRecords(moves, 5), at(`${name}-data`));
    await build({ ...options, ...source, out: at(name) });
  }
});

/** Compares a deployment with the new version of the site. */
async function compare(target: string, options?: Omit<VerifyOptions, 'target'>) {
  const report = await verify({ target, like: at('new'), ...options });
  return report as DeploymentReport;
}

it("checks the guarantees that the site's hosts keep", async () => {
  const { url, stop } = await handler.start(at('new'));
  onTestFinished(stop);
  const { hosts, guarantees, failed } = await compare(url);
  expect({ hosts, failed }).toEqual({ hosts: ['netlify'], failed: 0 });
  const checked = guarantees.map(({ guarantee }) => guarantee);
  expect(checked).toContain('cors');
  // Netlify drops this header.
  expect(checked).not.toContain('allow');
});

it('finds an outdated record even if the manifest is new', async () => {
  const file = path.join(at('mixed'), 'api/gamedata/move/move-8/index.json');
  cpSync(at('new'), at('mixed'), { recursive: true });
  writeFileSync(file, readFileSync(file, 'utf8').replace('Move 8', 'Move 0'));
  const { url, stop } = await handler.start(at('mixed'));
  onTestFinished(stop);
  const { guarantees } = await compare(url);
  const broken = guarantees.filter(({ failures }) => failures.length > 0);
  const problem = expect.stringContaining('"Move 0"');
  const failures = [
    { request: 'GET /api/gamedata/move/move-8/?format=api', problem },
  ];
  expect(broken).toContainEqual(
    expect.objectContaining({ guarantee: 'records', failures }),
  );
});

it.each<[served: string, body: string | undefined, problem: string]>([
  ['a different', '{}', 'a different manifest.json'],
  ['no', undefined, 'no manifest.json'],
])('rejects a deployment with %s manifest', async (_, body, problem) => {
  const { url, faults } = await deploy(at('new'));
  faults.set('manifest.json', (response) =>
    body ? response.end(body) : response.writeHead(404).end(),
  );
  await expect(compare(url)).rejects.toThrow(
    `${url}: does not serve the site in ${at('new')}, because it has ${problem}`,
  );
});

it('waits until the deployment serves the new manifest', async () => {
  const { url, faults, paths } = await deploy(at('new'));
  const oldManifest = readFileSync(path.join(at('old'), 'manifest.json'));
  faults.set('manifest.json', (response) => response.end(oldManifest));
  const onWait = vi.fn(() => {
    expect(new Set(paths())).toEqual(new Set(['manifest.json']));
    faults.clear();
  });
  await compare(url, { wait: '1m', onWait });
  expect(onWait.mock.calls).toEqual([
    [expect.stringMatching(/^waiting: http\S+: does not serve the site in /)],
  ]);
});

it('stops waiting when the time limit is reached or the caller aborts', async () => {
  const url = await deserted();
  await expect(compare(url, { wait: '1s' })).rejects.toThrow(/ECONNREFUSED/);
  const controller = new AbortController();
  const waiting = compare(url, {
    wait: '1h',
    onWait: () => controller.abort(),
    signal: controller.signal,
  });
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});

it.each<[unknown, string]>([
  [{}, 'target: got nothing, expected string'],
  [{ target: 1 }, 'target: got 1, expected string'],
])('verify rejects the options %j', async (options, problem) => {
  const rejected = expect(verify(options as VerifyOptions)).rejects;
  await rejected.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(problem),
  });
});

it.each(['1', '1d', '1.5h'])(
  'verify rejects the value %s for --wait',
  async (wait) => {
    await expect(
      verify({ target: 'http://127.0.0.1:1', like: 'x', wait }),
    ).rejects.toMatchObject({
      code: 'usage',
      message: `--wait: got "${wait}", expected a time such as 90s, 10m or 1h`,
    });
  },
);
