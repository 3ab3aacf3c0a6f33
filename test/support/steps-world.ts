import { spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Kind, kindNames, mapKinds } from '../../src/contract/kinds.ts';
import { everyKind } from './kinds.ts';
import { serveFolder } from './loopback.ts';
import { type Finished, startProcess } from './processes.ts';
import { plainAnswer, range, upstreamOf } from './upstream-data.ts';
import { startUpstream } from './upstream-server.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const LOOP = fileURLToPath(new URL('command-loop.mjs', import.meta.url));
const KILL_AT = new URL('../torture/kill-at.mjs', import.meta.url).href;

type CommandOptions = { readonly cwd: string; readonly env?: Readonly<Record<string, string>> };

export type Commands = ReturnType<typeof startCommands>;

/** Runs commands one after the other in one process. */
export function startCommands(cli: string) {
  const child = spawn(process.execPath, [LOOP, cli], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(args: readonly string[], { cwd, env = {} }: CommandOptions): Promise<Finished> {
      child.stdin.write(`${JSON.stringify({ args, cwd, env })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the command ended its process: ${args.join(' ')}`);
      return JSON.parse(value) as Finished;
    },
    close: () => void child.stdin.end(),
  };
}

/** Runs a command that is killed right before it moves the n-th file into a folder. */
export const killAtFile = (
  cli: string,
  args: readonly string[],
  { cwd, env = {}, folder, nth }: CommandOptions & { folder: string; nth: number },
): Promise<Finished> =>
  startProcess([process.execPath, `--import=${KILL_AT}`, cli, ...args], {
    cwd,
    env: {
      ...env,
      KILL_AT: `renameSync:${nth}`,
      KILL_PATHS: `gamedata-staging/site/\\S+ ${folder}/`,
    },
  }).finished;

type Slugs = Readonly<Record<Kind, ReadonlyMap<number, string>>>;
/** Path → record, such as `move/1`. */
export type Records = ReadonlyMap<string, string>;

/** @param changes id → another slug, or null for a removed record */
function createSlugs(changes: { [K in keyof Slugs]?: Record<number, string | null> }): Slugs {
  const counts = everyKind({ move: 20, item: 10 }, () => 1);
  return mapKinds((kind) => {
    const plain = Object.fromEntries(range(1, counts[kind]).map((id) => [id, `${kind}-${id}`]));
    const slugs = Object.entries<string | null>({ ...plain, ...changes[kind] });
    return new Map(
      slugs.flatMap(([id, slug]) => (slug === null ? [] : [[Number(id), slug] as const])),
    );
  });
}

/** Data of an upstream, and the day in January 2026 on which a snapshot captures it. */
const variants = {
  plain: { day: 1, slugs: createSlugs({}) },
  renamed: { day: 2, slugs: createSlugs({ move: { 1: 'first' }, item: { 1: 'ball' } }) },
  'renamed-again': {
    day: 4,
    slugs: createSlugs({ move: { 1: 'premier', 2: 'second' }, item: { 1: 'ball' } }),
  },
  swapped: { day: 5, slugs: createSlugs({ move: { 2: 'move-3', 3: 'move-2' } }) },
  taken: { day: 2, slugs: createSlugs({ move: { 1: 'first', 21: 'move-1' } }) },
  grown: { day: 4, slugs: createSlugs({ move: { 21: 'move-21' }, item: { 11: 'item-11' } }) },
  shrunk: {
    day: 2,
    slugs: createSlugs({ move: { 1: 'first', 19: null, 20: null }, item: { 10: null } }),
  },
  replaced: { day: 5, slugs: createSlugs({ move: { 1: null, 22: 'first' } }) },
} as const;
export type Variant = keyof typeof variants;
export const variantNames = Object.keys(variants) as Variant[];
/** The bundled data, with a history since `renamed`. */
export const BUNDLED = { variant: 'renamed-again', captured: '2026-01-03' } as const;

