import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ServeProcess, startServe } from '../support/engines/serve.ts';
import { runCli, startCli } from '../support/run-cli.ts';
import { getRaw, openSocket, PAGE, publishSite, readAll, serveSite } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary.ts';

const large = { path: 'large.bin', body: new Uint8Array(20_000_000).fill(7) };

async function startProcess(args: readonly string[] = []): Promise<ServeProcess & { port: number }> {
  const folder = path.join(temporaryFolder(), 'site');
  await publishSite(folder, { extras: [PAGE, large] });
  const server = await startServe(folder, args);
  onTestFinished(() => server.stop());
  return { ...server, port: Number(new URL(server.url).port) };
}

describe('gamedata serve', () => {
  it('prints where the site is served', async () => {
    const server = await startProcess();
    await setTimeout(50);
    expect(server.output().split('\n').slice(1)).toEqual([
      `  ${server.url}/`,
      `  ${server.url}/api/gamedata/move/?format=api`,
      `  ${server.url}/api/gamedata/item/?format=api`,
      "Links point to the site's base URL, https://example.test",
      '',
    ]);
    expect(server.output()).toMatch(/^\S+site: 3 moves, 3 items, served at\n/);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends on %s with exit code 0', async (name) => {
    const server = await startProcess();
    await fetch(`${server.url}/meta.json`);
    server.signal(name);
    expect(await server.exited).toBe(0);
  });

  it('ends what it is sending before it ends itself', async () => {
    const server = await startProcess();
    const socket = await openSocket(server.port);
    socket.write('GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    server.signal('SIGTERM');
    await setTimeout(300);
    const answer = await readAll(socket);
    expect(answer.length - answer.indexOf('\r\n\r\n') - 4).toBe(large.body.length);
    expect(await server.exited).toBe(0);
  });

  it('logs each request on a line of its own, if asked to', async () => {
    const server = await startProcess(['--access-log']);
    const body = await (await fetch(`${server.url}/api/gamedata/move/move-1/?format=api`)).text();
    await fetch(`${server.url}/large.bin`, { method: 'HEAD' });
    await getRaw(server.port, '/nothing', 'DELETE');
    await server.stop();
    const lines = server.output().split('\n').slice(5, -1);
    expect(lines.map((line) => line.replace(/[\d.]+ ms$/, 'n ms'))).toEqual([
      `GET /api/gamedata/move/move-1/?format=api 200 ${body.length} B n ms`,
      'HEAD /large.bin 200 0 B n ms',
      'DELETE /nothing 404 23 B n ms',
    ]);
  });

  it('says nothing else than problems with --quiet', async () => {
    const folder = path.join(temporaryFolder(), 'site');
    await publishSite(folder);
    const { child, finished } = startCli(['serve', folder, '--port', '0', '--quiet']);
    await setTimeout(1000);
    child.kill('SIGTERM');
    expect(await finished).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it.each<[string, (folder: string) => unknown]>([
    ['that is missing', () => {}],
    ['that is empty', (folder) => mkdirSync(folder)],
    ['that is a file', (folder) => writeFileSync(folder, '')],
    ['without a manifest', (folder) => publishSite(folder).then(() => rmSync(`${folder}/manifest.json`))],
  ])('rejects a folder %s', async (_, make) => {
    const folder = path.join(temporaryFolder(), 'site');
    await make(folder);
    const { code, stderr } = await runCli(['serve', folder, '--port', '0']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `error: ${folder}: is not a built site\nhint: Build one with gamedata build, or name its folder: gamedata serve <dir>.\n`,
    });
  });

  it('says so if its port is taken, or its address is none of this machine', async () => {
    const { folder, port } = await serveSite();
    const taken = await runCli(['serve', folder, '--port', String(port)]);
    expect({ code: taken.code, stderr: taken.stderr }).toEqual({
      code: 1,
      stderr: `error: 127.0.0.1 port ${port}: is already in use\nhint: Stop the other program, or choose another port with --port (0 picks a free one).\n`,
    });
    const foreign = await runCli(['serve', folder, '--port', '0', '--listen', '192.0.2.1']);
    expect(foreign.code).toBe(1);
    expect(foreign.stderr).toMatch(/^error: 192\.0\.2\.1 port 0: is not an address of this machine\nhint: /);
  });

  it.each([
    [['--port', 'http'], /argument 'http' is invalid/],
    [['--port', '65536'], /--port: got 65536, expected an integer from 0 to 65535/],
    [['--port', '1.5'], /--port: got 1.5/],
    [['--listen', 'example.test'], /--listen: got "example.test", expected an IP address/],
    [['--listen', ''], /--listen: got ""/],
    [['a', 'b'], /too many arguments/],
  ])('rejects %j with exit code 2', async (args, problem) => {
    const { code, stderr } = await runCli(['serve', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(problem);
    expect(stderr).toMatch(/usage: gamedata serve /);
  });
});
