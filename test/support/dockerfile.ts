/**
 * A Dockerfile without Docker: reads its instructions and does what they say in folders of its own, one for each stage.
 * Simulated are the base images, of which nothing is there, and `npm ci`, which takes over what is installed already.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** https://docs.docker.com/reference/dockerfile/#format */
export function parseDockerfile(text: string): Instruction[] {
  return text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
      if (name === '') throw new Error(`got ${JSON.stringify(line)}, expected an instruction`);
      return { name, text: rest.trim() };
    });
}

interface Stage {
  readonly image: string;
  /** The stage's file system. */
  readonly root: string;
  workdir: string;
  readonly env: Record<string, string>;
}

export interface DockerBuild {
  /** The project's folder, from which `COPY` takes what .dockerignore lets through. */
  readonly context: string;
  readonly args: Readonly<Record<string, string>>;
  /** Where stages are made. */
  readonly folder: string;
}

/** Builds, and returns the last stage and the images that it and those before it began with. */
export function buildImage({ context, args, folder }: DockerBuild): { root: string; images: string[] } {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;

  const inside = (file: string): string => {
    if (!stage) throw new Error('an instruction before FROM');
    return path.join(stage.root, path.posix.resolve('/', stage.workdir, file));
  };

  const perform: Record<string, (text: string) => void> = {
    FROM(text) {
      const [, image = '', name = String(stages.size)] = /^(\S+)(?: AS (\S+))?$/.exec(text) ?? [];
      const root = path.join(folder, `stage-${name}`);
      mkdirSync(root);
      stage = { image, root, workdir: '/', env: {} };
      stages.set(name, stage);
    },
    WORKDIR(text) {
      mkdirSync(inside(text), { recursive: true });
      if (stage) stage.workdir = path.posix.resolve(stage.workdir, text);
    },
    ARG(text) {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(text) ?? [];
      if (stage) stage.env[name] = args[name] ?? value;
    },
    COPY(text) {
      const [, from, rest = text] = /^--from=(\S+) (.*)$/.exec(text) ?? [];
      const parts = rest.split(' ');
      const target = parts.pop() ?? '';
      for (const source of parts) {
        const origin = from === undefined ? context : stages.get(from)?.root;
        if (origin === undefined) throw new Error(`COPY from unknown stage ${from}`);
        copy(path.join(origin, source), inside(target), {
          into: target.endsWith('/'),
          ignored: from === undefined ? readIgnored(context) : () => false,
        });
      }
    },
    RUN(text) {
      const { PATH = '', HOME = '' } = process.env;
      if (text.startsWith('npm ci ')) return install(context, inside('.'));
      execFileSync('sh', ['-c', text], {
        cwd: inside('.'),
        env: { PATH, HOME, ...stage?.env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    },
    EXPOSE() {},
  };

  for (const { name, text } of parseDockerfile(readFileSync(path.join(context, 'Dockerfile'), 'utf8'))) {
    const action = perform[name];
    if (!action) throw new Error(`${name} is no instruction that this test knows`);
    action(text);
  }
  if (!stage) throw new Error('got no stage');
  return { root: stage.root, images: [...stages.values()].map(({ image }) => image) };
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
function readIgnored(context: string): (name: string) => boolean {
  const patterns = readFileSync(path.join(context, '.dockerignore'), 'utf8').trim().split('\n');
  const compiled = patterns.map((pattern) => {
    if (!/^[\w.*-]+$/.test(pattern)) throw new Error(`${pattern} is no pattern that this test knows`);
    return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  });
  return (name) => compiled.some((pattern) => pattern.test(name));
}

/** A folder's content goes into the target, a file becomes it, or goes into it. */
function copy(
  source: string,
  target: string,
  { into, ignored }: { into: boolean; ignored: (name: string) => boolean },
): void {
  const isFolder = statSync(source).isDirectory();
  if (!isFolder && ignored(path.basename(source))) throw new Error(`${source} is ignored`);
  const names = isFolder ? readdirSync(source).filter((name) => !ignored(name)) : [];
  for (const name of names)
    cpSync(path.join(source, name), path.join(target, name), { recursive: true, preserveTimestamps: true });
  if (isFolder) return;
  const file =
    into || (existsSync(target) && statSync(target).isDirectory())
      ? path.join(target, path.basename(source))
      : target;
  cpSync(source, file, { preserveTimestamps: true });
}
