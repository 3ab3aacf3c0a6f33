/**
 * An operator's night: the lines of the refresh's unit, run as systemd runs them, by a user without privileges, beside a real nginx
 * that serves HTTPS.
 */

import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { makeCertificate, missingOpenssl } from '../support/certificate.ts';
import { stateNumber } from '../support/editions.ts';
import { nginx } from '../support/engines/nginx.ts';
import { freePort, startProgram } from '../support/engines/process.ts';
import { findProgram } from '../support/engines/server-program.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { type Answer, moveAnswer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const UNIT = readFileSync(path.join(ROOT, 'deploy/systemd/gamedata-refresh.service'), 'utf8');
const isRoot = process.getuid?.() === 0;
/** Nobody: a user that owns no file of the machine. */
const USER = 65_534;

const missing = nginx.missing() ?? missingOpenssl();

const mainConfiguration = (folder: string): string => `
${isRoot ? 'user nobody nogroup;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr;
events { worker_connections 64; }
http {
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  include ${folder}/conf.d/*.conf;
  include ${folder}/sites-enabled/*;
}
`;

/** What nginx has on a fresh Debian. */
const defaultSite = (folder: string, port: number): string =>
  `server { listen ${port} default_server; listen [::]:${port} default_server; root ${folder}; server_name _; }\n`;

/** The machine: an upstream that is deployed anew now and then, nginx, and what the README tells an operator to set up. */
async function machine({ secure }: { secure: boolean }) {
  const answers = tinyUpstream();
  for (let id = 4; id <= 10; id++) answers.move.push(moveAnswer(id));
  // ETags of nginx are made of time and size.
  Object.assign(answers.item[1] as Answer, { name: 'of-another-size' });
  const upstream = { edition: 1, answers };
  const { url } = await serveUpstream(upstreamOf(answers), {
    stateOf: () => stateNumber(upstream.edition, upstreamOf(upstream.answers)),
  });
  const folder = temporaryFolder();
  const at = (name: string): string => path.join(folder, name);
  const [opt, srv, cache, etc] = [at('opt'), at('srv'), at('cache'), at('etc')];
  for (const name of ['opt', 'srv', 'cache', 'etc/conf.d', 'etc/gamedata.d', 'etc/sites-enabled', 'bin'])
    mkdirSync(at(name), { recursive: true });
  for (const name of ['dist', 'public', 'data', 'deploy', 'package.json'])
    cpSync(path.join(ROOT, name), path.join(opt, name), { recursive: true });
  chmodSync(folder, 0o755);
  if (isRoot) for (const own of [srv, cache]) chownSync(own, USER, USER);

  const { cert, key } = makeCertificate(etc);

  const program = findProgram('nginx') ?? '';
  const args = ['-p', etc, '-e', 'stderr', '-c', path.join(etc, 'nginx.conf')];
  writeFileSync(at('bin/nginx'), `#!/bin/sh\nexec ${[program, ...args].join(' ')} "$@"\n`, { mode: 0o755 });
  const [port, httpsPort] = [await freePort(), await freePort()];
  writeFileSync(path.join(etc, 'nginx.conf'), mainConfiguration(etc));
  writeFileSync(path.join(etc, 'sites-enabled/default'), defaultSite(etc, port));
  const running = await startProgram({ command: program, args, url: `http://127.0.0.1:${port}` });
  onTestFinished(running.stop);
  writeFileSync(path.join(etc, 'gamedata.d/own.conf'), "location = /mine { return 200 'mine'; }\n");

  const baseUrl = secure ? `https://localhost:${httpsPort}` : `http://localhost:${port}`;
  const settings = {
    ...{ source: 'rest', upstream: url, retries: 0, cache, out: path.join(srv, 'site') },
    ...{ 'base-url': baseUrl, host: ['nginx'], verify: true, keep: 5 },
    ...(secure && { 'tls-cert': cert, 'tls-key': key }),
    'on-change': `test ! -e ${at('etc/broken')}`,
  };
  writeFileSync(path.join(opt, 'gamedata.config.json'), JSON.stringify({ build: settings }));
  return { upstream, at, opt, srv, cert, baseUrl, port: httpsPort };
}

type Machine = Awaited<ReturnType<typeof machine>>;

