import { describe, expect, it } from 'vitest';
import { joinWords } from '../../src/contract/words.ts';
import { readBuildAssets } from '../../src/package.ts';
import { descriptionRows, downloadRows, renderPages } from '../../src/web/render-pages.ts';
import { fillPlaceholders, html } from '../../src/web/shared/markup.ts';
import { otherKinds } from '../support/kinds.ts';
import { rawRecords, type SiteOptions, siteOf } from '../support/sites.ts';

const hostile = `<img src=x onerror="alert('1')">&`;
const escaped = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;';

describe('markup', () => {
  it('escapes every value that is not markup', () => {
    expect(html`<p title="${hostile}">${hostile}${1}</p>`.text).toBe(`<p title="${escaped}">${escaped}1</p>`);
    expect(html`<ul>${[html`<li>${hostile}</li>`, html`<li></li>`]}</ul>`.text).toBe(
      `<ul><li>${escaped}</li>\n<li></li></ul>`,
    );
  });

  it('fills every placeholder of a template', () => {
    const filled = fillPlaceholders('{{a}} {{b}} {{a}}', { a: hostile, b: html`<b>$&</b>` });
    expect(filled.text).toBe(`${escaped} <b>$&</b> ${escaped}`);
  });

  it('rejects a placeholder without a value, and a value without a placeholder', () => {
    expect(() => fillPlaceholders('{{a}}', {})).toThrow('no value for {{a}}');
    expect(() => fillPlaceholders('', { a: 1 })).toThrow('no placeholder for a');
  });
});

describe('the tables of files', () => {
  const sizes = new Map([
    ['download/item.csv', 1500],
    ['download/item.csv.gz', 400],
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

  it('list each download with its plain and compressed sizes', () => {
    expect(text(downloadRows(sizes, true))).toEqual([
      'item.ndjson Every item, one JSON object per line. 2.0 MB –',
      'item.csv Every item as CSV (RFC 4180, UTF-8). 1.5 kB 400 B',
      'gamedata.tar.gz The complete site, to serve elsewhere. – –',
      'gamedata.sha256 The SHA-256 checksum of the archive. – –',
    ]);
  });

  it('list every schema', () => {
    expect(text(descriptionRows(sizes))).toContain(
      'schemas/ A JSON Schema 2020-12 for every response: item.json move.json',
    );
  });
});

function pagesOf(raw: Parameters<typeof siteOf>[0], options?: SiteOptions, overrides = {}) {
  const { plan } = siteOf(raw, options);
  const files = renderPages({
    templates: readBuildAssets().templates,
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
    [three, {}, `API of ${joinWords(['2 moves', '1 item', ...otherKinds.map((kind) => `1 ${kind}`)])} from`],
    [three, { links: 'file' }, 'move/move-1/index.json?format=api"</span>'],
    [three, { links: 'file' }, 'href="browse/index.html#/api/gamedata/move/"'],
    [rawRecords(0, 1), {}, 'item/item-1/?format=api"</span>'],
    [rawRecords(0, 0), {}, 'There are no records.'],
  ] as const)('show the content of the site: %#', (raw, options, text) => {
    expect(pagesOf(raw, options).get('index.html')?.replaceAll('<wbr>', '')).toContain(text);
  });

  it('link to files on hosts that do not know folders', () => {
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

  it('link to the specification and the docs', () => {
    const page = pagesOf(rawRecords(1, 1)).get('index.html');
    expect(page).toMatch(/<link rel="service-desc" type="[^"]+" href="openapi\.json">/);
    expect(page).toMatch(/<link rel="service-doc" type="text\/html" href="docs\/">/);
  });

  it.each(['browse.html', 'browse/index.html', '404.html'])('are not indexed at the paths of %s', (file) => {
    const pages = pagesOf(three);
    expect(pages.get(file)).toContain('<meta name="robots" content="noindex">');
    expect(pages.get('index.html')).not.toContain('noindex');
  });

  it('have what link previews show', () => {
    for (const [file, page] of pagesOf(three))
      if (file.endsWith('.html'))
        expect(page.match(/<meta property="og:(?:title|description|image|site_name)"/g), file).toHaveLength(
          4,
        );
  });

  it('keep code from being translated', () => {
    for (const page of pagesOf(three).values())
      expect(page).not.toMatch(/<(?:code|pre)(?![^>]* translate="no")/);
  });

  it('load their files from the path of the base URL at any depth', () => {
    const page = pagesOf(rawRecords(1, 1), {}, { base_url: 'https://example.test/games' }).get('browse.html');
    expect(page).toContain('href="/games/style.css"');
    expect(page).toContain('src="/games/browse.js"');
  });

  it('escape texts from the operator and the upstream', () => {
    const page = pagesOf(rawRecords(1, 1), {}, { upstream: hostile, fallback: hostile }).get('index.html');
    expect(page?.split(escaped)).toHaveLength(3);
    expect(page).not.toContain('<img src=x');
  });

  it('contain no inline script, style or handler, which the Content-Security-Policy blocks', () => {
    for (const [path, body] of pagesOf(rawRecords(3, 3))) {
      if (!path.endsWith('.html')) continue;
      expect(body).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! src="[\w./]+" defer><\/script>)/);
    }
  });
});
