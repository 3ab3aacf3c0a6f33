import { describe, expect, it } from 'vitest';
import { type Kind, kindNames } from '../../src/contract/kinds.ts';
import { parseJson } from '../../src/contract/parse.ts';
import { type LinkBase, listPageFile, listUrl, rootFile } from '../../src/contract/paths.ts';
import { pageOffsets } from '../../src/contract/windows.ts';
import type { Probe, ProbeResponse } from '../../src/http/probe.ts';
import { crawl } from '../../src/sources/crawl.ts';
import { everyKind, otherKinds } from '../support/kinds.ts';
import { rawMove, rawRecords, siteOf } from '../support/sites.ts';

const BASE_URL = 'https://example.test';
const counts: Record<Kind, number> = everyKind({ move: 250, item: 3 }, () => 1);

/** Path and query → the text of a deployment of 250 moves and 3 items. */
function deployment(links: LinkBase['links'], raw = rawRecords(counts.move, counts.item)) {
  const texts = new Map(
    siteOf(raw, { links })
      .files()
      .map(({ path, body }) => [path, String(body)]),
  );
  const linkBase: LinkBase = { baseUrl: BASE_URL, links };
  const pages = new Map<string, string>();
  const add = (url: string, file: string) =>
    pages.set(url.slice(BASE_URL.length), texts.get(file) ?? `no ${file}`);
  add(`${BASE_URL}${links === 'file' ? `/${rootFile}` : '/api/gamedata/'}`, rootFile);
  for (const kind of kindNames) {
    add(listUrl(linkBase, kind), listPageFile(kind, 0));
    for (const offset of pageOffsets(raw[kind].length))
      add(listUrl(linkBase, kind, { limit: 100, offset }), listPageFile(kind, offset));
  }
  return { pages, linkBase };
}

/** Crawls pages, and returns the lists, what was requested, and each problem with its guarantee and request. */
async function crawled(
  { pages, linkBase }: ReturnType<typeof deployment>,
  status: (path: string) => number = () => 200,
) {
  const requested: string[] = [];
  const send = async ({ path }: { path: string }): Promise<ProbeResponse> => {
    requested.push(path);
    const text = pages.get(path) ?? 'not found';
    const about = { request: `GET ${path}`, status: pages.has(path) ? status(path) : 404 };
    return { ...about, header: () => '', encoding: undefined, text, json: parseJson(text) };
  };
  const problems: string[] = [];
  const lists = await crawl({ send } as Probe, linkBase, (guarantee, { request }, problem) =>
    problems.push(`${guarantee}: ${request}: ${problem}`),
  );
  return { lists, requested, problems };
}

const second = '/api/gamedata/move/?format=api&limit=100&offset=100';

describe('crawling a deployment', () => {
  it.each(['query', 'file'] as const)('follows every list with links of style %s', async (links) => {
    const { lists, requested, problems } = await crawled(deployment(links));
    expect(problems).toEqual([]);
    for (const kind of kindNames) {
      expect(lists[kind].count).toBe(counts[kind]);
      expect(lists[kind].records.map(({ id }) => id)).toEqual(
        Array.from({ length: counts[kind] }, (_, at) => at + 1),
      );
    }
    expect(requested).toHaveLength(1 + 3 + 1 + otherKinds.length);
  });

  type Damage = (pages: Map<string, string>) => unknown;
  const asPage =
    (text: string): Damage =>
    (pages) =>
      pages.set(second, text);
  const edited =
    (path: string, from: string | RegExp, to: string): Damage =>
    (pages) =>
      pages.set(path, (pages.get(path) ?? '').replaceAll(from, to));
  const notPage = (status: number, text: string) =>
    `lists: GET ${second}: got status ${status}, "${text}", expected a list page`;

  it.each<[what: string, damage: Damage, problem: string, read: number]>([
    [
      'a root that is not the root',
      (pages) => pages.set('/api/gamedata/', '{"x":1}'),
      'root: GET /api/gamedata/: got status 200, {"x":1}, expected {"move":',
      250,
    ],
    [
      'a root for another base URL',
      edited('/api/gamedata/', 'example.test', 'x.test'),
      '; if the site was built for that base URL, use --link-base https://x.test',
      250,
    ],
    ['a page that is not there', (pages) => pages.delete(second), notPage(404, 'not found'), 100],
    ['a page that is null', asPage('null'), notPage(200, 'null'), 100],
    ['a page that is text', asPage('text'), notPage(200, 'text'), 100],
    [
      'a page of another count',
      edited(second, '"count":250', '"count":251'),
      `lists: GET ${second}: got count 251, expected 250`,
      250,
    ],
    [
      'a link to another site, which is not followed',
      edited(second, /"next":"[^"]*"/g, '"next":"https://x.test/"'),
      `lists: GET ${second}: next: expected a URL of the move list`,
      100,
    ],
    [
      'a link that is none',
      edited(second, /"next":"[^"]*"/g, '"next":7'),
      `lists: GET ${second}: next: Invalid input`,
      100,
    ],
  ])('reports %s', async (_, damage, problem, read) => {
    const damaged = deployment('query');
    damage(damaged.pages);
    const { lists, problems } = await crawled(damaged);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(lists.move.records).toHaveLength(read);
    expect(lists.item.records).toHaveLength(3);
  });

  it.each(['-1', '250.5', '"many"', '1000001', 'null'])(
    'counts nothing where a page says %s',
    async (count) => {
      const damaged = deployment('query');
      const first = '/api/gamedata/move/?format=api';
      edited(first, '"count":250', `"count":${count}`)(damaged.pages);
      const { lists, problems } = await crawled(damaged);
      expect(lists.move.count).toBe(0);
      expect(problems.join()).toContain(`lists: GET ${first}: `);
    },
  );

  it('suggests no other base URL where the root has none', async () => {
    for (const url of ['http', '/api/gamedata/move/?format=api', 'https://x.test/']) {
      const damaged = deployment('query');
      damaged.pages.set('/api/gamedata/', JSON.stringify({ move: url }));
      const [problem] = (await crawled(damaged)).problems;
      expect(problem).toMatch(/^root: .*\?format=api"\}$/);
    }
  });

  it('reports a root and pages with another status, whatever they contain', async () => {
    const failing = await crawled(deployment('query'), () => 500);
    expect(failing.problems).toEqual([
      expect.stringMatching(/^root: GET \/api\/gamedata\/: got status 500, /),
      ...kindNames.map((kind) =>
        expect.stringContaining(`lists: GET /api/gamedata/${kind}/?format=api: got status 500, `),
      ),
    ]);
    expect(failing.lists.move).toEqual({ count: 0, records: [] });
  });

  it('reports a slug that two pages have, at the first page', async () => {
    const raw = rawRecords(150, 1);
    const move = raw.move.map((record) => (record.id === 150 ? rawMove(150, { slug: 'x' }) : record));
    const { pages, linkBase } = deployment('query', { ...raw, move });
    pages.set(second, (pages.get(second) ?? '').replaceAll('/x/', '/move-1/').replaceAll('"x"', '"move-1"'));
    const { problems } = await crawled({ pages, linkBase });
    expect(problems).toEqual(['lists: GET /api/gamedata/move/?format=api: got a slug twice']);
  });
});
