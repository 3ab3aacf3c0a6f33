import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { verify } from '../../src/cli/commands/verify.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { nginx } from '../support/engines/web-servers.ts';
import { temporaryFolder } from '../support/temporary.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(path.join(PROJECT, file), 'utf8');
const text = read('Dockerfile').replaceAll(/\\\n\s*/g, '');
const findAll = (instruction: string): string[] =>
  [...text.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(([, rest = '']) => rest);

/** Lists the names that .dockerignore does not exclude. */
function listContext(): string[] {
  const patterns = read('.dockerignore')
    .trim()
    .replaceAll('.', '\\.')
    .replaceAll('*', '.*')
    .split('\n');
  return readdirSync(PROJECT).filter(
    (name) => !patterns.some((one) => new RegExp(`^${one}$`).test(name)),
  );
}

/** Runs the commands of the build stage without Docker. */
it.skipIf(nginx.missing())('builds an image whose nginx meets every guarantee', async () => {
  const build = expect.stringMatching(/^--platform=\$BUILDPLATFORM node:2[024]-slim AS build$/);
  expect(findAll('FROM')).toEqual([build, 'nginxinc/nginx-unprivileged:stable']);
  // Only root may bind a port below 1024.
  expect([findAll('USER'), findAll('EXPOSE')]).toEqual([['101'], ['8080']]);
  expect(findAll('COPY')).toEqual([
    'package.json package-lock.json .npmrc ./',
    '. .',
    '--from=build /app/site /srv/gamedata',
    '--from=build /app/nginx.conf /etc/nginx/conf.d/default.conf',
    '--from=build /app/health /srv/health',
  ]);
  const app = temporaryFolder();
  for (const name of listContext())
    cpSync(path.join(PROJECT, name), path.join(app, name), { recursive: true });
  const [install, ...commands] = findAll('RUN');
  expect(install).toBe('npm ci --ignore-scripts');
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(app, 'node_modules'));
  const { PATH = '', HOME = '' } = process.env;
  const args = { BASE_URL: 'https://example.test/games', SOURCE: 'snapshot', SPRITES: 'none' };
  const names = findAll('ARG').map((argument) => argument.split('=')[0]);
  expect(names.sort()).toEqual(Object.keys(args));
  for (const command of commands)
    execFileSync('sh', ['-c', command], { cwd: app, env: { PATH, HOME, ...args }, stdio: 'pipe' });

  const site = path.join(app, 'site');
  expect(verifyFolder(site)).toMatchObject({ counts: { move: 746, item: 954 }, problems: [] });
  const configuration = readFileSync(path.join(app, 'nginx.conf'), 'utf8');
  const generated = readFileSync(path.join(site, '_hosts/nginx.conf'), 'utf8');
  expect(configuration).toBe(
    generated.replace(/^ *listen \[::\]:80;.*\n/m, '').replace('listen 80;', 'listen 8080;'),
  );
  expect(configuration).toContain("root '/srv/gamedata';");

  const running = await nginx.start(site);
  try {
    const report = await verify({ target: running.url, linkBase: 'https://example.test/games' });
    expect(report).toMatchObject({ failed: 0, counts: { move: 746, item: 954 } });
    const check = (findAll('HEALTHCHECK')[0] ?? '')
      .replace('http://127.0.0.1:8080', new URL(running.url).origin)
      .replace('/srv/health', path.join(app, 'health'))
      .replace('CMD ', '');
    expect(spawnSync('sh', ['-c', check])).toMatchObject({ status: 0 });
    rmSync(path.join(site, 'meta.json'));
    await expect.poll(() => spawnSync('sh', ['-c', check]).status).not.toBe(0);
  } finally {
    await running.stop();
  }
});
