/**
 * Runs the refresh unit as systemd does, as an unprivileged user, with a real nginx
 * and an edited configuration.
 */

import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { makeCertificate, missingOpenssl } from '../support/certificate.ts';
import { stateNumber } from '../support/editions.ts';
import { freePort, startProgram } from '../support/engines/process.ts';
import {
  createNginxMain,
  findProgram,
  nginx,
  replaceLines,
} from '../support/engines/web-servers.ts';
import { runProgram } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import { type Answer, tinyUpstream, upstreamOf } from '../support/upstream-data.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const INSTALLED = ['dist', 'public', 'data', 'package.json', 'scripts/gamedata.mjs'];

/** Lists the folders of the packages that gamedata imports, and of their packages. */
function listProductionPackages(): string[] {
  const lock = JSON.parse(
    readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'),
  );
  const folders = Object.keys(lock.packages);
  return folders.filter((folder) => folder !== '' && !lock.packages[folder].dev);
}
const UNIT = readFileSync(
  path.join(ROOT, 'deploy/systemd/gamedata-refresh.service'),
  'utf8',
);
const isRoot = process.getuid?.() === 0;
/** The user `nobody`, who owns no files. */
const USER = 65_534;

const missing = nginx.missing() ?? missingOpenssl();

/**
 * Sets up an upstream with editions, nginx, and the files from docs/OPERATING.md.
 */
