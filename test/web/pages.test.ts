import { describe, expect, it } from 'vitest';
import { readPackage } from '../../src/cli/package-files.ts';
import { listed } from '../../src/contract/words.ts';
import { countGenerations, descriptionRows, downloadRows, webFiles } from '../../src/web/pages.ts';
import { createSearchIndex } from '../../src/web/search/search-index.ts';
import { fillPlaceholders, html } from '../../src/web/shared/markup.ts';
import { everyKind, otherKinds } from '../support/kinds.ts';
import { onlyRaw, rawItem, rawMove, rawRecords, type SiteOptions, siteOf } from '../support/sites.ts';

const hostile = `<img src=x onerror="alert('1')">&`;
const escaped = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;';

describe('markup', () => {
  it('escapes whatever is no markup itself', () => {
    expect(html`<p title="${hostile}">${hostile}${1}</p>`.text).toBe(`<p title="${escaped}">${escaped}1</p>`);
    expect(html`<ul>${[html`<li>${hostile}</li>`, html`<li></li>`]}</ul>`.text).toBe(
      `<ul><li>${escaped}</li>\n<li></li></ul>`,
    );
  });

  it('fills every place of a page', () => {
    const filled = fillPlaceholders('{{a}} {{b}} {{a}}', { a: hostile, b: html`<b>$&</b>` });
    expect(filled.text).toBe(`${escaped} <b>$&</b> ${escaped}`);
  });

  it('rejects a place without a value, and a value without a place', () => {
    expect(() => fillPlaceholders('{{a}}', {})).toThrow('no value for {{a}}');
    expect(() => fillPlaceholders('', { a: 1 })).toThrow('no placeholder for a');
  });
});

describe('the chart', () => {
  it('counts by ascending generation, and last what has none', () => {
    const raw = onlyRaw({
      move: [rawMove(1, { generation: 9 }), rawMove(2), rawMove(3)],
      item: [rawItem(1), rawItem(2, { gameIndices: [{ generation: 1, index: 5 }] })],
    });
    expect([...countGenerations(createSearchIndex(siteOf(raw).records))]).toEqual([
      [1, everyKind({ move: 2, item: 1 }, () => 0)],
      [9, everyKind({ move: 1 }, () => 0)],
      [null, everyKind({ item: 1 }, () => 0)],
    ]);
  });
});

describe('the tables of files', () => {
  const sizes = new Map([
    ['download/item.csv', 1500],
    ['download/item.csv.gz', 400],
    ['download/item.csv.br', 300],
    ['download/item.ndjson', 2_000_000],
    ['schemas/move.json', 1],
    ['schemas/item.json', 1],
  ]);
  const text = (rows: readonly { text: string }[]): string[] =>
    rows.map((row) =>
      row.text
        .replaceAll(/<[^>]+>|\n/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );

  it('name each download once, with its size as it is and compressed', () => {
    expect(text(downloadRows(sizes, true))).toEqual([
      'item.ndjson Every item, one JSON object per line. 2.0 MB – –',
      'item.csv Every item as CSV (RFC 4180, UTF-8). 1.5 kB 400 B 300 B',
      'gamedata.tar.gz The complete site, to serve elsewhere. – – –',
      'gamedata.zip The same as a ZIP file. – – –',
      'gamedata.sha256 The SHA-256 checksums of both. – – –',
    ]);
  });

  it('name every schema', () => {
    expect(text(descriptionRows(sizes))).toContain(
      'schemas/ A JSON Schema 2020-12 for every response: item.json move.json',
    );
  });
});

/** The pages of a site of raw records, with the templates that there are. */
function pagesOf(raw: Parameters<typeof siteOf>[0], options?: SiteOptions, overrides = {}) {
  const { plan } = siteOf(raw, options);
  const files = webFiles({
    templates: readPackage().templates,
    records: plan.records,
    meta: { ...plan.meta, ...overrides },
    archive: false,
    sizes: new Map(),
  });
  return new Map(files.map(({ path, body }) => [path, String(body)]));
}

describe('the pages', () => {
  const three = rawRecords(2, 1);
  it.each([
    [three, {}, '<span id="command">curl "https://example.test/api/gamedata/move/move-1/?format=api"</span>'],
    [three, {}, 'href="api/gamedata/move/"'],
    [three, {}, `API of ${listed(['2 moves', '1 item', ...otherKinds.map((kind) => `1 ${kind}`)])} from`],
    [three, { links: 'file' }, 'move/move-1/index.json?format=api"</span>'],
    [three, { links: 'file' }, 'href="browse/index.html#/api/gamedata/move/"'],
    [rawRecords(0, 1), {}, 'item/item-1/?format=api"</span>'],
    [rawRecords(0, 0), {}, 'There are no records.'],
  ] as const)('are of the site: %#', (raw, options, text) => {
    expect(pagesOf(raw, options).get('index.html')).toContain(text);
  });

  it('name files where a host may know no folders', () => {
    const pages = pagesOf(three, { links: 'file' });
    for (const [file, page] of pages) {
      const links = [...page.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);
      expect([file, links.filter((href) => /^(?!#|https?:)(?:[^#?]*\/)?(?:#|$)/.test(href))]).toEqual([
        file,
        [],
      ]);
    }
    expect(pages.get('index.html')).toContain('href="docs/index.html"');
  });

  it('say where the API is described, for programs and for people', () => {
    const page = pagesOf(rawRecords(1, 1)).get('index.html');
    expect(page).toMatch(/<link rel="service-desc" type="[^"]+" href="openapi\.json">/);
    expect(page).toMatch(/<link rel="service-doc" type="text\/html" href="docs\/">/);
  });

  it('load their files from the path of the base URL, wherever they are shown', () => {
    const page = pagesOf(rawRecords(1, 1), {}, { base_url: 'https://example.test/games' }).get('browse.html');
    expect(page).toContain('href="/games/style.css"');
    expect(page).toContain('src="/games/browse.js"');
  });

  it('escape what an operator or the upstream named', () => {
    const page = pagesOf(rawRecords(1, 1), {}, { upstream: hostile, fallback: hostile }).get('index.html');
    expect(page?.split(escaped)).toHaveLength(3);
    expect(page).not.toContain('<img src=x');
  });

  it('hold no script, no style and no handler of their own, which a strict policy would refuse', () => {
    for (const [path, body] of pagesOf(rawRecords(3, 3))) {
      if (!path.endsWith('.html')) continue;
      expect(body).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! src="[\w./]+" defer><\/script>)/);
    }
  });
});
