import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { verify } from '../../src/cli/commands/verify.ts';
import { verifyFolder } from '../../src/verify/folder.ts';
import { nginx } from '../support/engines/web-servers.ts';
import { sharedFolder } from '../support/temporary.ts';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string =>
  readFileSync(path.join(PROJECT, file), 'utf8');

/** A line of the Dockerfile, such as `COPY . .`. */
interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Reads the instructions of each stage. A stage starts with FROM. */
function readStages(): Instruction[][] {
  const stages: Instruction[][] = [];
  const lines = read('Dockerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines) {
    if (line === '' || line.startsWith('#')) continue;
    const [name = ''] = line.split(' ');
    const instruction = { name, rest: line.slice(name.length + 1) };
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push(instruction);
  }
  return stages;
}

/** Installing every dependency takes minutes on a busy machine. */
const BUILD_TIMEOUT_MS = 600_000;

const [buildStage = [], imageStage = []] = readStages();
const findAll = (stage: Instruction[], name: string): string[] =>
  stage.filter((instruction) => instruction.name === name).map(({ rest }) => rest);

/**
 * Lists the top-level names that `docker build` can copy. As in Docker, the last
 * pattern that matches a name decides, and a pattern that starts with an exclamation
 * mark is an exception.
 */
function listContext(): string[] {
  const lines = read('.dockerignore').trim().split('\n');
  // This imitation of Docker lists only the outermost names. A work folder is always
  // inside another folder.
  const patterns = lines.filter((line) => line !== '**/.gamedata/');
  expect(patterns.filter((pattern) => pattern.includes('/'))).toEqual([]);
  return readdirSync(PROJECT).filter((name) => {
    let isIgnored = false;
    for (const pattern of patterns) {
      const glob = pattern
        .replace(/^!/, '')
        .replaceAll('.', '\\.')
        .replaceAll('*', '.*');
      if (new RegExp(`^${glob}$`).test(name)) isIgnored = !pattern.startsWith('!');
    }
    return !isIgnored;
  });
}

/**
 * Runs a command as a build step, with npm's own cache, because tests need no
 * internet.
 */
function runStep(
  command: string,
  cwd: string,
  args: Readonly<Record<string, string>>,
): void {
  const needed = /^(?:PATH|HOME|npm_config_cache|NODE_EXTRA_CA_CERTS|\w+_proxy)$/i;
  const inherited = Object.entries(process.env).filter(([name]) =>
    needed.test(name),
  );
  const env = {
    ...Object.fromEntries(inherited),
    npm_config_prefer_offline: 'true',
    ...args,
  };
  execFileSync('sh', ['-c', command], { cwd, env, stdio: 'pipe' });
}

it('the default base URL contains the port that the container exposes', () => {
  const [baseUrl = ''] = findAll(buildStage, 'ARG').filter((rest) =>
    rest.startsWith('BASE_URL='),
  );
  const { port } = new URL(baseUrl.replace('BASE_URL=', ''));
  // Only root may bind a port below 1024.
  expect(findAll(imageStage, 'USER')).toEqual(['101']);
  expect(findAll(imageStage, 'EXPOSE')).toEqual([port]);
});

describe.skipIf(nginx.missing())('the image', () => {
  const args = {
    BASE_URL: 'https://example.test/games',
    SOURCE: 'snapshot',
    SPRITES: 'none',
  };
  const app = sharedFolder();
  const site = path.join(app, 'site');

  /**
   * Runs every instruction of the build stage, in order, with the files from the
   * context.
   */
  beforeAll(() => {
    const context = listContext();
    for (const { name, rest } of buildStage) {
      if (name === 'RUN') runStep(rest, app, args);
      if (name !== 'COPY') continue;
      const sources = rest.split(' ').slice(0, -1);
      const names = sources.includes('.') ? context : sources;
      for (const source of names.filter((one) => context.includes(one))) {
        cpSync(path.join(PROJECT, source), path.join(app, source), {
          recursive: true,
        });
      }
    }
  }, BUILD_TIMEOUT_MS);

  it('contains the site and the configuration for port 8080', async () => {
    const argumentNames = findAll(buildStage, 'ARG').map(
      (argument) => argument.split('=')[0],
    );
    expect(argumentNames.sort()).toEqual(Object.keys(args));
    expect(findAll(imageStage, 'COPY')).toEqual([
      '--from=build /app/site /srv/gamedata',
      '--from=build /app/nginx.conf /etc/nginx/conf.d/default.conf',
      '--from=build /app/health /srv/health',
    ]);
    expect(await verifyFolder(site)).toMatchObject({
      counts: { move: 746, item: 954 },
      problems: [],
    });
    const configuration = readFileSync(path.join(app, 'nginx.conf'), 'utf8');
    const generated = readFileSync(path.join(site, '_hosts/nginx.conf'), 'utf8');
    const withoutIpv6 = generated.replaceAll(/^ {4}listen \[::\].*\n/gm, '');
    expect(configuration).toBe(withoutIpv6.replace('listen 80;', 'listen 8080;'));
    expect(configuration).toMatch(/^ {4}listen 8080;$/m);
    expect(configuration).toContain("root '/srv/gamedata';");
  });

  it('passes every check of `verify` for nginx', async () => {
    const running = await nginx.start(site);
    try {
      const report = await verify({ target: running.url, like: site });
      expect(report).toMatchObject({ failed: 0, counts: { move: 746, item: 954 } });
    } finally {
      await running.stop();
    }
  });

  it('reports an unhealthy container if nginx does not serve the site', async () => {
    const running = await nginx.start(site);
    try {
      const check = (findAll(imageStage, 'HEALTHCHECK')[0] ?? '')
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
});