/** A reload is over a moment after nginx has been asked for it. */
const SOON = { timeout: 10_000 };

/** Runs a line of a unit or of the documents where it would run. */
function run({ at, opt, srv, cert }: Machine, line: string, { asRoot = false } = {}) {
  const command = line
    .replaceAll('/etc/nginx', at('etc'))
    .replaceAll('/opt/gamedata', opt)
    .replaceAll('/srv/gamedata', srv)
    .replace('/usr/bin/node', process.execPath);
  const privileges = ['--reuid', String(USER), '--regid', String(USER), '--clear-groups'];
  const [program = '', ...args] = [
    ...(isRoot && !asRoot ? ['setpriv', ...privileges] : []),
    ...['sh', '-c', command],
  ];
  const PATH = [at('bin'), path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
  return runProgram(program, args, {
    cwd: opt,
    env: { PATH, HOME: '/nonexistent', NODE_EXTRA_CA_CERTS: cert },
  });
}

const lineOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(UNIT)?.[1] ?? '';

/** A start of the unit: what follows runs whatever the refresh came to. */
async function refresh(here: Machine, ...more: string[]) {
  const built = await run(here, [lineOf('ExecStart'), ...more].join(' '));
  const after = lineOf('ExecStopPost').replace(/^\+/, '');
  const installed = await run(here, `${after} /etc/nginx/conf.d/gamedata.conf`, { asRoot: true });
  return { built, installed };
}

/** After whatever happened: the contract over HTTPS, the operator's certificate, and their own directives. */
async function stillServed(here: Machine): Promise<void> {
  const { baseUrl, port, cert } = here;
  const verified = await run(here, `node dist/cli.js verify ${baseUrl} --like /srv/gamedata/site --wait 10s`);
  expect(verified.stderr).toMatch(/host nginx: \d+ of \d+ guarantees kept/);
  expect(verified.code, verified.stderr).toBe(0);
  const socket = connect({ host: 'localhost', port, ca: readFileSync(cert), ALPNProtocols: ['h2'] });
  const served = await new Promise<[string, string | false | null]>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('secureConnect', () =>
      resolve([socket.getPeerX509Certificate()?.toString() ?? '', socket.alpnProtocol]),
    );
  });
  socket.destroy();
  expect(served).toEqual([readFileSync(cert, 'utf8'), 'h2']);
  expect((await get(here, '/mine')).stdout).toBe('mine');
}

const get = (here: Machine, where: string, ...options: string[]) =>
  run(here, ['curl', '-s', '--cacert', here.cert, ...options, `'${here.baseUrl}${where}'`].join(' '));

const rename = ({ upstream }: Machine, id: number, name: string): void => {
  upstream.edition++;
  Object.assign(upstream.answers.move.find((move) => move.id === id) as Answer, { name });
};

const redirectOf = async (here: Machine, slug: string): Promise<string> =>
  (await get(here, `/api/gamedata/move/${slug}/`, '-o', '/dev/null', '-w', "'%{http_code} %{redirect_url}'"))
    .stdout;

