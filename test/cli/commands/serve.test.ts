import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { command, serve } from '../../../src/cli/commands/serve.ts';
import { createReporter } from '../../../src/cli/reporter.ts';
import { kindNames } from '../../../src/contract/kinds.ts';
import { startServe } from '../../support/engines/serve.ts';
import { oneOfOthers } from '../../support/kinds.ts';
import { startCli } from '../../support/run-cli.ts';
import {
  openSocket,
  publishNewSite,
  publishSite,
  sendTarget,
  serveSite,
  waitUntil,
} from '../../support/serving.ts';
import { temporaryFolder } from '../../support/temporary.ts';

async function startProcess(moves: number) {
  const server = await startServe(await publishNewSite({ moves }), ['--access-log']);
  onTestFinished(() => server.stop());
  return { ...server, port: Number(new URL(server.url).port) };
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
      "Links point to the site's base URL, https://example.test",
      `GET /api/gamedata/move/move-1/?format=api 200 ${body.length} B n ms`,
      'HEAD / 200 0 B n ms',
      'DELETE /nothing 404 23 B n ms',
      '',
    ]);
  });

  it.runIf(existsSync('/proc/self/status'))(
    'uses less than 250 MB even if clients pipeline requests for all records or stop reading',
    async () => {
      const { port, url, child } = await startProcess(2000);
      const request =
        'GET /api/gamedata/move/?limit=100000 HTTP/1.1\r\nHost: x\r\n\r\n';
      const sockets = await Promise.all(
        Array.from({ length: 600 }, () => openSocket(port)),
      );
      // These clients do not read, because reading hundreds of megabytes would take
      // most of the test's time. If the server computed the responses to queued
      // requests, it would use more than the limit even so.
      for (const socket of sockets.slice(0, 10)) {
        socket.pause().write(request.repeat(100));
      }
      for (const socket of sockets.slice(10, 14)) {
        socket.resume().write(request.repeat(3000));
      }
      const otherRequest = request.replace('move', 'item');
      for (const socket of sockets.slice(14)) {
        socket.pause().write(otherRequest.repeat(2));
      }
      // The server reads these requests after those above.
      for (let count = 0; count < 3; count++) {
        const { status } = await fetch(`${url}/api/gamedata/move/?limit=7`);
        expect(status).toBe(200);
      }
      const processStatus = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const [, peakKilobytes] = /VmHWM:\s*(\d+) kB/.exec(processStatus) ?? [];
      expect(Number(peakKilobytes)).toBeLessThan(250_000);
    },
  );

  it('does not listen until the site is complete, and reports only the wait with --quiet', async () => {
    const folder = path.join(temporaryFolder(), 'site');
    const { url, close } = await serveSite();
    await close();
    const { port } = new URL(url);
    const { child, finished } = startCli([
      'serve',
      folder,
      '--port',
      port,
      '--quiet',
    ]);
    let stderr = '';
    child.stderr?.on('data', (text) => {
      stderr += text;
    });
    const isServing = () =>
      fetch(`${url}/meta.json`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect
      .poll(() => stderr, waitUntil('the wait is reported'))
      .toContain('\n');
    expect(await isServing()).toBe(false);
    await publishSite(folder);
    await expect.poll(isServing, waitUntil('the site is served')).toBe(true);
    child.kill('SIGTERM');
    expect(await finished).toEqual({
      code: 0,
      stdout: '',
      stderr: `there is no complete site in ${folder} (the folder does not exist). Waiting for one: run gamedata build --out ${folder} in another terminal, or serve another folder with gamedata serve <dir>.\n`,
    });
  });

  const advise = (port: number) =>
    `Serve the site there with --port ${port}, or build it with --base-url URL`;
  it.each([
    [
      'http://localhost:3000',
      `warning: links point to http://localhost:3000. ${advise(3000)}`,
    ],
    ['http://127.0.0.1', `warning: links point to http://127.0.0.1. ${advise(80)}`],
    [
      'http://[::1]:8080/games',
      `warning: links point to http://[::1]:8080/games. ${advise(8080)}`,
    ],
    ['nowhere', "Links point to the site's base URL, nowhere"],
  ])('describes links to %s', async (baseUrl, line) => {
    const folder = await publishNewSite({ baseUrl });
    const written: string[] = [];
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation(
        (text) => written.push(`${text}`) > 0,
      );
    }
    const reporter = createReporter(process.stderr, { quiet: false });
    const signal = AbortSignal.abort();
    await command.run(
      { options: { port: 0 }, quiet: false, reporter, watchers: {}, signal },
      folder,
    );
    vi.restoreAllMocks();
    const [, url = ''] = /^ {2}(\S+)\/$/m.exec(written.join('')) ?? [];
    expect(written.join('').trim().split('\n').at(-1)?.replace(url, 'URL')).toBe(
      line,
    );
  });

  it("rejects a port in use, another machine's address, and invalid options", async () => {
    const { folder: dir, port } = await serveSite();
    await expect(serve({ dir, port })).rejects.toMatchObject({
      message: `port ${port} on 127.0.0.1: already in use`,
      hint: 'Choose another port with --port (0 picks a free one), as in npm start -- --port 0.',
    });
    for (const [options, message] of [
      [{ port: 65_536 }, '--port: got 65536, expected an integer from 0 to 65535'],
      [
        { listen: 'example.test' },
        '--listen: got "example.test", expected an IP address',
      ],
    ] as const)
      await expect(serve(options)).rejects.toThrow(message);
    await expect(serve({ dir, port: 0, listen: '192.0.2.1' })).rejects.toMatchObject(
      {
        message: 'port 0 on 192.0.2.1: not an address of this machine',
        hint: expect.stringMatching(/^Choose an address/),
      },
    );
  });
});
