import { describe, expect, it } from 'vitest';
import { META_FILE } from '../../../src/contract/paths.ts';
import { compare } from '../../../src/data/compare.ts';
import { emptyHistory, extendHistory } from '../../../src/data/history.ts';
import {
  type AssetStore,
  createEtag,
} from '../../../src/serve/handler/asset-store.ts';
import { createHandler } from '../../../src/serve/handler/index.ts';
import {
  createDataStore,
  dataFiles,
} from '../../../src/serve/offline/data-store.ts';
import { bodiesByPath } from '../../support/body.ts';
import { browsePage, recordsWithGaps } from '../../support/handled-site.ts';
import { rawMove, siteOf } from '../../support/sites.ts';
import { versionOf } from '../../support/stored-data.ts';

const LIST = '/api/gamedata/move/';
const html = { Accept: 'text/html' };

const raw = recordsWithGaps();
const { move = [], item = [] } = raw;
const oldMoves = move.map((record) => {
  return record.id === 2 ? rawMove(2, { slug: 'old-slug' }) : record;
});
const changes = compare(versionOf(oldMoves, item), versionOf(move, item));
const history = extendHistory(emptyHistory, changes);

const requests: [path: string, init: RequestInit][] = [
  ['/api/gamedata/', {}],
  ['/api/gamedata', {}],
  [LIST, {}],
  ['/api/gamedata/item/?format=api&limit=100&offset=400', {}],
  [`${LIST}?format=json&limit=7&offset=95`, {}],
  [`${LIST}?limit=5000`, {}],
  [`${LIST}?limit=3&offset=936`, {}],
  [`${LIST}?offset=100000`, {}],
  [`${LIST}?limit=x&offset=-1`, {}],
  [`${LIST}?format=xml`, {}],
  [`${LIST}pound/`, {}],
  [`${LIST}pound`, {}],
  [`${LIST}pound/?format=xml`, {}],
  [`${LIST}pound/`, { method: 'HEAD' }],
  [`${LIST}pound/`, { method: 'POST' }],
  [`${LIST}pound/`, { method: 'OPTIONS' }],
  [`${LIST}pound/`, { headers: html }],
  [`${LIST}Pound/`, {}],
  [`${LIST}constructor/`, {}],
  [`${LIST}old-slug/?format=api`, {}],
  ['/api/gamedata/item/poke-ball/', {}],
  [`${LIST}index.json`, {}],
  [`${LIST}offset/900/index.json?format=api&limit=100&offset=900`, {}],
  [`${LIST}offset/1000/index.json`, {}],
  ['/api/gamedata/creature/', {}],
];

describe.each(['query', 'file'] as const)('with %s links', async (links) => {
  const baseUrl = 'https://example.test/games';
  const site = siteOf(raw, { links, baseUrl, history, extras: [browsePage] });
  const files = bodiesByPath(site.files());

  const siteStore: AssetStore = {
    async get(file) {
      const body = files.get(file);
      return body && { body, etag: await createEtag(body) };
    },
  };

  /** Only these files are stored. */
  const storedFiles = [...dataFiles, META_FILE, browsePage.path];
  const dataStore = await createDataStore(site.meta, async (file) =>
    storedFiles.includes(file) ? files.get(file) : undefined,
  );

  async function send(store: AssetStore, path: string, init: RequestInit) {
    const handle = createHandler(store, '/games');
    const response = await handle(
      new Request(`https://host.test/games${path}`, init),
    );
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
  }

  it.each(requests)(
    "responds from the data set exactly as from the site's files: %s %j",
    async (path, init) => {
      const fromSite = await send(siteStore, path, init);
      const fromData = await send(dataStore, path, init);
      expect(fromData).toEqual(fromSite);
    },
  );
});
