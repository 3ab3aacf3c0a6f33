import { describe, expect, it } from 'vitest';
import type { Edition } from '../../src/contract/edition.ts';
import { UpstreamError } from '../../src/errors.ts';
import type { Fetcher, LoadOptions } from '../../src/http/fetcher.ts';
import { checkCachedEdition } from '../../src/sources/cached-edition.ts';
import { type EditionReader, readOneEdition } from '../../src/sources/one-edition.ts';
import { editionNumber, namedEdition } from '../support/editions.ts';

const UPSTREAM = 'https://upstream.test/api';
const codec = { decode: String, revive: (cached: unknown) => cached as string };
const stats = { requests: 0, bodies: 0, notModified: 0, retries: 0, bytes: 0, cacheHits: 0 };

const failed = (status: number, edition?: Edition | null, unreachable = false): UpstreamError =>
  new UpstreamError('failed', { method: 'GET', url: UPSTREAM, status, edition, attempts: 1, unreachable });

/** What is answered: an edition's number, 0 for none, or an error. */
type Play = (asked: string, at: number) => number | Error;

/** A fetcher whose answers are played, and the URLs that were asked for. */
function playing(play: Play, lastEdition: Edition | null = null) {
  const asked: string[] = [];
  const options: LoadOptions<unknown>[] = [];
  const answer = (url: string): number => {
    const played = play(url, asked.push(url));
    if (played instanceof Error) throw played;
    return played;
  };
  const fetcher = {
    stats,
    lastEdition,
    async load(url: string, _: unknown, given: LoadOptions<unknown>) {
      options.push(given);
      const number = answer(given.at ?? url);
      return { value: `${url} ${number}`, edition: number > 0 ? namedEdition(number) : null };
    },
    ask: async (url: string) => Buffer.from(String(answer(url))),
  } as unknown as Fetcher;
  return { fetcher, asked, options };
}

const urls = ['a', 'b', 'c?x=1'].map((name) => `${UPSTREAM}/${name}`);
const readAll = (reader: EditionReader) =>
  Promise.all(urls.map((url) => reader.read(url, codec, { revalidate: true })));

const read = (fetcher: Fetcher) => readOneEdition({ fetcher, upstream: UPSTREAM }, readAll);

const pastCaches = (url: string, number: number): string =>
  `${url}${url.includes('?') ? '&' : '?'}edition=${editionNumber(number).hash}`;

