import { describe, expect, it } from 'vitest';
import { joinWords, listKinds } from '../../src/contract/words.ts';
import { readBuildAssets } from '../../src/package.ts';
import { createSpecification } from '../../src/site/openapi.ts';
import { renderDownloads, renderPages } from '../../src/web/render-pages.ts';
import { html } from '../../src/web/shared/html.ts';
import { fillPlaceholders } from '../../src/web/shared/markup.ts';
import { otherKinds } from '../support/kinds.ts';
import { rawRecords, type SiteOptions, siteOf } from '../support/sites.ts';

const hostile = `<img src=x onerror="alert('1')">&`;
const escaped = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;';

it('escapes every value except markup', () => {
  const list = html`<ul title="${hostile}">${[html`<li>${hostile}${1}</li>`, html`<li></li>`]}</ul>`;
  expect(list.text).toBe(
    `<ul title="${escaped}"><li>${escaped}1</li>\n<li></li></ul>`,
  );
});

describe('fillPlaceholders', () => {
  it.each([
    [
      '{{a}} {{b}} {{a}}',
      { a: hostile, b: html`<b>$&</b>` },
      `${escaped} <b>$&</b> ${escaped}`,
    ],
    ['{{#a}}\n<p>{{a}}</p>\n{{/a}}\n{{b}}', { a: 'x', b: 1 }, '<p>x</p>\n1'],
    [
      '{{#a}}{{a}}{{/a}}{{#b}}{{b}}{{/b}}{{#c}}c{{/c}}',
      { a: '', b: [], c: false },
      '',
    ],
  ])('fills in the template %j', (template, values, text) => {
    expect(fillPlaceholders(template, values).text).toBe(text);
  });

  it('rejects a placeholder without a value', () => {
    expect(() => fillPlaceholders('{{a}}', {})).toThrow('no value for {{a}}');
  });

  it('rejects a value without a placeholder', () => {
    expect(() => fillPlaceholders('', { a: 1 })).toThrow('no placeholder for a');
  });
});

const readText = (rows: readonly { text: string }[]): string[] =>
  rows.map(({ text }) => text.replaceAll(/(?:<[^>]+>|\s)+/g, ' ').trim());

it("lists every download with its size and its compressed copy's size", () => {
  const sizes = new Map([
    ['download/item.csv', 1500],
    ['download/item.csv.gz', 400],
    ['download/item.ndjson', 2_000_000],
  ]);
  expect(readText(renderDownloads(sizes, true))).toEqual([
    'item.ndjson Every item, one JSON object per line. 2.0 MB –',
    'item.csv Every item as CSV (RFC 4180, UTF-8). 1.5 kB 400 B',
    'gamedata.tar.gz The complete site, to serve elsewhere. – –',
    'gamedata.sha256 The SHA-256 checksum of the archive. – –',
  ]);
});

const three = rawRecords(2, 1);

/** Returns the text of each page by its path, including the docs. */
function render(
  raw = three,
  options?: SiteOptions,
  overrides = {},
): Map<string, string> {
  const { plan } = siteOf(raw, options);
  const { template } = readBuildAssets();
  const input = {
    ...plan,
    meta: { ...plan.meta, ...overrides },
    template,
    sizes: new Map(),
  };
  const files = [
    ...renderPages(input),
    ...createSpecification(plan.records, input.meta, plan),
  ];
  const pages = files.filter(({ path }) => path.endsWith('.html'));
  return new Map(
    pages.map(({ path, body }) => [path, String(body).replaceAll('<wbr>', '')]),
  );
}
const pages = render();
const filePages = render(three, { links: 'file' });

it.each([
  [pages, 'href="api/gamedata/move/"'],
  [
    pages,
    `A free JSON API of ${joinWords(['2 moves', '1 item', ...otherKinds.map((kind) => `1 ${kind}`)])}.`,
  ],
  [pages, `<title>gamedata: Pokémon ${listKinds()} as JSON</title>`],
  [pages, 'Data of <time>2026-01-02</time>'],
  [pages, 'is from <a href="https://upstream.test/api/v2"'],
  [
    pages,
    ' type="application/vnd.oai.openapi+json;version=3.1" href="openapi.json">',
  ],
  [pages, '<link rel="service-doc" type="text/html" href="docs/">'],
  [filePages, 'href="browse/index.html#/api/gamedata/move/"'],
  [filePages, 'href="docs/index.html"'],
] as const)(
  'describes the site and links to its contents on the front page (case %#)',
  (found, text) => {
    expect(found.get('index.html')).toContain(text);
  },
);

