import { spawn } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Kind, kindNames, mapKinds } from '../../src/contract/kinds.ts';
import { everyKind } from './kinds.ts';
import { serveFolder } from './loopback.ts';
import { type Finished, startProcess } from './processes.ts';
import {
  type Answer,
  plainAnswer,
  range,
  type UpstreamData,
  upstreamOf,
} from './upstream-data.ts';
import { startUpstream } from './upstream-server.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const LOOP = fileURLToPath(new URL('command-loop.mjs', import.meta.url));
const KILL_AT = new URL('kill-at.mjs', import.meta.url).href;

interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs gamedata commands. */
export interface Commands {
  run(args: readonly string[], options: CommandOptions): Promise<Finished>;
  /** Ends the process. */
  close(): void;
}

/**
 * Starts a process that runs commands one after another, because starting Node for
 * each command takes longer.
 */
export function startCommands(cli: string): Commands {
  const child = spawn(process.execPath, [LOOP, cli], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(args, { cwd, env = {} }) {
      const request = JSON.stringify({ args, cwd, env });
      child.stdin.write(`${request}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the command ended its process: ${args.join(' ')}`);
      return JSON.parse(value) as Finished;
    },
    close() {
      child.stdin.end();
    },
  };
}

interface KillOptions extends CommandOptions {
  readonly folder: string;
  readonly nth: number;
}

/**
 * Runs a command that is killed right before its n-th rename in a folder. The first one
 * commits the change, and the others move files into place.
 */
export function killAtFile(
  cli: string,
  args: readonly string[],
  { cwd, env = {}, folder, nth }: KillOptions,
): Promise<Finished> {
  const command = [process.execPath, `--import=${KILL_AT}`, cli, ...args];
  const killEnv = {
    ...env,
    KILL_AT: `renameSync:${nth}`,
    KILL_PATHS: `\\.gamedata/\\S+ ${folder}/`,
  };
  return startProcess(command, { cwd, env: killEnv }).finished;
}

type Slugs = Readonly<Record<Kind, ReadonlyMap<number, string>>>;
/** The record at each path, such as `move/1`. */
export type Records = ReadonlyMap<string, string>;

/** One kind's slugs that differ from `<kind>-<id>`; null removes a record. */
type SlugChanges = Readonly<Record<number, string | null>>;

function createSlugs(changes: { [K in keyof Slugs]?: SlugChanges }): Slugs {
  const counts = everyKind({ move: 20, item: 10 }, () => 1);
  return mapKinds((kind) => {
    const slugs = new Map<number, string>();
    for (const id of range(1, counts[kind])) slugs.set(id, `${kind}-${id}`);
    for (const [key, slug] of Object.entries(changes[kind] ?? {})) {
      const id = Number(key);
      if (slug === null) slugs.delete(id);
      else slugs.set(id, slug);
    }
    return slugs;
  });
}

/**
 * Data of an upstream, and the day in January 2026 on which a snapshot captures it.
 */
const variants = {
  plain: { day: 1, slugs: createSlugs({}) },
  renamed: {
    day: 2,
    slugs: createSlugs({ move: { 1: 'first' }, item: { 1: 'ball' } }),
  },
  'renamed-again': {
    day: 4,
    slugs: createSlugs({ move: { 1: 'premier', 2: 'second' }, item: { 1: 'ball' } }),
  },
  swapped: { day: 5, slugs: createSlugs({ move: { 2: 'move-3', 3: 'move-2' } }) },
  taken: { day: 2, slugs: createSlugs({ move: { 1: 'first', 21: 'move-1' } }) },
  grown: {
    day: 4,
    slugs: createSlugs({ move: { 21: 'move-21' }, item: { 11: 'item-11' } }),
  },
  shrunk: {
    day: 2,
    slugs: createSlugs({
      move: { 1: 'first', 19: null, 20: null },
      item: { 10: null },
    }),
  },
  replaced: { day: 5, slugs: createSlugs({ move: { 1: null, 22: 'first' } }) },
} as const;
export type Variant = keyof typeof variants;
export const variantNames = Object.keys(variants) as Variant[];
/** The bundled data, with a history since `renamed`. */
export const BUNDLED = { variant: 'renamed-again', captured: '2026-01-03' } as const;

export function listRecords(name: Variant): Records {
  const records = new Map<string, string>();
  for (const kind of kindNames) {
    for (const [id, slug] of variants[name].slugs[kind]) {
      records.set(`/api/gamedata/${kind}/${slug}/`, `${kind}/${id}`);
    }
  }
  return records;
}

export interface ChangingUpstream {
  readonly url: string;
  /**
   * Assign another variant to change the data in later responses, or refuse all of
   * them.
   */
  readonly now: { variant: Variant; isDown: boolean };
  close(): Promise<void>;
}