describe('reading one edition', () => {
  it('asks for each answer once if they are of one', async () => {
    const { fetcher, asked, options } = playing(() => 3);
    const result = await read(fetcher);
    expect(result).toEqual({
      value: urls.map((url) => `${url} 3`),
      edition: namedEdition(3),
    });
    expect(asked).toEqual(urls);
    expect(options).toEqual(urls.map(() => ({ revalidate: true, at: undefined })));
  });

  it('asks once for what is read twice, and reads all of it once', async () => {
    const { fetcher, asked } = playing(() => 3);
    let passes = 0;
    await readOneEdition({ fetcher, upstream: UPSTREAM }, async (reader) => {
      passes++;
      for (const url of [...urls, ...urls]) await reader.read(url, codec);
    });
    expect(asked).toEqual(urls);
    expect(passes).toBe(1);
  });

  it('says how many answers there were of each edition, the newest first', async () => {
    const { fetcher } = playing((url) => [1, 3, 2][urls.findIndex((known) => url.startsWith(known))] ?? 0);
    const parts = [3, 2, 1].map((number) => `1 of edition 00000000 of 2026-04-0${number}`);
    await expect(read(fetcher)).rejects.toThrow(
      `got answers of several editions: ${parts.join(', ')}: expected`,
    );
    const unnamed = playing((url) =>
      url.startsWith(`${urls[0]}`) ? 1 : url.startsWith(`${urls[1]}`) ? 2 : 0,
    );
    await expect(read(unnamed.fetcher)).rejects.toThrow(/: 1 of .*-02, 1 of .*-01: expected one$/);
  });

  it('has no edition if no answer, or not every one, names one', async () => {
    for (const numbers of [
      [0, 0, 0],
      [3, 0, 3],
    ]) {
      const { fetcher, asked } = playing((_, at) => numbers[at - 1] ?? 9);
      expect(await read(fetcher)).toMatchObject({ edition: null });
      expect(asked).toEqual(urls);
    }
  });

  it('asks again for what is older, past the caches and unconditionally', async () => {
    const { fetcher, asked, options } = playing((url) => (url === urls[0] || url === urls[2] ? 1 : 2));
    expect(await read(fetcher)).toMatchObject({ edition: namedEdition(2) });
    expect(asked).toEqual([...urls, pastCaches(`${urls[0]}`, 2), pastCaches(`${urls[2]}`, 2)]);
    expect(options.at(-1)).toMatchObject({ at: asked.at(-1), revalidate: false });
  });

  it('follows a newer edition twice, and no further', async () => {
    const rounds = (last: number) => playing((_, at) => Math.min(last, at));
    // One answer of each edition at first; then two that are of the next one each.
    const followed = rounds(7);
    expect(await read(followed.fetcher)).toMatchObject({ edition: namedEdition(7) });
    const given = rounds(99);
    await expect(read(given.fetcher)).rejects.toThrow('got answers of several editions');
    expect(given.asked.filter((url) => url.includes('edition=')).length).toBeGreaterThanOrEqual(6);
  });

  it('gives up at once if the upstream has nothing else, and says what it has', async () => {
    const { fetcher, asked } = playing((url) => (url.startsWith(`${urls[0]}`) ? 1 : 2));
    const error = await read(fetcher).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      message: `GET ${UPSTREAM}/: got answers of several editions: 2 of edition 00000000 of 2026-04-02, 1 of edition 00000000 of 2026-04-01: expected one`,
      hint: "The upstream's CDN forgets old answers within a day: try again then.",
      request: { method: 'GET', attempts: 1, unreachable: false },
    });
    expect(asked).toHaveLength(4);
  });

  it('forgets what the newest edition does not have', async () => {
    const { fetcher } = playing((url) =>
      url === urls[0] ? 1 : url === urls[1] ? failed(404, namedEdition(1)) : 2,
    );
    const lists: string[][] = [];
    const result = await readOneEdition({ fetcher, upstream: UPSTREAM }, async (reader) => {
      const list = await reader.read(`${urls[0]}`, codec);
      // Only the older list has the second one.
      const listed = list?.endsWith(' 1') ? urls.slice(1) : urls.slice(2);
      lists.push(listed);
      return Promise.all(listed.map((url) => reader.read(url, codec)));
    });
    expect(lists).toEqual([urls.slice(1), urls.slice(2)]);
    expect(result).toMatchObject({ value: [`${urls[2]} 2`], edition: namedEdition(2) });
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
  const meta = (number: number) => {
    const { hash, deployed } = editionNumber(number);
    return JSON.stringify({ hash, deploy_date: String(deployed), tag: null });
  };
  const check = (body: string | Error, cached: Edition | null = namedEdition(1)) => {
    const { fetcher, asked } = playing(() => (body instanceof Error ? body : 1), cached);
    const answering = {
      ...fetcher,
      ask: async (url: string, options: unknown) => {
        expect(options).toEqual({ retries: 7 });
        if (body instanceof Error) throw body;
        asked.push(url);
        return Buffer.from(body);
      },
    };
    return { checked: checkCachedEdition(answering, UPSTREAM, 7), asked };
  };

  it('is not asked for if the cache has none', async () => {
    const { checked, asked } = check(meta(1), null);
    expect(await checked).toEqual({ isPresent: false, notices: [] });
    expect(asked).toEqual([]);
  });

  it.each([
    [1, true],
    [2, false],
  ])('is the present one if the upstream says so: %i', async (number, isPresent) => {
    const { checked, asked } = check(meta(number));
    expect(await checked).toEqual({ isPresent, notices: [] });
    expect(asked).toEqual([`${UPSTREAM}/meta/`]);
  });

  it.each([
    ['<html>', '"<html>"'],
    ['null', '"null"'],
    ['7', '7'],
    ['{"hash":"x"}', '{"hash":"x"}'],
    ['{"deploy_date":"1786004122"}', '{"deploy_date":"1786004122"}'],
  ])('is not known from %s', async (body, shown) => {
    expect(await check(body).checked).toEqual({
      isPresent: false,
      notices: [
        `GET ${UPSTREAM}/meta/: got ${shown}: expected hash and deploy_date of an edition; ignored, every record was asked for`,
      ],
    });
  });

  it('is not known if there is no answer, and that is an error only if there is no upstream', async () => {
    for (const status of [400, 404, 500])
      expect(await check(failed(status)).checked).toEqual({ isPresent: false, notices: [] });
    await expect(check(failed(0, null, true)).checked).rejects.toThrow('failed');
    await expect(check(new TypeError('bug')).checked).rejects.toThrow('bug');
  });
});