export const listRecords = (name: Variant): Records =>
  new Map(
    kindNames.flatMap((kind) =>
      Array.from(variants[name].slugs[kind], ([id, slug]) => [
        `/api/gamedata/${kind}/${slug}/`,
        `${kind}/${id}`,
      ]),
    ),
  );

/** Starts an upstream whose data tests can change. */
export async function startChangingUpstream() {
  const now: { variant: Variant } = { variant: 'plain' };
  const createData = () => {
    const { slugs } = variants[now.variant];
    const answer = (kind: Kind) =>
      Array.from(slugs[kind], ([id, name]) => plainAnswer(kind, id, { name }));
    return upstreamOf(mapKinds(answer));
  };
  const { url, close } = await startUpstream(createData(), {
    stateOf: () => ({ data: createData() }),
  });
  return { url, close, now };
}

export const DEAD = 'http://127.0.0.1:1/api/v2';

export const setDay = (day: string) => ({ SOURCE_DATE_EPOCH: String(Date.parse(day) / 1000) });

export const QUICK = ['--no-downloads', '--no-cache', '--retries', '0'] as const;

export type World = Awaited<ReturnType<typeof createWorld>>;

/**
 * Creates the inputs of all sequences: snapshots, other sites in folders and on a server, and a
 * package with bundled data.
 */
export async function createWorld(folder: string) {
  for (const name of ['dist', 'public', 'package.json'])
    cpSync(path.join(PROJECT, name), path.join(folder, 'package', name), { recursive: true });
  const cli = path.join(folder, 'package/dist/cli.js');
  const commands = startCommands(cli);
  const upstream = await startChangingUpstream();
  const { url, stop } = await serveFolder(path.join(folder, 'sites'));
  const mustRun = async (args: readonly string[], env = {}): Promise<void> => {
    const { code, stderr } = await commands.run(args, { cwd: folder, env });
    if (code !== 0) throw new Error(`${args.join(' ')}: ended with ${code}: ${stderr}`);
  };
  const capture = async (target: string, ...taken: { variant: Variant; captured?: string }[]) => {
    for (const { variant, captured = `2026-01-0${variants[variant].day}` } of taken) {
      upstream.now.variant = variant;
      const args = `snapshot --source rest --upstream ${upstream.url} --no-cache --max-shrink 100 --data ${target}`;
      await mustRun(args.split(' '), setDay(captured));
    }
    return { folder: path.join(folder, target), variant: taken.at(-1)?.variant ?? 'plain' };
  };
  const build = async (name: string, baseUrl: string, ...built: Variant[]) => {
    const out = `sites/${name}`;
    for (const variant of built) {
      const args = ['build', '--source', 'snapshot', '--upstream', `data/${variant}`, ...QUICK];
      await mustRun([...args, '--base-url', baseUrl, '--out', out]);
    }
    const variant = built.at(-1) ?? 'plain';
    return { folder: path.join(folder, out), url: `${url}/${name}`, baseUrl, variant };
  };
  try {
    await capture('package/data', { variant: 'renamed' }, BUNDLED);
    const data = [];
    for (const variant of variantNames) data.push(await capture(`data/${variant}`, { variant }));
    const followed = (['plain', 'renamed', 'renamed-again'] as const).map((variant) => ({
      variant,
    }));
    data.push(await capture('data/followed', ...followed));
    data.push(await capture('data/followed-late', ...followed.slice(1)));
    const others = [
      await build('here', `${url}/here`, 'plain'),
      await build('followed', `${url}/followed`, 'plain', 'renamed', 'renamed-again'),
      await build('fresh', `${url}/fresh`, 'renamed-again'),
      await build('shrunk', `${url}/shrunk`, 'shrunk'),
      await build('elsewhere', 'https://elsewhere.test', 'grown'),
    ];
    const provenance = readFileSync(path.join(folder, 'package/data/provenance.json'), 'utf8');
    const bundled = { digest: JSON.parse(provenance).digest as string, captured: BUNDLED.captured };
    return { folder, cli, data, others, bundled, close: stop };
  } finally {
    commands.close();
    await upstream.close();
  }
}
