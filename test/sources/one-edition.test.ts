import { describe, expect, it } from 'vitest';
import type { Edition } from '../../src/contract/meta.ts';
import { UpstreamError } from '../../src/errors.ts';
import type { Fetcher, LoadOptions } from '../../src/http/fetcher.ts';
import { checkCachedEdition, type Read, readOneEdition } from '../../src/sources/one-edition.ts';
import { namedEdition } from '../support/editions.ts';

const UPSTREAM = 'https://upstream.test/api';
const codec = { decode: String, revive: (cached: unknown) => cached as string };

const failed = (status: number, edition?: Edition | null, unreachable = false): UpstreamError =>
  new UpstreamError('failed', { method: 'GET', url: UPSTREAM, status, edition, attempts: 1, unreachable });

/** What is answered: an edition's number, 0 for none, or an error. */
type Play = (asked: string, at: number) => number | Error;

/** A fetcher whose answers are played, and the URLs that were asked for. */
function playing(play: Play) {
  const asked: string[] = [];
  const fetcher = {
    async load(url: string, _: unknown, { urlOverride = url }: LoadOptions<unknown>) {
      const played = play(urlOverride, asked.push(urlOverride));
      if (played instanceof Error) throw played;
      return { value: `${url} ${played}`, edition: played > 0 ? namedEdition(played) : null };
    },
  } as unknown as Fetcher;
  return { fetcher, asked };
}

const urls = ['a', 'b', 'c?x=1'].map((name) => `${UPSTREAM}/${name}`);
const readAll = (read: Read) => Promise.all(urls.map((url) => read(url, codec, { revalidate: true })));

const read = (fetcher: Fetcher) => readOneEdition({ fetcher, upstream: UPSTREAM }, readAll);

describe('reading one edition', () => {
  it('says how many answers there were of each edition, the newest first', async () => {
    const { fetcher } = playing((url) => [1, 3, 2][urls.findIndex((known) => url.startsWith(known))] ?? 0);
    const parts = [3, 2, 1].map((number) => `1 of edition 00000000 of 2026-04-0${number}`);
    await expect(read(fetcher)).rejects.toThrow(
      `got responses of several editions: ${parts.join(', ')}, expected`,
    );
    const unnamed = playing((url) =>
      url.startsWith(`${urls[0]}`) ? 1 : url.startsWith(`${urls[1]}`) ? 2 : 0,
    );
    await expect(read(unnamed.fetcher)).rejects.toThrow(/: 1 of .*-02, 1 of .*-01, expected one$/);
  });

  it('follows a newer edition twice, and no further', async () => {
    const rounds = (last: number) => playing((_, at) => Math.min(last, at));
    // One answer of each edition at first; then two that are of the next one each.
    const followed = rounds(7);
    expect(await read(followed.fetcher)).toMatchObject({ edition: namedEdition(7) });
    const given = rounds(99);
    await expect(read(given.fetcher)).rejects.toThrow('got responses of several editions');
    expect(given.asked.filter((url) => url.includes('edition=')).length).toBeGreaterThanOrEqual(6);
  });

  it.each([404, 410])('fails for %i if every edition has it on its list', async (status) => {
    const { fetcher, asked } = playing((url) => (url === urls[1] ? failed(status, namedEdition(2)) : 2));
    await expect(read(fetcher)).rejects.toMatchObject({ request: { status } });
    expect(asked).toEqual(urls);
  });

  it.each([
    ['a 404 that names no edition', failed(404)],
    ['another status', failed(500, namedEdition(2))],
    ['a bug', new TypeError('bug')],
  ])('fails at once for %s', async (_, error) => {
    const { fetcher } = playing((url) => (url === urls[1] ? error : 1));
    await expect(read(fetcher)).rejects.toBe(error);
  });
});

describe('the edition of the cache', () => {
  const check = (reason: Error) => {
    const ask = async (_: string, options: unknown) => {
      expect(options).toEqual({ retries: 7 });
      throw reason;
    };
    return checkCachedEdition(
      { request: ask, lastEdition: namedEdition(1) } as unknown as Fetcher,
      UPSTREAM,
      7,
    );
  };

  it('is not known if there is no answer, and that is an error only if there is no upstream', async () => {
    for (const status of [400, 404, 500])
      expect(await check(failed(status))).toEqual({ isCurrent: false, notices: [] });
    await expect(check(failed(0, null, true))).rejects.toThrow('failed');
    await expect(check(new TypeError('bug'))).rejects.toThrow('bug');
  });
});
