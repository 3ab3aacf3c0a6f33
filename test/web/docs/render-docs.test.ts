import { expect, it } from 'vitest';
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
  const described = { ...plan.meta, hosts: options.hosts ?? [] };
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
    'curl "https://example.test/api/gamedata/move/move-1/?format=api"',
  ],
  [
    "the record's page",
    '<a href="../api/gamedata/move/move-1/?format=api" data-api="/api/gamedata/move/move-1/?format=api">',
  ],
  [
    'a first request',
    "await fetch('https://example.test/api/gamedata/move/move-1/?format=api')",
  ],
  [
    'a line of a bulk file',
    '{&quot;url&quot;:&quot;https://example.test/api/gamedata/move/move-1/?',
  ],
  ['a table', 'url,id,slug,name,generation\r\nhttps://example.test/'],
  ['meta.json', '&quot;generator&quot;: &quot;gamedata/0.0.0&quot;'],
  ['a change', '&quot;totals&quot;: {'],
])('shows %s in the docs', (_, text) => expect(docs).toContain(text));

it('describes every field in the docs', () => {
  const rows = [
    ...docs.matchAll(/<tr><th scope="row"><code>(\w+)<\/code>.*?<\/tr>/gs),
  ];
  expect(rows.length).toBeGreaterThan(40);
  for (const [row, name] of rows) expect(row, name).not.toContain('<td></td></tr>');
});

it('omits the example for a kind that has no records', () => {
  expect(renderDocs(rawRecords(0, 1))).not.toMatch(/href="[^"]*\{|\/move\/\//);
});

it.each([
  ['netlify', {}, 'may have any value', 'rejects other values'],
  ['nginx', {}, 'rejects other values', 'may have any value'],
  ['netlify-rules', {}, 'Always 100.', 'may have any value'],
  [
    'github-pages',
    { links: 'file' },
    'Every page is a file.',
    'rejects other values',
  ],
] as const)(
  'describes the page ranges that %s supports',
  (host, options, text, other) => {
    const page = renderDocs(rawRecords(1, 1), { ...options, hosts: [host] });
    expect(page).toContain(text);
    expect(page).not.toContain(other);
  },
);

it.each([
  [{}, 'redirects (301) to its new URL', 'moved.json</code> has the new path'],
  [
    { links: 'file' },
    'moved.json</code> has the new path',
    'redirects (301) to its new URL',
  ],
] as const)(
  'explains how clients notice a renamed record on a site with %j',
  (options, text, other) => {
    const page = renderDocs(rawRecords(1, 1), options);
    expect(page).toContain(text);
    expect(page).not.toContain(other);
  },
);

it('documents files instead of endpoints if links point to files', () => {
  const page = renderDocs(rawRecords(120, 3), { links: 'file' });
  expect(page).toContain(
    '<code>GET /api/gamedata/move/offset/{offset}/index.json</code>',
  );
  expect(page).toContain(
    'curl "https://example.test/api/gamedata/move/offset/100/index.json?format=api"',
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
