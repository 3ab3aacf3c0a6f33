import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { verify } from '../../src/cli/commands/verify.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { nginx } from '../support/engines/nginx.ts';
import { temporaryFolder } from '../support/temporary.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(path.join(PROJECT, file), 'utf8');
const text = read('Dockerfile').replaceAll(/\\\n\s*/g, '');
/** What follows an instruction, each time it is there. */
const all = (instruction: string): string[] =>
  [...text.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map(([, rest = '']) => rest);

/** What .dockerignore lets through: its patterns are names, or names with a star, at the top. */
function context(): string[] {
  const patterns = read('.dockerignore').trim().replaceAll('.', '\\.').replaceAll('*', '.*').split('\n');
  return readdirSync(PROJECT).filter((name) => !patterns.some((one) => new RegExp(`^${one}$`).test(name)));
}

/** Without Docker: runs the commands of the stage that builds, in a folder of what is copied there. */
it.skipIf(nginx.missing())(
  'the Dockerfile makes an image whose nginx keeps every guarantee that is promised there',
  async () => {
    expect(all('FROM')).toEqual([expect.stringMatching(/^node:2[024]-slim AS build$/), 'nginx:stable']);
    expect(all('COPY')).toEqual([
      'package.json package-lock.json ./',
      '. .',
      '--from=build /app/site /srv/gamedata',
      '--from=build /app/nginx.conf /etc/nginx/conf.d/default.conf',
    ]);
    const app = temporaryFolder();
    for (const name of context()) cpSync(path.join(PROJECT, name), path.join(app, name), { recursive: true });
    const [install, ...commands] = all('RUN');
    expect(install).toBe('npm ci --ignore-scripts');
    symlinkSync(path.join(PROJECT, 'node_modules'), path.join(app, 'node_modules'));
    const { PATH = '', HOME = '' } = process.env;
    const defaults = Object.fromEntries(all('ARG').map((argument) => argument.split('=')));
    const args = { SOURCE: 'snapshot', BASE_URL: 'https://example.test', SPRITES: 'none' };
    expect(Object.keys(defaults).sort()).toEqual(Object.keys(args).sort());
    for (const command of commands)
      execFileSync('sh', ['-c', command], { cwd: app, env: { PATH, HOME, ...args }, stdio: 'pipe' });

    const site = path.join(app, 'site');
    expect(verifyFolder(site)).toMatchObject({ counts: { move: 746, item: 954 }, problems: [] });
    const configuration = readFileSync(path.join(app, 'nginx.conf'), 'utf8');
    expect(configuration).toBe(readFileSync(path.join(site, '_hosts/nginx.conf'), 'utf8'));
    expect(configuration).toContain("root '/srv/gamedata';");
    expect(configuration).toContain('listen 80;');

    const running = await nginx.start(site);
    try {
      const report = await verify(running.url, { linkBase: 'https://example.test' });
      expect(report).toMatchObject({ failed: 0, counts: { move: 746, item: 954 } });
    } finally {
      await running.stop();
    }
  },
);
