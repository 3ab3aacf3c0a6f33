import type { History } from '../../src/contract/changes.ts';
import { type Kind, mapKinds } from '../../src/contract/kinds.ts';
import type { Meta, SiteFile } from '../../src/contract/meta.ts';
import { PLACEHOLDER_ICON } from '../../src/contract/paths.ts';
import { defaultIconSource, getIconRedirect } from '../../src/contract/responses.ts';
import { addUrls, digestRecords } from '../../src/dataset/data-set.ts';
import { emptyHistory } from '../../src/dataset/history.ts';
import {
  createRedirects,
  mergeOldSlugs,
  type OldSlugs,
} from '../../src/dataset/old-slugs.ts';
import type { HostContext } from '../../src/hosts/host.ts';
import { readBuildAssets } from '../../src/package.ts';
import { createChangeFiles } from '../../src/site/change-files.ts';
import { createApiFiles } from '../../src/site/record-files.ts';
import {
  normalize,
  type RawRecord,
  type RawRecords,
} from '../../src/sources/normalize.ts';
import { parseRecord } from '../../src/sources/rest.ts';
import { type DecodedDataSet, decodeDataSet, encodeDataSet } from './decode.ts';
import {
  answersOf,
  hasRecordedUpstream,
  plainAnswer,
  range,
  recordedUpstream,
  type UpstreamData,
} from './upstream-data.ts';

/**
 * The plain answer of upstream-data.ts as a source reads it, without other
 * languages.
 */
const plain = <K extends Kind>(kind: K, id: number): RawRecord<K> => ({
  ...parseRecord(kind, plainAnswer(kind, id), `${id}`),
  names: {},
});
export const rawMove = (
  id: number,
  overrides: Partial<RawRecord<'move'>> = {},
): RawRecord<'move'> => ({
  ...plain('move', id),
  ...overrides,
});
export const rawItem = (
  id: number,
  overrides: Partial<RawRecord<'item'>> = {},
): RawRecord<'item'> => ({
  ...plain('item', id),
  sprite: `sprites/items/item-${id}.png`,
  ...overrides,
});

/** Of a kind that is not given, there is one plain record. */
export type SomeRecords = Partial<RawRecords>;
const allRaw = (some: SomeRecords): RawRecords =>
  ({ ...mapKinds((kind) => [plain(kind, 1)]), ...some }) as unknown as RawRecords;

/** Of a kind that is not given, there are none. */
export const onlyRaw = (some: SomeRecords = {}): RawRecords =>
  allRaw({ ...mapKinds(() => []), ...some });

/** So many plain records, and one of every other kind if there are any items. */
export const rawRecords = (moves: number, items: number): RawRecords => ({
  ...(items > 0 ? allRaw({}) : onlyRaw()),
  move: range(1, moves).map((id) => rawMove(id)),
  item: range(1, items).map((id) => rawItem(id)),
});

export const PROVENANCE = {
  source: 'rest',
  upstream: 'https://upstream.test/api/v2',
  captured: '2026-01-02',
  edition: null,
} as const;

export const dataSetOf = (raw: SomeRecords): DecodedDataSet =>
  decodeDataSet(normalize(allRaw(raw), PROVENANCE));

export interface SiteOptions {
  readonly baseUrl?: string | undefined;
  readonly links?: Meta['links'];
  readonly history?: History;
  /** What the description says; the files themselves are not the site's. */
  readonly downloads?: boolean;
  /** Beside the placeholder icon, without which no site is complete. */
  readonly extras?: readonly SiteFile[];
}

/**
 * Collects the old slugs of a history: those of renamed and of removed records,
 * newest step first.
 */
function collectOldSlugs({ steps }: History): OldSlugs {
  const slugsOfSteps = steps.toReversed().map(({ changes }) =>
    mapKinds((kind) => {
      const ids = new Map<string, number>();
      for (const { id, from } of changes[kind].renamed) ids.set(from, id);
      for (const { id, slug } of changes[kind].removed) ids.set(slug, id);
      return ids;
    }),
  );
  return mergeOldSlugs(...slugsOfSteps);
}

/**
 * Everything that makes a site of raw records, its description and its redirects.
 */
export function siteOf(
  raw: SomeRecords,
  {
    links = 'query',
    baseUrl = 'https://example.test',
    history = emptyHistory,
    downloads = false,
    extras = [],
  }: SiteOptions = {},
) {
  const records = encodeDataSet(dataSetOf(raw)).records;
  const meta: Meta = {
    format: 1,
    generator: 'gamedata/0.0.0',
    ...PROVENANCE,
    fallback: null,
    counts: mapKinds((kind) => records[kind].length),
    warnings: mapKinds(() => ({})),
    digest: digestRecords(records),
    base_url: baseUrl,
    links,
    hosts: [],
    downloads,
    sprites: defaultIconSource,
  };
  const oldSlugs = collectOldSlugs(history);
  const redirects = createRedirects(oldSlugs, records);
  const icon: SiteFile = {
    path: PLACEHOLDER_ICON,
    body: new Uint8Array([0x89, 0x50, 0x4e, 0x47]),
  };
  const changes = createChangeFiles({ history, oldSlugs }, redirects, meta);
  const linkBase = { baseUrl: meta.base_url, links };
  const { template, schemas } = readBuildAssets();
  const served = addUrls(linkBase, records);
  const plan = {
    records,
    served,
    meta,
    linkBase,
    archive: false,
    template,
    schemas,
  };
  const files = (): SiteFile[] => [
    ...createApiFiles(served, meta),
    icon,
    ...changes,
    ...extras,
  ];
  return { plan, meta, oldSlugs, redirects, records, files };
}

export const rawOf = (upstream: UpstreamData): RawRecords =>
  mapKinds((kind) =>
    answersOf(upstream, kind).map((answer) =>
      parseRecord(kind, answer, `${answer.id}`),
    ),
  ) as unknown as RawRecords;

/**
 * The recorded records if they lie beside the project, else as many made-up ones.
 */
export const fullSizeRecords = (): RawRecords =>
  hasRecordedUpstream ? rawOf(recordedUpstream()) : rawRecords(937, 2223);

export const hostContext = (
  { records, redirects }: Pick<HostContext, 'records' | 'redirects'>,
  baseUrl = 'https://example.test',
): HostContext => ({
  records,
  redirects,
  iconRedirect: getIconRedirect(defaultIconSource),
  baseUrl,
  root: '/srv/gamedata',
  handlerModule: () => {
    throw new Error('these hosts run no handler');
  },
  template: readBuildAssets().template,
});