it.skipIf(missing)(
  'a night survives refreshes with and without changes, refusals, failures and a way back, over HTTPS throughout',
  { timeout: 240_000 },
  async () => {
    const here = await machine({ secure: true });
    const { at, srv, upstream, baseUrl } = here;
    expect(UNIT).toContain('\nUser=gamedata\n');

    // Nothing is published yet: the refresh fails, and nginx is left alone.
    const none = await refresh(here);
    expect(none.built.code).toBe(4);
    expect(none.installed).toMatchObject({ code: 0, stdout: expect.stringContaining('not there yet') });

    const first = await refresh(here, '--max-shrink 100');
    expect(first.built, first.built.stderr).toMatchObject({ code: 0 });
    expect(first.installed).toMatchObject({ code: 0, stdout: 'nginx has been reloaded\n' });
    await stillServed(here);

    const same = await refresh(here);
    expect(same.built).toMatchObject({ code: 0, stdout: '' });
    expect(same.built.stderr).toMatch(/^\S+site: [^\n]* nothing changed, [^\n]*10 moves, 2 items[^\n]*\n$/);
    expect(same.installed).toEqual({ code: 0, stdout: '', stderr: '' });
    await stillServed(here);

    rename(here, 2, 'renamed');
    const renamed = await refresh(here);
    expect(renamed.built.stderr).toContain('moves renamed: move-2 → renamed (id 2)\n');
    expect(renamed.installed).toMatchObject({ code: 0, stdout: 'nginx has been reloaded\n' });
    await expect
      .poll(() => redirectOf(here, 'move-2'), SOON)
      .toBe(`301 ${baseUrl}/api/gamedata/move/renamed/`);
    await stillServed(here);

    const lost = upstream.answers.move.splice(4, 3);
    upstream.edition++;
    const refused = await refresh(here);
    expect(refused.built.code).toBe(4);
    expect(refused.installed).toEqual({ code: 0, stdout: '', stderr: '' });
    upstream.answers.move.splice(4, 0, ...lost);
    await stillServed(here);

    // The command fails: the site is published all the same, and nginx redirects to what it has now.
    writeFileSync(at('etc/broken'), '');
    rename(here, 3, 'another');
    const failed = await refresh(here);
    expect(failed.built.code).toBe(5);
    expect(failed.installed).toMatchObject({ code: 0, stdout: 'nginx has been reloaded\n' });
    await expect
      .poll(() => redirectOf(here, 'move-3'), SOON)
      .toBe(`301 ${baseUrl}/api/gamedata/move/another/`);
    rmSync(at('etc/broken'));
    await stillServed(here);

    // A way back: the archive before the last one, which says how it differs, and passes.
    const archives = readdirSync(path.join(srv, 'site-archives')).sort();
    expect(archives).toHaveLength(3);
    const archive = `/srv/gamedata/site-archives/${archives.at(-2)}`;
    expect((await run(here, `node dist/cli.js verify ${archive}`)).stderr).toContain('no problems found');
    const difference = await run(here, `node dist/cli.js diff /srv/gamedata/site ${archive}`);
    expect(difference.stdout).toMatch(/^1 move renamed\n/);
    const back = await run(here, `node dist/cli.js mirror ${archive} /srv/gamedata/site`);
    expect(back, back.stderr).toMatchObject({ code: 0 });
    const install =
      '/opt/gamedata/deploy/systemd/install-nginx /srv/gamedata/site /etc/nginx/conf.d/gamedata.conf';
    expect(await run(here, install, { asRoot: true })).toMatchObject({ stdout: 'nginx has been reloaded\n' });
    await expect.poll(() => redirectOf(here, 'another'), SOON).toBe('404 ');
    await stillServed(here);

    // What nginx rejects is taken back, and tried again.
    const conf = readFileSync(at('etc/conf.d/gamedata.conf'), 'utf8');
    writeFileSync(at('etc/gamedata.d/own.conf'), 'nonsense;\n');
    const rejected = await refresh(here, '--fallback http://127.0.0.1:1');
    expect(rejected.installed).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.installed.stderr).toContain('unknown directive "nonsense"');
    expect(readFileSync(at('etc/conf.d/gamedata.conf'), 'utf8')).toBe(conf);
    writeFileSync(at('etc/gamedata.d/own.conf'), "location = /mine { return 200 'mine'; }\n");
    expect((await refresh(here)).installed).toMatchObject({ code: 0, stdout: 'nginx has been reloaded\n' });
    await stillServed(here);
    expect(existsSync(at('etc/conf.d/gamedata.conf.former'))).toBe(false);
  },
);

it.skipIf(missing)(
  "Debian's default site answers malformed URLs until it is removed, as verify says",
  async () => {
    const here = await machine({ secure: false });
    expect((await refresh(here, '--max-shrink 100')).installed.stdout).toBe('nginx has been reloaded\n');
    const verify = () =>
      run(here, `node dist/cli.js verify ${here.baseUrl} --like /srv/gamedata/site --wait 10s`);
    const before = await verify();
    expect(before.code, before.stderr).toBe(1);
    expect(before.stderr).toContain('malformed paths');
    const removal = /Debian's default site.*`(rm [^`]+)`/.exec(
      readFileSync(path.join(ROOT, 'docs/OPERATING.md'), 'utf8'),
    );
    await run(here, `${removal?.[1]} && nginx -s reload`, { asRoot: true });
    await expect.poll(async () => (await verify()).code, SOON).toBe(0);
  },
);