it("links to a kind's bulk files on its list page", () => {
  const { plan } = siteOf(three);
  const { template } = readBuildAssets();
  const sizes = new Map([['download/move.csv', 1500]]);
  const files = renderPages({ ...plan, template, sizes, archive: false });
  const browse = String(files.find(({ path }) => path === 'browse.html')?.body);
  const lines = browse.match(/<p [^>]*data-files=.*/g);
  expect(lines).toEqual([
    '<p class="quiet" data-files="move" hidden>Every move in one file: <a href="/download/move.csv" download>CSV</a></p>',
  ]);
});

it.each([...filePages])(
  'links only to files, not to folders, if the host has no index pages: %s',
  (_, page) => {
    const links = [...page.matchAll(/ href="([^"]*)"/g)].map(
      ([, href = '']) => href,
    );
    expect(
      links.filter((href) => /^(?!#|https?:)(?:[^#?]*\/)?(?:#|$)/.test(href)),
    ).toEqual([]);
  },
);

it.each([...pages])(
  'renders %s without inline scripts, styles or event handlers',
  (path, page) => {
    expect(
      page.match(/<meta property="og:(?:title|description|image|site_name)"/g),
    ).toHaveLength(4);
    expect(page.includes('<meta name="robots" content="noindex">')).toBe(
      /browse\/|404/.test(path),
    );
    expect(page).not.toMatch(
      /<style|\sstyle=|\son\w+=|<script(?! src="[\w./]+" defer><\/script>| type="application\/ld\+json")/,
    );
    // Code must not be translated.
    expect(page).not.toMatch(/<(?:code|pre)(?![^>]* translate="no")/);
  },
);

it("loads the browsable page's style sheet and script from the base URL's path", () => {
  const found = render(three, {}, { base_url: 'https://example.test/games' });
  expect(found.get('browse.html')).toMatch(
    /href="\/games\/style\.css"[\s\S]*src="\/games\/browse\.js"/,
  );
});

it("escapes HTML in the upstream's name", () => {
  const page = render(three, {}, { upstream: hostile }).get('index.html');
  expect(page?.split(escaped)).toHaveLength(2);
  expect(page).not.toContain('<img src=x');
});

const fallback =
  'https://pokeapi.co/api/v2 could not be reached (ECONNREFUSED): built from bundled data';

it.each([...render(three, {}, { fallback })])(
  "does not show the build's network errors on the page %s",
  (_, page) => expect(page).not.toContain('could not be reached'),
);

it.each([
  ['npm package pokedex@1.1.0', 'is from npm package pokedex 1.1.0.'],
  [
    'https://cdn.test/pokedex@1.1.0/csv',
    '>https://cdn.test/pokedex%401.1.0/csv</a>.',
  ],
])(
  'shows the upstream without text that looks like an e-mail address: %s',
  (upstream, text) => {
    const found = render(three, {}, { upstream });
    expect(found.get('index.html')).toContain(text);
    for (const page of found.values()) {
      expect(page.replaceAll(/<[^>]*>/g, '')).not.toContain('@1');
    }
  },
);

it.each([...pages])(
  'names the owner of the Pokémon trademark on the page %s',
  (_, page) => {
    expect(page).toContain('The Pokémon Company, who own the Pokémon trademark.');
  },
);

describe("the front page's metadata for search engines", () => {
  const readMetadata = (page = ''): unknown => {
    const [, text = ''] =
      /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page) ?? [];
    return JSON.parse(text);
  };

  it("describes the data set and its downloads in the front page's metadata", () => {
    const { plan } = siteOf(three);
    const { template } = readBuildAssets();
    const sizes = new Map([['download/item.csv', 1500]]);
    const [front] = renderPages({ ...plan, template, sizes, archive: true }).slice(
      -1,
    );
    expect(readMetadata(String(front?.body))).toMatchObject({
      '@context': 'https://schema.org',
      '@type': 'Dataset',
      name: `Pokémon ${listKinds()}`,
      url: 'https://example.test/',
      license: 'https://example.test/data-license.txt',
      dateModified: '2026-01-02',
      distribution: [
        {
          contentUrl: 'https://example.test/download/item.csv',
          encodingFormat: 'text/csv',
        },
        {
          contentUrl: 'https://example.test/download/gamedata.tar.gz',
          encodingFormat: 'application/gzip',
        },
      ],
    });
  });

  it("escapes tags in the front page's metadata", () => {
    const found = render(three, {}, { captured: '</script><img src=x>' }).get(
      'index.html',
    );
    expect(readMetadata(found)).toMatchObject({
      dateModified: '</script><img src=x>',
    });
  });
});