async function machine() {
  const answers = tinyUpstream(10);
  // nginx derives ETags from mtime and size.
  Object.assign(answers.item[1] as Answer, { name: 'of-another-size' });
  const upstream = { edition: 1, answers };
  const { url } = await serveUpstream(upstreamOf(answers), {
    stateOf: () => stateNumber(upstream.edition, upstreamOf(upstream.answers)),
  });
  const folder = temporaryFolder();
  const at = (name: string): string => path.join(folder, name);
  const [opt, srv, cache, etc] = [at('opt'), at('srv'), at('cache'), at('etc')];
  for (const name of [
    'opt',
    'srv',
    'cache',
    'etc/conf.d',
    'etc/sites-enabled',
    'bin',
  ])
    mkdirSync(at(name), { recursive: true });
  for (const name of [...INSTALLED, ...listProductionPackages()]) {
    cpSync(path.join(ROOT, name), path.join(opt, name), { recursive: true });
  }
  chmodSync(folder, 0o755);
  if (isRoot) for (const own of [srv, cache]) chownSync(own, USER, USER);

  const { cert, key } = makeCertificate(etc);

  const program = findProgram('nginx') ?? '';
  const args = ['-p', etc, '-e', 'stderr', '-c', path.join(etc, 'nginx.conf')];
  const reload = '[ "$*" = "try-reload-or-restart nginx" ] && exec nginx -s reload';
  for (const [name, line] of [
    ['nginx', `exec ${[program, ...args].join(' ')} "$@"`],
    ['systemctl', reload],
  ])
    writeFileSync(at(`bin/${name}`), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const [port, httpsPort] = [await freePort(), await freePort()];
  const sites = `conf.d/*.conf;\n  include ${etc}/sites-enabled/*`;
  writeFileSync(
    path.join(etc, 'nginx.conf'),
    createNginxMain(etc, 'nobody nogroup', sites),
  );
  // Debian's default site.
  const listening = `listen ${port} default_server; listen [::]:${port} default_server;`;
  writeFileSync(
    path.join(etc, 'sites-enabled/default'),
    `server { ${listening} root ${etc}; server_name _; }\n`,
  );
  const running = await startProgram({
    command: program,
    args,
    url: `http://127.0.0.1:${port}`,
  });
  onTestFinished(running.stop);

  const baseUrl = `https://localhost:${httpsPort}`;
  const settings = {
    source: 'rest',
    upstream: url,
    cache,
    out: path.join(srv, 'site'),
    'base-url': baseUrl,
    host: ['nginx'],
    keep: 5,
  };
  writeFileSync(
    path.join(opt, 'gamedata.config.json'),
    JSON.stringify({ build: settings }),
  );
  const copy = path.join(etc, 'conf.d/gamedata.conf');
  return {
    upstream,
    at,
    opt,
    srv,
    cert,
    key,
    baseUrl,
    port: httpsPort,
    copy,
    edited: '',
  };
}

type Machine = Awaited<ReturnType<typeof machine>>;

/** Adds TLS and another location to a copy of the configuration. */
const withTls = (text: string, { port, cert, key }: Machine): string =>
  replaceLines(text, {
    '    listen 80;\n': `    listen ${port} ssl;\n    ssl_certificate ${cert};\n    ssl_certificate_key ${key};\n`,
    '    listen [::]:80; # For IPv6. Delete this line if the machine has none.\n':
      "    location = /mine { return 200 'mine'; }\n",
  });

/** Runs a line from a unit or document with the test's folders. */
function run(
  { at, opt, srv, cert }: Machine,
  line: string,
  { asRoot = false } = {},
) {
  const command = line
    .replaceAll('/etc/nginx', at('etc'))
    .replaceAll('/opt/gamedata', opt)
    .replaceAll('/srv/gamedata', srv)
    .replace('/usr/bin/env node', process.execPath);
  const privileges = [
    '--reuid',
    String(USER),
    '--regid',
    String(USER),
    '--clear-groups',
  ];
  const asUser = isRoot && !asRoot ? ['setpriv', ...privileges] : [];
  const PATH = [at('bin'), path.dirname(process.execPath), process.env.PATH].join(
    path.delimiter,
  );
  return runProgram([...asUser, 'sh', '-c', command], {
    cwd: opt,
    env: { PATH, HOME: '/nonexistent', NODE_EXTRA_CA_CERTS: cert },
  });
}

/** Accepts data that differs from the bundled data. */
const ACCEPT = '--max-shrink 100 --allow-missing names/en names/fr';

const lineOf = (name: string): string =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(UNIT)?.[1] ?? '';

/** Starts the unit. `ExecStopPost` runs regardless of the result. */
async function refresh(here: Machine, ...more: string[]) {
  const built = await run(here, [lineOf('ExecStart'), ...more].join(' '));
  await run(here, lineOf('ExecStopPost').replace(/^\+-/, ''), { asRoot: true });
  return { ...built, next: built.stderr.match(/(?<=^next: ).*/gm) };
}

const gamedata = (here: Machine, line: string) =>
  run(here, `node scripts/gamedata.mjs ${line}`);
const verify = (here: Machine) =>
  gamedata(here, `verify ${here.baseUrl} --like /srv/gamedata/site --wait 10s`);

/** Checks the contract over HTTPS and the operator's changes. */
async function stillServed(here: Machine): Promise<void> {
  const verified = await verify(here);
  expect(verified.stderr).toMatch(/host nginx: \d+ of \d+ guarantees kept/);
  expect(verified.code, verified.stderr).toBe(0);
  expect((await get(here, '/mine')).stdout).toBe('mine');
  expect(readFileSync(here.copy, 'utf8')).toBe(here.edited);
}

const get = (here: Machine, where: string, ...options: string[]) =>
  run(
    here,
    [
      'curl',
      '-s',
      '--cacert',
      here.cert,
      ...options,
      `'${here.baseUrl}${where}'`,
    ].join(' '),
  );

/** Expects that a slug redirects to another slug as soon as nginx has reloaded. */
function expectRedirect(here: Machine, slug: string, target: string) {
  const print = ['-o', '/dev/null', '-w', "'%{http_code} %{redirect_url}'"];
  const answer = async () =>
    (await get(here, `/api/gamedata/move/${slug}/`, ...print)).stdout;
  const wanted = `301 ${here.baseUrl}/api/gamedata/move/${target}/`;
  return expect.poll(answer).toBe(wanted);
}

it.skipIf(missing)(
  'keeps a manually edited configuration through refreshes and a rollback',
  async () => {
    const here = await machine();
    const { srv, upstream, copy } = here;
    expect(UNIT).toContain('\nUser=gamedata\n');

    // Without a published site, the guard refuses data if it does not have about as
    // many records as the bundled data.
    expect((await refresh(here)).code).toBe(4);
    const first = await refresh(here, ACCEPT);
    expect(first, first.stderr).toMatchObject({
      code: 0,
      next: [expect.stringMatching(/^nginx -s reload {2}# /)],
    });
    const [reload = ''] = first.next ?? [];
    const template = path.join(srv, 'site/_hosts/nginx.conf');
    await run(here, `cp -i ${template} ${copy}`, { asRoot: true });
    here.edited = withTls(readFileSync(copy, 'utf8'), here);
    writeFileSync(copy, here.edited);
    await run(here, reload, { asRoot: true });
    await stillServed(here);

    const same = await refresh(here);
    expect(same).toMatchObject({ code: 0, stdout: '' });
    expect(same.stderr).toMatch(
      /^\S+site: [^\n]* nothing changed, [^\n]*10 moves, 2 items[^\n]*\n$/,
    );
    await stillServed(here);

    upstream.edition++;
    Object.assign(upstream.answers.move[1] as Answer, { name: 'renamed' });
    const renamed = await refresh(here);
    expect(renamed.stderr).toContain('renamed: move/move-2 → renamed\n');
    expect(renamed.next).toEqual([reload]);
    await expectRedirect(here, 'move-2', 'renamed');
    await stillServed(here);

    // The operator rolls back to the first data set.
    const keptNames = readdirSync(path.join(srv, 'site.data'));
    expect(keptNames).toHaveLength(2);
    const keptFolders = keptNames.map((name) => path.join(srv, 'site.data', name));
    const kept = keptFolders.find((folder) => {
      const moves = readFileSync(path.join(folder, 'move.ndjson'), 'utf8');
      return moves.includes('"move-2"');
    });
    const difference = await gamedata(here, `diff /srv/gamedata/site ${kept}`);
    expect(difference.stdout).toMatch(/^1 move renamed\n/);
    const back = await refresh(here, `--source snapshot --upstream ${kept}`);
    expect(back, back.stderr).toMatchObject({ code: 0 });
    await run(here, reload, { asRoot: true });
    await expectRedirect(here, 'renamed', 'move-2');
    await stillServed(here);
  },
);
