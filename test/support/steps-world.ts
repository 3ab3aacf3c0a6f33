/** Where steps are taken: data sets that differ by what an upstream does to slugs, and sites of them, in folders and deployed. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Kind, kindNames, mapKinds } from '../../src/contract/kinds.ts';
import { type Commands, installPackage, startCommands } from './installed.ts';
import { everyKind } from './kinds.ts';
import { serveFolder } from './loopback.ts';
import { plainAnswer, range, type UpstreamData, upstreamOf } from './upstream-data.ts';
import { startUpstream } from './upstream-server.ts';

type Slugs = Readonly<Record<Kind, ReadonlyMap<number, string>>>;
/** Path → record, as `move/1`. */
export type Records = ReadonlyMap<string, string>;

/** @param changes id → another slug, or null for a record that is gone */
function variant(changes: { [K in keyof Slugs]?: Record<number, string | null> }): Slugs {
  const counts = everyKind({ move: 20, item: 10 }, () => 1);
  return mapKinds((kind) => {
    const plain = Object.fromEntries(range(1, counts[kind]).map((id) => [id, `${kind}-${id}`]));
    const slugs = Object.entries<string | null>({ ...plain, ...changes[kind] });
    return new Map(slugs.flatMap(([id, slug]) => (slug === null ? [] : [[Number(id), slug] as const])));
  });
}

/** What an upstream has, and the day in January 2026 on which a snapshot of it is taken. */
const variants = {
  plain: { day: 1, slugs: variant({}) },
  renamed: { day: 2, slugs: variant({ move: { 1: 'first' }, item: { 1: 'ball' } }) },
  'renamed-again': { day: 4, slugs: variant({ move: { 1: 'premier', 2: 'second' }, item: { 1: 'ball' } }) },
  swapped: { day: 5, slugs: variant({ move: { 2: 'move-3', 3: 'move-2' } }) },
  taken: { day: 2, slugs: variant({ move: { 1: 'first', 21: 'move-1' } }) },
  grown: { day: 4, slugs: variant({ move: { 21: 'move-21' }, item: { 11: 'item-11' } }) },
  shrunk: { day: 2, slugs: variant({ move: { 1: 'first', 19: null, 20: null }, item: { 10: null } }) },
  replaced: { day: 5, slugs: variant({ move: { 1: null, 22: 'first' } }) },
} as const;
export type Variant = keyof typeof variants;
export const variantNames = Object.keys(variants) as Variant[];
/** What the package of the world comes with, with a history since `renamed`, and the day on which it was captured. */
export const BUNDLED = { variant: 'renamed-again', captured: '2026-01-03' } as const;

export const recordsOf = (name: Variant): Records =>
  new Map(
    kindNames.flatMap((kind) =>
      [...variants[name].slugs[kind]].map(([id, slug]) => [
        `/api/gamedata/${kind}/${slug}/`,
        `${kind}/${id}`,
      ]),
    ),
  );

export function upstreamData(name: Variant): UpstreamData {
  const { slugs } = variants[name];
  return upstreamOf(
    mapKinds((kind) => [...slugs[kind]].map(([id, slug]) => plainAnswer(kind, id, { name: slug }))),
  );
}

/** An upstream of which the tests decide what it has. */
export async function changingUpstream() {
  const now: { variant: Variant } = { variant: 'plain' };
  const stateOf = () => ({ data: upstreamData(now.variant) });
  const { url, close } = await startUpstream(upstreamData('plain'), { stateOf });
  return { url, close, now };
}
export type ChangingUpstream = Awaited<ReturnType<typeof changingUpstream>>;

/** Nobody listens there. */
export const DEAD = 'http://127.0.0.1:1/api/v2';

/** A day as commands are told it. */
export const onDay = (day: string) => ({ SOURCE_DATE_EPOCH: String(Date.parse(day) / 1000) });

/** A snapshot, and what it has. Some have the history of several variants. */
export interface Data {
  readonly folder: string;
  readonly variant: Variant;
}

/** A site that is not the one that steps change, and where it is deployed. */
export interface OtherSite {
  readonly name: string;
  readonly folder: string;
  readonly url: string;
  readonly baseUrl: string;
  readonly variant: Variant;
}

export interface World {
  readonly folder: string;
  readonly cli: string;
  readonly data: readonly Data[];
  readonly others: readonly OtherSite[];
  /** The data of the package. */
  readonly bundled: { readonly digest: string; readonly captured: string };
  close(): Promise<void>;
}

/** What every build of the world is told. */
export const QUICK = ['--no-downloads', '--no-cache', '--retries', '0'] as const;

/** Makes the world in a folder: it is only read by the steps. */
export async function createWorld(folder: string): Promise<World> {
  const cli = installPackage(path.join(folder, 'package'));
  const commands = startCommands(cli);
  const upstream = await changingUpstream();
  const { url, stop } = await serveFolder(path.join(folder, 'sites'));

  const snapshot = async (target: string, ...taken: { variant: Variant; captured?: string }[]) => {
    for (const { variant, captured = `2026-01-0${variants[variant].day}` } of taken) {
      upstream.now.variant = variant;
      const args = `snapshot --source rest --upstream ${upstream.url} --no-cache --max-shrink 100`;
      await must(commands, [...args.split(' '), '--data', target], { cwd: folder, env: onDay(captured) });
    }
    return path.join(folder, target);
  };
  const other = async (name: string, baseUrl: string, ...built: Variant[]): Promise<OtherSite> => {
    const out = `sites/${name}`;
    for (const variant of built) {
      const args = ['build', '--source', 'snapshot', '--upstream', `data/${variant}`, ...QUICK];
      await must(commands, [...args, '--base-url', baseUrl, '--out', out], { cwd: folder });
    }
    const last = built.at(-1) ?? 'plain';
    return { name, folder: path.join(folder, out), url: `${url}/${name}`, baseUrl, variant: last };
  };
  try {
    await snapshot('package/data', { variant: 'renamed' }, BUNDLED);
    const data: Data[] = [];
    for (const variant of variantNames)
      data.push({ folder: await snapshot(`data/${variant}`, { variant }), variant });
    const followed = (['plain', 'renamed', 'renamed-again'] as const).map((variant) => ({ variant }));
    data.push({ folder: await snapshot('data/followed', ...followed), variant: 'renamed-again' });
    data.push({
      folder: await snapshot('data/followed-late', ...followed.slice(1)),
      variant: 'renamed-again',
    });
    const others = [
      await other('here', `${url}/here`, 'plain'),
      await other('followed', `${url}/followed`, 'plain', 'renamed', 'renamed-again'),
      await other('fresh', `${url}/fresh`, 'renamed-again'),
      await other('shrunk', `${url}/shrunk`, 'shrunk'),
      await other('elsewhere', 'https://elsewhere.test', 'grown'),
    ];
    const provenance = readFileSync(path.join(folder, 'package/data/provenance.json'), 'utf8');
    const bundled = { digest: JSON.parse(provenance).digest, captured: BUNDLED.captured };
    return { folder, cli, data, others, bundled, close: stop };
  } finally {
    commands.close();
    await upstream.close();
  }
}

/** Runs a command that has to succeed. */
export async function must(
  commands: Commands,
  args: readonly string[],
  options: Parameters<Commands['run']>[1],
): Promise<string> {
  const { code, stderr } = await commands.run(args, options);
  if (code !== 0) throw new Error(`${args.join(' ')}: ended with ${code}: ${stderr}`);
  return stderr;
}
