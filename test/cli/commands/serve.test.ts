import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../../../src/cli/commands/serve.ts';
import { kindNames } from '../../../src/contract/kinds.ts';
import { startServe } from '../../support/engines/serve.ts';
import { oneOfOthers } from '../../support/kinds.ts';
import { startCli } from '../../support/run-cli.ts';
import {
  openSocket,
  publishNewSite,
  sendTarget,
  serveSite,
  waitUntil,
} from '../../support/serving.ts';

async function startProcess(moves: number) {
  const server = await startServe(await publishNewSite({ moves }), ['--access-log']);
  onTestFinished(() => server.stop());
  return { ...server, port: Number(new URL(server.url).port) };
}

/** Publishes a site, and finds a port on which it can be served. */
async function findFreePort() {
  const { url, port, folder, close } = await serveSite();
  await close();
  const isServing = (): Promise<boolean> =>
    fetch(`${url}/meta.json`).then(
      ({ ok }) => ok,
      () => false,
    );
  return { url, port: `${port}`, folder, isServing };
}

describe('gamedata serve', () => {
  it("prints the site's URL, logs each request, and exits with code 0 on SIGINT", async () => {
    const server = await startProcess(3);
    const body = await (
      await fetch(`${server.url}/api/gamedata/move/move-1/?format=api`)
    ).text();
    await fetch(server.url, { method: 'HEAD' });
    await sendTarget(server.port, '/nothing', 'DELETE');
    server.child.kill('SIGINT');
    expect(await server.finished).toMatchObject({ code: 0 });
    const output = server.output().replaceAll(/[\d.]+ ms$/gm, 'n ms');
    const [title, ...lines] = output.split('\n');
    expect(title).toMatch(
      new RegExp(`^\\S+site: 3 moves, 3 items${oneOfOthers}, served at$`),
    );
    expect(lines).toEqual([
      `  ${server.url}/`,
      ...kindNames.map((kind) => `  ${server.url}/api/gamedata/${kind}/?format=api`),
      `Links lead to https://example.test. To make them lead here: --base-url ${server.url}`,
      `GET /api/gamedata/move/move-1/?format=api 200 ${body.length} B n ms`,
      'HEAD / 200 0 B n ms',
      'DELETE /nothing 404 23 B n ms',
      '',
    ]);
  });

  it.runIf(existsSync('/proc/self/status'))(
    'uses less than 250 MB even if clients keep requesting all records without reading the responses',
    async () => {
      const { port, url, child } = await startProcess(2000);
      const request =
        'GET /api/gamedata/move/?limit=100000 HTTP/1.1\r\nHost: x\r\n\r\n';
      for (let count = 0; count < 200; count++) {
        const socket = await openSocket(port);
        socket.pause().write(request.repeat(1000));
      }
      // The server reads this request after those above.
      const { status } = await fetch(`${url}/api/gamedata/move/?limit=7`);
      expect(status).toBe(200);
      const processStatus = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const [, peakKilobytes] = /VmHWM:\s*(\d+) kB/.exec(processStatus) ?? [];
      expect(Number(peakKilobytes)).toBeLessThan(250_000);
    },
  );

  it('serves links that start with the URL in --base-url', async () => {
    const { folder, port, url } = await findFreePort();
    const server = await startServe(folder, ['--port', port, '--base-url', url]);
    onTestFinished(() => server.stop());
    const response = await fetch(`${url}/api/gamedata/move/move-1/`);
    expect(await response.json()).toMatchObject({
      url: `${url}/api/gamedata/move/move-1/?format=api`,
    });
    expect(server.output()).not.toContain('Links lead to');
  });

  it('prints nothing with --quiet, and listens on $PORT', async () => {
    const { folder, port, isServing } = await findFreePort();
    const env = { PORT: port };
    const { child, finished } = startCli(['serve', folder, '--quiet'], { env });
    await expect.poll(isServing, waitUntil('the site is served')).toBe(true);
    child.kill('SIGTERM');
    expect(await finished).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it("rejects a port in use, another machine's address, and invalid options", async () => {
    const { folder: dir, port } = await serveSite();
    await expect(serve({ dir, port })).rejects.toMatchObject({
      message: `port ${port} on 127.0.0.1: already in use`,
      hint: 'Choose another port, and let links lead to it: --port 4000 --base-url http://127.0.0.1:4000 (after npm start, put -- before these options).',
    });
    await expect(serve({ port: 65_536 })).rejects.toThrow(
      '--port: got 65536, expected number to be <=65535',
    );
    await expect(serve({ dir, port: 0, listen: '192.0.2.1' })).rejects.toMatchObject(
      {
        message: 'port 0 on 192.0.2.1: not an address of this machine',
        hint: expect.stringMatching(/^Choose an address/),
      },
    );
  });
});
