import { describe, expect, it } from 'vitest';
import { type Kind, kindNames } from '../../src/contract/kinds.ts';
import { pageOffsets } from '../../src/contract/page-range.ts';
import { parseJson } from '../../src/contract/parse.ts';
import { type LinkBase, listPageFile, listUrl } from '../../src/contract/paths.ts';
import { crawl } from '../../src/sources/crawl.ts';
import type { Probe, ProbeResponse } from '../../src/upstream/probe.ts';
import { everyKind, otherKinds } from '../support/kinds.ts';
import { rawRecords, siteOf } from '../support/sites.ts';
import { range } from '../support/upstream-data.ts';

const BASE_URL = 'https://example.test';
const counts: Record<Kind, number> = everyKind({ move: 250, item: 3 }, () => 1);
const FIRST = '/api/gamedata/move/?format=api';
const SECOND = '/api/gamedata/move/?format=api&limit=100&offset=100';

/** Maps the path and query of each list page of a deployment to its text. */
function deploySite(links: LinkBase['links'] = 'query') {
  const { files } = siteOf(rawRecords(counts.move, counts.item), { links });
  const texts = new Map(files().map(({ path, body }) => [path, String(body)]));
  const linkBase: LinkBase = { baseUrl: BASE_URL, links };
  const pages = new Map<string, string>();
  const addPage = (url: string, file: string): void => {
    pages.set(url.slice(BASE_URL.length), texts.get(file) ?? '');
  };
  for (const kind of kindNames) {
    addPage(listUrl(linkBase, kind), listPageFile(kind, 0));
    for (const offset of pageOffsets(counts[kind])) {
      addPage(
        listUrl(linkBase, kind, { limit: 100, offset }),
        listPageFile(kind, offset),
      );
    }
  }
  return { pages, linkBase };
}

interface DeployedSite {
  readonly pages: ReadonlyMap<string, string>;
  readonly linkBase: LinkBase;
}

async function crawlPages({ pages, linkBase }: DeployedSite, status = 200) {
  const requested: string[] = [];
  async function send({ path }: { path: string }) {
    requested.push(path);
    const text = pages.get(path) ?? 'not found';
    return {
      request: `GET ${path}`,
      status: pages.has(path) ? status : 404,
      text,
      json: parseJson(text),
    } as ProbeResponse;
  }
  const problems: string[] = [];
  const lists = await crawl({ send } as Probe, linkBase, ({ request }, problem) => {
    problems.push(`${request}: ${problem}`);
  });
  return { lists, requested, problems };
}

describe('crawl', () => {
  it.each(['query', 'file'] as const)(
    'reads all lists of a site with %s links',
    async (links) => {
      const { lists, requested, problems } = await crawlPages(deploySite(links));
      expect(problems).toEqual([]);
      for (const kind of kindNames) {
        const ids = lists[kind].map(({ id }) => id);
        expect(ids).toEqual(range(1, counts[kind]));
      }
      expect(requested).toHaveLength(3 + 1 + otherKinds.length);
    },
  );

  it.each<
    [
      path: string,
      from: string | RegExp,
      to: string | undefined,
      problem: string,
      read: number,
    ]
  >([
    [
      SECOND,
      '',
      undefined,
      'got status 404, "not found", expected a list page',
      100,
    ],
    [SECOND, /.*/s, 'null', 'got null, expected object', 100],
    [SECOND, /.*/s, 'text', 'got status 200, "text", expected a list page', 100],
    [
      SECOND,
      '"count":250',
      '"count":251',
      'got count 251, expected 250, as on the first page',
      100,
    ],
    [
      SECOND,
      /,\{"url":[^}]*move-200\/.*?\}/,
      '',
      'got 99 results, expected 100',
      100,
    ],
    [
      SECOND,
      /"next":"[^"]*"/,
      '"next":"x:/"',
      'next: got "x:/", expected a URL of the move list',
      100,
    ],
    [SECOND, '"id":150', '"id":"150"', 'results[49].id: got "150"', 100],
    [
      SECOND,
      '"id":150',
      '"id":149',
      'got id 149 after 149, expected ascending ids',
      149,
    ],
    [SECOND, '"slug":"move-150"', '"slug":"move-1"', 'got slug move-1 twice', 149],
    [
      FIRST,
      '"count":250',
      '"count":1000001',
      'got count 1000001, expected at most 1000000',
      0,
    ],
    [FIRST, '"count":250', '"count":-1', 'count: got -1', 0],
    [FIRST, '"count":250', '"count":null', 'count: got null', 0],
  ])(
    'reports an invalid page: %s with %s changed to %s: %s',
    async (path, from, to, problem, read) => {
      const site = deploySite();
      if (to === undefined) site.pages.delete(path);
      else site.pages.set(path, (site.pages.get(path) ?? '').replace(from, to));
      const { lists, problems } = await crawlPages(site);
      expect(problems).toEqual([expect.stringContaining(problem)]);
      expect(lists.move).toHaveLength(read);
      expect(lists.item).toHaveLength(3);
    },
  );

  it('reports a status other than 200 even if the body is valid', async () => {
    const { lists, problems } = await crawlPages(deploySite(), 500);
    const expected = kindNames.map((kind) => {
      const problem = `GET /api/gamedata/${kind}/?format=api: got status 500, `;
      return expect.stringContaining(problem);
    });
    expect(problems).toEqual(expected);
    expect(lists.move).toEqual([]);
  });
});
