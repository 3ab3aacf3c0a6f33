import { expect, it } from 'vitest';
import { mapKinds } from '../../../src/contract/kinds.ts';
import { createSpecification } from '../../../src/site/openapi.ts';
import { namesIn } from '../../support/kinds.ts';
import {
  rawMove,
  rawRecords,
  type SiteOptions,
  type SomeRecords,
  siteOf,
} from '../../support/sites.ts';

function renderDocs(
  raw: SomeRecords,
  options: SiteOptions & { hosts?: string[] } = {},
  archive = false,
) {
  const { plan } = siteOf(raw, options);
  const names = [namesIn('fr', { move: { 'move-1': 'Un' } })];
  const summary = {
    digest: `sha256:${'1'.repeat(64)}`,
    languages: { fr: mapKinds(() => 1) },
  };
  const described = { ...plan.meta, hosts: options.hosts ?? [], names: summary };
  const files = createSpecification(plan.records, described, {
    ...plan,
    archive,
    names,
  });
  const page = String(files.find(({ path }) => path === 'docs/index.html')?.body);
  return page.replaceAll(/ translate="no"|<wbr>/g, '');
}
const docs = renderDocs(rawRecords(3, 3));

it('escapes HTML in record names', () => {
  const englishName = '<img src=x onerror="alert(1)">';
  const page = renderDocs({ move: [rawMove(1, { englishName })] });
  expect(page).not.toContain('<img');
  expect(page.split('&lt;img src=x onerror=').length).toBeGreaterThan(2);
});

it.each([
  [
    'an existing record',
    'curl https://example.test/api/gamedata/move/move-1/</code>',
  ],
  [
    "the record's page",
    '<a href="../api/gamedata/move/move-1/?format=api" data-api="/api/gamedata/move/move-1/?format=api">',
  ],
  [
    'a first request',
    "await fetch('https://example.test/api/gamedata/move/move-1/')",
  ],
  [
    'a line of a bulk file',
    '{&quot;url&quot;:&quot;https://example.test/api/gamedata/move/move-1/?',
  ],
  ['a table', 'url,id,slug,name,generation\r\nhttps://example.test/'],
  ['meta.json', '&quot;generator&quot;: &quot;gamedata/0.0.0&quot;'],
  ['a change', '&quot;totals&quot;: {'],
  ['a link to a JSON Schema', '<a href="../schemas/move-page.json">move-page</a>'],
  ['a link to the names', 'href="../names/fr.json"><code>fr</code></a>'],
  ['the first names', '&quot;move-1&quot;: &quot;Un&quot;, …'],
])('shows %s in the docs', (_, text) => expect(docs).toContain(text));

it('describes every field in the docs', () => {
  const rows = [
    ...docs.matchAll(/<tr><th scope="row"><code>(\w+)<\/code>.*?<\/tr>/gs),
  ];
  expect(rows.length).toBeGreaterThan(30);
  for (const [row, name] of rows) expect(row, name).not.toContain('<td></td></tr>');
});

