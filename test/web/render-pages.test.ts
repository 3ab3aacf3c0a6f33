import { describe, expect, it } from 'vitest';
import { joinWords } from '../../src/contract/words.ts';
import { readBuildAssets } from '../../src/package.ts';
import { createSpecification } from '../../src/site/openapi.ts';
import { renderDescriptions, renderDownloads, renderPages } from '../../src/web/render-pages.ts';
import { fillPlaceholders, html } from '../../src/web/shared/markup.ts';
import { otherKinds } from '../support/kinds.ts';
import { rawRecords, type SiteOptions, siteOf } from '../support/sites.ts';

const hostile = `<img src=x onerror="alert('1')">&`;
const escaped = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;';

it('escapes every value except markup', () => {
  const list = html`<ul title="${hostile}">${[html`<li>${hostile}${1}</li>`, html`<li></li>`]}</ul>`;
  expect(list.text).toBe(`<ul title="${escaped}"><li>${escaped}1</li>\n<li></li></ul>`);
});

describe('fillPlaceholders', () => {
  it.each([
    ['{{a}} {{b}} {{a}}', { a: hostile, b: html`<b>$&</b>` }, `${escaped} <b>$&</b> ${escaped}`],
    ['{{#a}}\n<p>{{a}}</p>\n{{/a}}\n{{b}}', { a: 'x', b: 1 }, '<p>x</p>\n1'],
    ['{{#a}}{{a}}{{/a}}{{#b}}{{b}}{{/b}}{{#c}}c{{/c}}', { a: '', b: [], c: false }, ''],
  ])('fills %j', (template, values, text) => {
    expect(fillPlaceholders(template, values).text).toBe(text);
  });

  it('rejects a placeholder without a value, and a value without a placeholder', () => {
    expect(() => fillPlaceholders('{{a}}', {})).toThrow('no value for {{a}}');
    expect(() => fillPlaceholders('', { a: 1 })).toThrow('no placeholder for a');
  });
});

it('lists every download with its sizes, and every schema', () => {
  const sizes = new Map([
    ['download/item.csv', 1500],
    ['download/item.csv.gz', 400],
    ['download/item.ndjson', 2_000_000],
    ['schemas/move.json', 1],
    ['schemas/item.json', 1],
  ]);
  const readText = (rows: readonly { text: string }[]): string[] =>
    rows.map(({ text }) => text.replaceAll(/(?:<[^>]+>|\s)+/g, ' ').trim());
  expect(readText(renderDownloads(sizes, true))).toEqual([
    'item.ndjson Every item, one JSON object per line. 2.0 MB –',
    'item.csv Every item as CSV (RFC 4180, UTF-8). 1.5 kB 400 B',
    'gamedata.tar.gz The complete site, to serve elsewhere. – –',
    'gamedata.sha256 The SHA-256 checksum of the archive. – –',
  ]);
  expect(readText(renderDescriptions(sizes))).toContain(
    'schemas/ A JSON Schema 2020-12 for every response: item.json move.json',
  );
});

const three = rawRecords(2, 1);

/** Path → page, including the docs. */
function render(raw = three, options?: SiteOptions, overrides = {}): Map<string, string> {
  const { plan } = siteOf(raw, options);
  const { template } = readBuildAssets();
  const input = { ...plan, meta: { ...plan.meta, ...overrides }, template, sizes: new Map() };
  const files = [...renderPages(input), ...createSpecification(plan.records, input.meta, plan)];
  const pages = files.filter(({ path }) => path.endsWith('.html'));
  return new Map(pages.map(({ path, body }) => [path, String(body).replaceAll('<wbr>', '')]));
}
const pages = render();
const filePages = render(three, { links: 'file' });

it.each([
  [
    pages,
    '<span id="command">curl "https://example.test/api/gamedata/move/move-1/?format=api"</span>',
  ],
  [pages, 'href="api/gamedata/move/"'],
  [
    pages,
    `API of ${joinWords(['2 moves', '1 item', ...otherKinds.map((kind) => `1 ${kind}`)])} from`,
  ],
  [pages, ' type="application/vnd.oai.openapi+json;version=3.1" href="openapi.json">'],
  [pages, '<link rel="service-doc" type="text/html" href="docs/">'],
  [filePages, 'move/move-1/index.json?format=api"</span>'],
  [filePages, 'href="browse/index.html#/api/gamedata/move/"'],
  [filePages, 'href="docs/index.html"'],
  [render(rawRecords(0, 1)), 'item/item-1/?format=api"</span>'],
  [render(rawRecords(0, 0)), 'There are no records.'],
] as const)("shows the site's contents on the front page: %#", (found, text) => {
  expect(found.get('index.html')).toContain(text);
});

it.each([...filePages])('for hosts without index pages, links only to files: %s', (_, page) => {
  const links = [...page.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href);
  expect(links.filter((href) => /^(?!#|https?:)(?:[^#?]*\/)?(?:#|$)/.test(href))).toEqual([]);
});

it.each([...pages])(
  'renders %s with a link preview and without inline scripts, styles or handlers',
  (path, page) => {
    expect(page.match(/<meta property="og:(?:title|description|image|site_name)"/g)).toHaveLength(
      4,
    );
    expect(page.includes('<meta name="robots" content="noindex">')).toBe(/browse|404/.test(path));
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! src="[\w./]+" defer><\/script>)/);
    // Translation would change code.
    expect(page).not.toMatch(/<(?:code|pre)(?![^>]* translate="no")/);
  },
);

it("loads files from the base URL's path at any depth, and escapes text from the upstream", () => {
  const hostileMeta = {
    base_url: 'https://example.test/games',
    upstream: hostile,
    fallback: hostile,
  };
  const found = render(three, {}, hostileMeta);
  expect(found.get('browse.html')).toMatch(
    /href="\/games\/style\.css"[\s\S]*src="\/games\/browse\.js"/,
  );
  const page = found.get('index.html');
  expect(page?.split(escaped)).toHaveLength(3);
  expect(page).not.toContain('<img src=x');
});