/** Starts an upstream whose data tests can change. */
export async function startChangingUpstream(): Promise<ChangingUpstream> {
  const now: ChangingUpstream['now'] = { variant: 'plain', isDown: false };
  const createData = (): UpstreamData => {
    const { slugs } = variants[now.variant];
    const answers = mapKinds((kind) => {
      const ofKind: Answer[] = [];
      for (const [id, name] of slugs[kind]) {
        ofKind.push(plainAnswer(kind, id, { name }));
      }
      return ofKind;
    });
    return upstreamOf(answers);
  };
  const stateOf = () => ({ data: createData() });
  const { url, close } = await startUpstream(createData(), {
    stateOf,
    // A build does not try again after this status.
    fault: (_, response) => now.isDown && Boolean(response.writeHead(400).end()),
  });
  return { url, close, now };
}

export const setDay = (day: string) => ({
  SOURCE_DATE_EPOCH: String(Date.parse(day) / 1000),
});

export const QUICK = ['--no-cache'] as const;

/** A data set in a folder, which commands read as a snapshot. */
interface CapturedData {
  readonly folder: string;
  readonly variant: Variant;
}

/** A site that steps only read. */
interface OtherSite extends CapturedData {
  /** The URL at which a server serves the site. */
  readonly url: string;
  readonly baseUrl: string;
}

/** The inputs of all sequences. */
export interface World {
  readonly folder: string;
  /** The path to the command line of a package with separate bundled data. */
  readonly cli: string;
  readonly data: readonly CapturedData[];
  readonly others: readonly OtherSite[];
  close(): Promise<void>;
}

/**
 * Creates the inputs of all sequences in a folder. First copies the package and
 * replaces its bundled data. Then captures a snapshot of each variant, and two
 * snapshots that follow a rename. Finally, builds the other sites from these
 * snapshots, and keeps serving them until `close`.
 */
export async function createWorld(folder: string): Promise<World> {
  for (const name of ['dist', 'public', 'package.json']) {
    cpSync(path.join(PROJECT, name), path.join(folder, 'package', name), {
      recursive: true,
    });
  }
  const packages = path.join(folder, 'package/node_modules');
  symlinkSync(path.join(PROJECT, 'node_modules'), packages);
  const cli = path.join(folder, 'package/dist/cli.js');
  const commands = startCommands(cli);
  const upstream = await startChangingUpstream();
  const { url, stop } = await serveFolder(path.join(folder, 'sites'));

  async function mustRun(args: readonly string[], env = {}): Promise<void> {
    const { code, stderr } = await commands.run(args, { cwd: folder, env });
    if (code !== 0) {
      throw new Error(`${args.join(' ')}: ended with ${code}: ${stderr}`);
    }
  }

  async function captureOn(
    day: string,
    variant: Variant,
    target: string,
  ): Promise<void> {
    upstream.now.variant = variant;
    const source = ['--source', 'rest', '--upstream', upstream.url, '--no-cache'];
    const command = ['snapshot', ...source, '--max-shrink', '100', '--data', target];
    await mustRun(command, setDay(day));
  }

  /**
   * Captures variants one after another, so that the snapshot has a history of them.
   */
  async function capture(
    target: string,
    ...captured: Variant[]
  ): Promise<CapturedData> {
    for (const variant of captured) {
      await captureOn(`2026-01-0${variants[variant].day}`, variant, target);
    }
    return {
      folder: path.join(folder, target),
      variant: captured.at(-1) ?? 'plain',
    };
  }

  /** Builds a site from variants one after another, so that it has redirects. */
  async function build(
    name: string,
    baseUrl: string,
    ...built: Variant[]
  ): Promise<OtherSite> {
    const out = `sites/${name}`;
    for (const variant of built) {
      const source = ['--source', 'snapshot', '--upstream', `data/${variant}`];
      await mustRun([
        'build',
        ...source,
        ...QUICK,
        '--base-url',
        baseUrl,
        '--out',
        out,
      ]);
    }
    const variant = built.at(-1) ?? 'plain';
    return {
      folder: path.join(folder, out),
      url: `${url}/${name}`,
      baseUrl,
      variant,
    };
  }

  try {
    await capture('package/data', 'renamed');
    await captureOn(BUNDLED.captured, BUNDLED.variant, 'package/data');

    const data: CapturedData[] = [];
    for (const variant of variantNames) {
      data.push(await capture(`data/${variant}`, variant));
    }
    data.push(await capture('data/followed', 'plain', 'renamed', 'renamed-again'));
    data.push(await capture('data/followed-late', 'renamed', 'renamed-again'));

    const others = [
      await build('here', `${url}/here`, 'plain'),
      await build(
        'followed',
        `${url}/followed`,
        'plain',
        'renamed',
        'renamed-again',
      ),
      await build('fresh', `${url}/fresh`, 'renamed-again'),
      await build('shrunk', `${url}/shrunk`, 'shrunk'),
      await build('elsewhere', 'https://elsewhere.test', 'grown'),
    ];
    return { folder, cli, data, others, close: stop };
  } finally {
    commands.close();
    await upstream.close();
  }
}
