import type { History } from '../../src/contract/changes.ts';
import { type Kind, mapKinds } from '../../src/contract/kinds.ts';
import type { Meta, SiteFile } from '../../src/contract/meta.ts';
import { DATA_FOLDER, PLACEHOLDER_ICON } from '../../src/contract/paths.ts';
import { defaultIconSource, getIconRedirect } from '../../src/contract/responses.ts';
import { addUrls } from '../../src/data/api-values.ts';
import { digestRecords } from '../../src/data/data-set.ts';
import { createDataSetFiles } from '../../src/data/data-set-folder.ts';
import { emptyHistory } from '../../src/data/history.ts';
import { mergeOldSlugs } from '../../src/data/old-slugs.ts';
import { createRedirects, type OldSlugs } from '../../src/data/redirects.ts';
import type { HostContext } from '../../src/hosts/host.ts';
import { readBuildAssets } from '../../src/package.ts';
import { createChangeFiles } from '../../src/site/change-files.ts';
import { createApiFiles, createNamesFiles } from '../../src/site/record-files.ts';
import {
  normalize,
  type RawRecord,
  type RawRecords,
} from '../../src/upstream/normalize.ts';
import { parseRecord } from '../../src/upstream/rest.ts';
import { type DecodedDataSet, decodeDataSet } from './decode.ts';
import {
  answersOf,
  plainAnswer,
  range,
  type UpstreamData,
} from './upstream-data.ts';

/**
 * Parses the plain answer from upstream-data.ts, but without names in other
 * languages.
 */
function createPlainRecord<K extends Kind>(kind: K, id: number): RawRecord<K> {
  const answer = plainAnswer(kind, id);
  return { ...parseRecord(kind, answer, `${id}`), names: {} };
}

export function rawMove(
  id: number,
  overrides: Partial<RawRecord<'move'>> = {},
): RawRecord<'move'> {
  return { ...createPlainRecord('move', id), ...overrides };
}

export function rawItem(
  id: number,
  overrides: Partial<RawRecord<'item'>> = {},
): RawRecord<'item'> {
  return {
    ...createPlainRecord('item', id),
    sprite: `sprites/items/item-${id}.png`,
    ...overrides,
  };
}

/** The records of some kinds. Each function adds other kinds as it needs them. */
export type SomeRecords = Partial<RawRecords>;

/** Adds one plain record of each other kind. */
export function allRaw(some: SomeRecords): RawRecords {
  const plain = mapKinds((kind) => [createPlainRecord(kind, 1)]);
  return { ...plain, ...some } as unknown as RawRecords;
}

/** Adds no records of other kinds. */
export function onlyRaw(some: SomeRecords = {}): RawRecords {
  const none = mapKinds(() => []);
  return allRaw({ ...none, ...some });
}

/**
 * Creates plain moves and items. Adds one plain record of each other kind if there
 * are any items.
 */
export function rawRecords(moves: number, items: number): RawRecords {
  const otherRecords = items > 0 ? allRaw({}) : onlyRaw();
  return {
    ...otherRecords,
    move: range(1, moves).map((id) => rawMove(id)),
    item: range(1, items).map((id) => rawItem(id)),
  };
}

export const PROVENANCE = {
  source: 'rest',
  upstream: 'https://upstream.test/api/v2',
  captured: '2026-01-02',
  edition: null,
} as const;

export function dataSetOf(raw: SomeRecords): DecodedDataSet {
  return decodeDataSet(normalize(allRaw(raw), PROVENANCE));
}

export interface SiteOptions {
  readonly baseUrl?: string | undefined;
  readonly links?: Meta['links'];
  readonly history?: History;
  /** More files. Every site contains the placeholder icon. */
  readonly extras?: readonly SiteFile[];
}

/** Collects the slugs of renamed and removed records, newest step first. */
function collectOldSlugs({ steps }: History): OldSlugs {
  const slugsOfSteps: OldSlugs[] = [];
  for (const { changes } of steps.toReversed()) {
    const slugsOfStep = mapKinds((kind) => {
      const ids = new Map<string, number>();
      for (const { id, from } of changes[kind].renamed) ids.set(from, id);
      for (const { id, slug } of changes[kind].removed) ids.set(slug, id);
      return ids;
    });
    slugsOfSteps.push(slugsOfStep);
  }
  return mergeOldSlugs(...slugsOfSteps);
}

/**
 * Creates a site's files from raw records, including its description and redirects.
 */
export function siteOf(raw: SomeRecords, options: SiteOptions = {}) {
  const {
    links = 'query',
    baseUrl = 'https://example.test',
    history = emptyHistory,
    extras = [],
  } = options;
  const dataSet = normalize(allRaw(raw), PROVENANCE);
  const records = dataSet.readRecords();
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
    sprites: defaultIconSource,
  };
  const oldSlugs = collectOldSlugs(history);
  const redirects = createRedirects(oldSlugs, records);
  const icon: SiteFile = {
    path: PLACEHOLDER_ICON,
    body: new Uint8Array([0x89, 0x50, 0x4e, 0x47]),
  };
  const changes = createChangeFiles(history, redirects, meta);
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
  function files(): SiteFile[] {
    const apiFiles = createApiFiles(served, meta);
    const stored = { ...dataSet, readPast: () => ({ history, oldSlugs }) };
    const { files, description } = createDataSetFiles(stored, 'the license\n');
    const dataFiles: SiteFile[] = [];
    for (const { path, body } of [...files, description]) {
      dataFiles.push({ path: DATA_FOLDER + path, body });
    }
    const namesFiles = createNamesFiles(dataSet.readNames(), baseUrl);
    return [...apiFiles, ...namesFiles, icon, ...changes, ...dataFiles, ...extras];
  }
  return { plan, meta, oldSlugs, redirects, records, files };
}

export function rawOf(upstream: UpstreamData): RawRecords {
  const records = mapKinds((kind) => {
    const answers = answersOf(upstream, kind);
    return answers.map((answer) => parseRecord(kind, answer, `${answer.id}`));
  });
  return records as unknown as RawRecords;
}

export function hostContext(
  site: Pick<HostContext, 'records' | 'redirects'>,
  baseUrl = 'https://example.test',
): HostContext {
  return {
    records: site.records,
    redirects: site.redirects,
    iconRedirect: getIconRedirect(defaultIconSource),
    baseUrl,
    root: '/srv/gamedata',
    handlerModule: () => {
      throw new Error('these hosts run no handler');
    },
    template: readBuildAssets().template,
  };
}
