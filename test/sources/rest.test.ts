import { describe, expect, it } from 'vitest';
import type { Edition } from '../../src/contract/edition.ts';
import { UpstreamError } from '../../src/errors.ts';
import type { CompleteRun } from '../../src/http/cache.ts';
import type { Fetcher, LoadOptions } from '../../src/http/fetcher.ts';
import { readRest } from '../../src/sources/rest.ts';
import { editionNumber, namedEdition } from '../support/editions.ts';
import { rawItem, rawMove } from '../support/sites.ts';

const upstream = 'https://upstream.test/api';
const raw = { move: [rawMove(1), rawMove(2)], item: [rawItem(1)] };

/** What is served, by path. */
const values = new Map<string, unknown>(
  Object.entries(raw).flatMap(([kind, records]) => [
    [
      `/${kind}/`,
      {
        count: records.length,
        next: null,
        results: records.map(({ id, slug }) => ({ name: slug, url: `${upstream}/${kind}/${id}/` })),
      },
    ],
    ...records.map((record) => [`/${kind}/${record.id}/`, record] as const),
  ]),
);

/** A fetcher whose answers are of editions that are told by path, 0 for none; and what it is told. */
function playing(editionOf: (path: string, url: string) => number | Error, last?: CompleteRun) {
  const asked: string[] = [];
  const noted: CompleteRun[] = [];
  const fetcher = {
    stats: { requests: 0, bodies: 0, notModified: 0, retries: 0, bytes: 0, cacheHits: 0 },
    lastEdition: last?.edition ?? null,
    recallRun: () => last?.value,
    noteRun: (run: CompleteRun) => void noted.push(run),
    async load(url: string, _: unknown, { at = url }: LoadOptions<unknown> = {}) {
      asked.push(at);
      const path = url.slice(upstream.length).replace(/\?.*/, '');
      const number = editionOf(path, at);
      if (number instanceof Error) throw number;
      return { value: values.get(path), edition: number > 0 ? namedEdition(number) : null };
    },
    async ask(url: string) {
      asked.push(url);
      const { hash, deployed } = editionNumber(Number(editionOf('/meta/', url)));
      return Buffer.from(JSON.stringify({ hash, deploy_date: String(deployed) }));
    },
  } as unknown as Fetcher;
  const read = () => readRest({ upstream, fetcher, concurrency: 2 });
  return { read, asked, noted };
}

describe('reading an upstream', () => {
  it.each<[string, number, Edition | null]>([
    ['with editions', 3, namedEdition(3)],
    ['without', 0, null],
  ])('%s gives every record, and notes what later runs need not read again', async (_, number, edition) => {
    const { read, asked, noted } = playing(() => number);
    expect(await read()).toEqual({ raw, edition, isCached: false, notices: [] });
    expect(asked).toHaveLength(values.size);
    expect(noted).toEqual(edition ? [{ edition, value: raw }] : []);
  });

  it('recalls the last run if that is of the present edition', async () => {
    const value = { move: [rawMove(7)], item: [] };
    const { read, asked, noted } = playing(() => 3, { edition: namedEdition(3), value });
    expect(await read()).toEqual({
      raw: value,
      edition: namedEdition(3),
      isCached: true,
      notices: [],
    });
    expect(asked).toEqual([`${upstream}/meta/`]);
    expect(noted).toEqual([]);
  });

  it('reads all of it again if there is a newer edition', async () => {
    const { read, asked, noted } = playing(() => 3, { edition: namedEdition(2), value: 'old' });
    expect(await read()).toMatchObject({ raw, isCached: false });
    expect(asked).toHaveLength(1 + values.size);
    expect(noted).toEqual([{ edition: namedEdition(3), value: raw }]);
  });

  it('fails for a list that is gone, whatever edition says so', async () => {
    const request = { method: 'GET', url: `${upstream}/item/`, status: 404, attempts: 1, unreachable: false };
    const gone = new UpstreamError('gone', { ...request, edition: namedEdition(2) });
    await expect(playing((path) => (path === '/item/' ? gone : 2)).read()).rejects.toBe(gone);
  });

  it('notes nothing of a mixture', async () => {
    const { read, noted } = playing((path) => (path === '/move/2/' ? 1 : 2));
    await expect(read()).rejects.toThrow('several editions');
    expect(noted).toEqual([]);
  });
});
