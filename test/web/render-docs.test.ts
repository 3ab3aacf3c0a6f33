import { describe, expect, it } from 'vitest';
import { createSpecification } from '../../src/site/openapi.ts';
import {
  rawItem,
  rawMove,
  rawRecords,
  type SiteOptions,
  type SomeRecords,
  siteOf,
} from '../support/sites.ts';

function docsOf(raw: SomeRecords, options?: SiteOptions, archive = false): string {
  const { records, meta, templates } = siteOf(raw, options).plan;
  const files = createSpecification(records, meta, { archive, templates });
  const page = String(files.find(({ path }) => path === 'docs/index.html')?.body);
  return page.replaceAll(/ translate="no"|<wbr>/g, '');
}

describe('the docs', () => {
  it('escape names from the upstream', () => {
    const hostile = '<img src=x onerror="alert(1)">';
    const [move, item] = [[rawMove(1, { englishName: hostile })], [rawItem(1, { englishName: hostile })]];
    const page = docsOf({ move, item });
    expect(page).not.toContain('<img');
    expect(page.split('&lt;img src=x onerror=').length).toBeGreaterThan(2);
  });

  it('contain no inline script or style, which the Content-Security-Policy blocks', () => {
    const page = docsOf(rawRecords(3, 3));
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! src="[\w./]+" defer><\/script>)/);
  });

  it('request an existing record, and link to its page', () => {
    const page = docsOf(rawRecords(3, 3));
    expect(page).toContain('curl "https://example.test/api/gamedata/move/move-1/"');
    expect(page).toContain('<a href="../api/gamedata/move/move-1/" data-api="/api/gamedata/move/move-1/">');
    for (const language of ['JavaScript', 'Python', 'TypeScript'])
      expect(page.split(`<h3>${language}</h3>`)).toHaveLength(2);
    const empty = docsOf(rawRecords(0, 1));
    expect(empty).toContain('<code>GET /api/gamedata/move/{slug}/</code>');
    expect(empty).not.toMatch(/href="[^"]*\{|\/move\/\//);
  });

  it('describe every field', () => {
    const rows = docsOf(rawRecords(3, 3)).matchAll(/<tr><th scope="row"><code>(\w+)<\/code>.*?<\/tr>/gs);
    const fields = [...rows];
    expect(fields.length).toBeGreaterThan(40);
    for (const [row, name] of fields) expect(row, name).not.toContain('<td></td></tr>');
  });

  it('list the files of a site whose links point to files, and link to their pages', () => {
    const page = docsOf(rawRecords(120, 3), { links: 'file' });
    expect(page).toContain('<code>GET /api/gamedata/move/offset/{offset}/index.json</code>');
    expect(page).toContain('curl "https://example.test/api/gamedata/move/offset/100/index.json"');
    expect(page).toContain('href="../browse/index.html#/api/gamedata/move/move-1/"');
  });

  it.each([
    [false, false, []],
    [true, false, ['/download/move.csv']],
    [false, true, ['/download/gamedata.tar.gz']],
    [true, true, ['/download/move.csv', '/download/gamedata.tar.gz']],
  ])('list the downloads of a site: bulk files %s, archives %s', (downloads, archive, files) => {
    const page = docsOf(rawRecords(1, 1), { downloads }, archive);
    for (const file of ['/download/move.csv', '/download/gamedata.tar.gz'])
      expect(page.includes(`<a href="..${file}">`)).toBe(files.some((one) => one === file));
    expect(page.includes('This site has no bulk files.')).toBe(files.length === 0);
    expect(page).not.toContain('.csv.gz');
  });
});
