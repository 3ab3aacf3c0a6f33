import path from 'node:path';
import { build } from '../../src/cli/commands/build.ts';
import { type Kind, kindNames, mapKinds } from '../../src/contract/kinds.ts';
import { advance } from '../../src/data/advance.ts';
import type { DataSet } from '../../src/data/data-set.ts';
import { stateNumber } from './editions.ts';
import { everyKind } from './kinds.ts';
import { serveFolder } from './loopback.ts';
import type { Records } from './site-state.ts';
import { rawOf } from './sites.ts';
import { createStoredData, writeDataSet } from './stored-data.ts';
import {
  type Answer,
  plainAnswer,
  range,
  type UpstreamData,
  upstreamOf,
} from './upstream-data.ts';
import { startUpstream } from './upstream-server.ts';

/** One kind's slugs that differ from `<kind>-<id>`; null removes a record. */
type SlugChanges = Readonly<Record<number, string | null>>;
type Slugs = Readonly<Record<Kind, ReadonlyMap<number, string>>>;

function createSlugs(changes: Partial<Record<Kind, SlugChanges>>): Slugs {
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

/** The data of an upstream on different days. */
const variants = {
  plain: createSlugs({}),
  renamed: createSlugs({ move: { 1: 'first' }, item: { 1: 'ball' } }),
  'renamed-again': createSlugs({
    move: { 1: 'premier', 2: 'second' },
    item: { 1: 'ball' },
  }),
  swapped: createSlugs({ move: { 2: 'move-3', 3: 'move-2' } }),
  taken: createSlugs({ move: { 1: 'first', 21: 'move-1' } }),
  grown: createSlugs({ move: { 21: 'move-21' }, item: { 11: 'item-11' } }),
  shrunk: createSlugs({ move: { 1: 'first', 19: null }, item: { 10: null } }),
  replaced: createSlugs({ move: { 1: null, 22: 'first' } }),
} as const;
export type Variant = keyof typeof variants;
export const variantNames = Object.keys(variants) as Variant[];

export function listRecords(name: Variant): Records {
  const records = new Map<string, string>();
  for (const kind of kindNames) {
    for (const [id, slug] of variants[name][kind]) {
      records.set(`/api/gamedata/${kind}/${slug}/`, `${kind}/${id}`);
    }
  }
  return records;
}

function createUpstreamData(name: Variant): UpstreamData {
  const answers = mapKinds((kind) => {
    const answersOfKind: Answer[] = [];
    for (const [id, slug] of variants[name][kind]) {
      answersOfKind.push(plainAnswer(kind, id, { name: slug }));
    }
    return answersOfKind;
  });
  return upstreamOf(answers);
}

export interface ChangingUpstream {
  readonly url: string;
  /** Assign another variant to change the data, or refuse all later requests. */
  readonly now: { variant: Variant; isDown: boolean };
  close(): Promise<void>;
}

/** Starts an upstream in which each variant is an edition. */
export async function startChangingUpstream(): Promise<ChangingUpstream> {
  const now: ChangingUpstream['now'] = { variant: 'plain', isDown: false };
  const { url, close } = await startUpstream(createUpstreamData('plain'), {
    stateOf: () =>
      stateNumber(
        1 + variantNames.indexOf(now.variant),
        createUpstreamData(now.variant),
      ),
    // A build does not try again after this status.
    fault: (_, response) => now.isDown && Boolean(response.writeHead(400).end()),
  });
  return { url, close, now };
}

/** A folder or URL that commands read. */
export interface Input {
  readonly name: string;
  readonly records: Records;
}

/** A site that steps only copy, with the base URL for which it was built. */
export interface OtherSite extends Input {
  readonly baseUrl: string;
}

/** The inputs of all sequences. */
export interface World {
  readonly folder: string;
  readonly data: readonly Input[];
  readonly others: readonly OtherSite[];
  close(): Promise<void>;
}

/**
 * Writes a data set for each variant, and one whose history has several of them. Builds
 * two sites from them, and serves these until `close`.
 */
export async function createWorld(folder: string): Promise<World> {
  const { url, stop } = await serveFolder(path.join(folder, 'sites'));

  function capture(name: string, ...captured: Variant[]): Input {
    let dataSet: DataSet | undefined;
    for (const variant of captured) {
      const next = createStoredData(rawOf(createUpstreamData(variant)));
      dataSet = advance(dataSet, next).dataSet;
    }
    if (dataSet === undefined) throw new Error('got no variant to capture');
    const target = writeDataSet(dataSet, path.join(folder, 'data', name));
    return { name: target, records: listRecords(captured.at(-1) ?? 'plain') };
  }

  async function publish(
    name: string,
    { name: upstream, records }: Input,
    baseUrl: string,
  ): Promise<OtherSite[]> {
    const out = path.join(folder, 'sites', name);
    await build({ source: 'snapshot', upstream, out, baseUrl, ...ACCEPT });
    const site = { records, baseUrl };
    return [
      { ...site, name: out },
      { ...site, name: `${url}/${name}` },
    ];
  }

  const data = variantNames.map((variant) => capture(variant, variant));
  const followed = capture('followed', 'plain', 'renamed', 'renamed-again');
  const grown = capture('grown-later', 'plain', 'grown');
  const others = [
    ...(await publish('followed', followed, `${url}/followed`)),
    ...(await publish('elsewhere', grown, 'https://elsewhere.test')),
  ];
  return { folder, data: [...data, followed], others, close: stop };
}

/** Permits every change compared with the bundled data. */
const ACCEPT = { maxShrink: 100, allowMissing: ['names/en', 'names/fr'] } as const;