it('omits the example for a kind that has no records', () => {
  expect(renderDocs(rawRecords(0, 1))).not.toMatch(/href="[^"]*\{|\/move\/\//);
});

it('describes each parameter and the fields of list pages only once', () => {
  expect(docs.split('<code>limit</code>')).toHaveLength(2);
  expect(docs.split('The next page; null on the last page.')).toHaveLength(2);
  expect(docs).toContain('has the same fields as <a href="#MovePage">');
});

it("shows part of the site's own meta.json", () => {
  const { plan } = siteOf(rawRecords(3, 3));
  const [, example = ''] = docs.split('<code>/meta.json</code>, shortened');
  const [, text = ''] = /<code>(.*?)<\/code>/s.exec(example) ?? [];
  const json = text.replaceAll('&quot;', '"').replaceAll(/,\s*…/g, '');
  const { digest, names, ...shown } = JSON.parse(json);
  expect(Object.keys(shown).length).toBeGreaterThan(6);
  expect(plan.meta).toMatchObject(shown);
  expect(digest).toBe(`${plan.meta.digest.slice(0, 'sha256:'.length + 8)}…`);
  expect(names.languages.fr).toMatchObject({ move: 1 });
});

/** A text for each promise that some hosts do not keep. */
const promises = {
  cors: '(CORS)',
  vary: '<code>Vary</code>',
  allow: '<code>Allow</code>',
  etag: 'to get a 304',
  'if-none-match': 'If you send <code>If-None-Match</code>',
  caching: '<code>Cache-Control</code>',
  slash: 'if a request omits the slash (301)',
  moved: 'redirects (301) to its new URL',
  pages: 'browsers get a page',
  'json-errors': 'An error is JSON',
  'read-only': 'The API is read-only',
  'unknown-format': 'Any other value is a 404',
  'any-range': 'An invalid value means 100',
  'rejected-range': 'This page of a list does not exist',
  unlimited: 'no rate limits',
} as const;
type PromiseName = keyof typeof promises;

const byRules: readonly PromiseName[] = [
  'cors',
  'vary',
  'etag',
  'if-none-match',
  'caching',
  'moved',
  'json-errors',
];
const byRequests: readonly PromiseName[] = [
  ...byRules,
  'slash',
  'pages',
  'read-only',
];
const byWebServers: readonly PromiseName[] = [
  ...byRequests,
  'allow',
  'unknown-format',
  'rejected-range',
  'unlimited',
];

it.each<[string, string[], SiteOptions, readonly PromiseName[]]>([
  ['Netlify', ['netlify'], {}, [...byRequests, 'any-range']],
  [
    'Netlify without functions',
    ['netlify-rules'],
    {},
    [...byRules, 'rejected-range'],
  ],
  [
    'Cloudflare',
    ['cloudflare'],
    {},
    [...byRequests, 'allow', 'unknown-format', 'any-range'],
  ],
  ['nginx', ['nginx'], {}, byWebServers],
  ['Caddy', ['caddy'], {}, byWebServers],
  ['Apache', ['apache'], {}, byWebServers],
  [
    'a web server and a CDN',
    ['nginx', 'netlify'],
    {},
    [...byRequests, 'rejected-range'],
  ],
  ['GitHub Pages', ['github-pages'], { links: 'file' }, []],
  ['plain file servers', [], { links: 'file' }, []],
  ['no host', [], {}, []],
  ['a host of another version', ['other'], {}, []],
])('promises only what %s does', (_, hosts, options, expected) => {
  const page = renderDocs(rawRecords(1, 1), { ...options, hosts });
  const names = Object.keys(promises) as PromiseName[];
  const made = names.filter((name) => page.includes(promises[name]));
  expect(made.toSorted()).toEqual(expected.toSorted());
});

it('says where to find renamed records if the host does not redirect', () => {
  const page = renderDocs(rawRecords(1, 1), { links: 'file' });
  expect(page).toContain('moved.json</code> has the new path');
});

it('documents files instead of endpoints if links point to files', () => {
  const page = renderDocs(rawRecords(120, 3), { links: 'file' });
  expect(page).toContain(
    '<code>GET /api/gamedata/move/offset/{offset}/index.json</code>',
  );
  expect(page).toContain(
    'curl https://example.test/api/gamedata/move/offset/100/index.json</code>',
  );
  expect(page).toContain(
    'href="../browse/index.html#/api/gamedata/move/move-1/?format=api"',
  );
});

it.each([false, true])('lists the archive if the site has one (%s)', (archive) => {
  const page = renderDocs(rawRecords(1, 1), {}, archive);
  expect(page).toContain('<a href="../download/move.csv">');
  expect(page.includes('<a href="../download/gamedata.tar.gz">')).toBe(archive);
  expect(page).not.toContain('.csv.gz');
});
