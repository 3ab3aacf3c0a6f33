/**
 * A Dockerfile without Docker: reads its instructions and does what they say in folders of its own, one for each stage.
 * Simulated are the base images, of which nothing is there, and `npm ci`, which takes over what is installed already.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** https://docs.docker.com/reference/dockerfile/#format */
const instructionsOf = (text: string): [name: string, rest: string][] =>
  text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = line, rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
      return [name, rest];
    });

export interface DockerBuild {
  /** The project's folder, from which `COPY` takes what .dockerignore lets through. */
  readonly context: string;
  readonly args: Readonly<Record<string, string>>;
  /** Where stages are made. */
  readonly folder: string;
}

/** Builds, and returns the last stage and the images that it and those before it began with. */
export function buildImage({ context, args, folder }: DockerBuild): { root: string; images: string[] } {
  const images: string[] = [];
  const stage = { root: '', workdir: '/', env: {} as Record<string, string> };
  const rootOf = (name: string): string => path.join(folder, `stage-${name}`);
  const inside = (file: string): string =>
    path.join(stage.root, path.posix.resolve('/', stage.workdir, file));

  const perform: Record<string, (text: string) => void> = {
    FROM(text) {
      const [, image = '', name = 'last'] = /^(\S+)(?: AS (\S+))?$/.exec(text) ?? [];
      images.push(image);
      Object.assign(stage, { root: rootOf(name), workdir: '/', env: {} });
      mkdirSync(stage.root);
    },
    WORKDIR(text) {
      mkdirSync(inside(text), { recursive: true });
      stage.workdir = path.posix.resolve(stage.workdir, text);
    },
    ARG(text) {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(text) ?? [];
      stage.env[name] = args[name] ?? value;
    },
    COPY(text) {
      const [, from, rest = text] = /^--from=(\S+) (.*)$/.exec(text) ?? [];
      const isIgnored = from === undefined ? readIgnored(context) : () => false;
      const sources = rest.split(' ');
      const target = sources.pop() ?? '';
      for (const source of sources) {
        const origin = path.join(from === undefined ? context : rootOf(from), source);
        const isInto = target.endsWith('/') && statSync(origin).isFile();
        cpSync(origin, inside(isInto ? target + path.basename(source) : target), {
          recursive: true,
          preserveTimestamps: true,
          filter: (file) => !isIgnored(file),
        });
      }
    },
    RUN(text) {
      if (text.startsWith('npm ci ')) return install(context, inside('.'));
      const { PATH = '', HOME = '' } = process.env;
      const env = { PATH, HOME, ...stage.env };
      execFileSync('sh', ['-c', text], { cwd: inside('.'), env, stdio: ['ignore', 'pipe', 'pipe'] });
    },
    EXPOSE() {},
  };

  for (const [name, rest] of instructionsOf(readFileSync(path.join(context, 'Dockerfile'), 'utf8'))) {
    const action = perform[name];
    if (!action) throw new Error(`${name} is no instruction that this test knows`);
    action(rest);
  }
  return { root: stage.root, images };
}

/** Stands for `npm ci`: the same manifest and lock file have led to what is installed. */
function install(context: string, workdir: string): void {
  for (const file of ['package.json', 'package-lock.json']) {
    if (readFileSync(path.join(workdir, file), 'utf8') !== readFileSync(path.join(context, file), 'utf8'))
      throw new Error(`${file} is not the project's`);
  }
  symlinkSync(path.join(context, 'node_modules'), path.join(workdir, 'node_modules'));
}

/** Patterns of .dockerignore that are names, or names with one star, at the top. */
function readIgnored(context: string): (file: string) => boolean {
  const patterns = readFileSync(path.join(context, '.dockerignore'), 'utf8').trim().split('\n');
  const compiled = patterns.map((pattern) => {
    if (!/^[\w.*-]+$/.test(pattern)) throw new Error(`${pattern} is no pattern that this test knows`);
    return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  });
  return (file) => compiled.some((pattern) => pattern.test(path.relative(context, file)));
}
