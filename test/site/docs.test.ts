import { describe, expect, it } from 'vitest';
import { specificationFiles } from '../../src/site/openapi.ts';
import {
  rawItem,
  rawMove,
  rawRecords,
  type SiteOptions,
  type SomeRecords,
  siteOf,
} from '../support/sites.ts';

/** The docs of a site. */
function docsOf(raw: SomeRecords, options?: SiteOptions, archive = false): string {
  const { records, meta, docs } = siteOf(raw, options).plan;
  const files = specificationFiles(records, meta, { archive, docs });
  return String(files.find(({ path }) => path === 'docs/index.html')?.body);
}

describe('the docs', () => {
  it('escape what the upstream named', () => {
    const hostile = '<img src=x onerror="alert(1)">';
    const page = docsOf({
      move: [rawMove(1, { englishName: hostile })],
      item: [rawItem(1, { englishName: hostile })],
    });
    expect(page).not.toContain('<img');
    expect(page.split('&lt;img src=x onerror=').length).toBeGreaterThan(2);
  });

  it('hold no script and no style of their own, which the policy forbids', () => {
    const page = docsOf(rawRecords(3, 3));
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?! src="[\w./]+" type="module"><\/script>)/);
  });

  it('request a record that exists, of a kind that has any', () => {
    expect(docsOf(rawRecords(3, 3))).toContain(
      "curl 'https://example.test/api/gamedata/move/move-1/'".replaceAll("'", '&#39;'),
    );
    const empty = docsOf(rawRecords(0, 1));
    expect(empty).toContain('/api/gamedata/move/{slug}/');
    expect(empty).not.toContain('/move//');
  });

  it('say what every field means', () => {
    const fields = [
      ...docsOf(rawRecords(3, 3)).matchAll(/<tr><th scope="row"><code>(\w+)<\/code>.*?<\/tr>/gs),
    ];
    expect(fields.length).toBeGreaterThan(40);
    for (const [row, name] of fields) expect(row, name).not.toContain('<td></td></tr>');
  });

  it('name the files of a site whose links point to files', () => {
    const page = docsOf(rawRecords(120, 3), { links: 'file' });
    expect(page).toContain('<code>/api/gamedata/move/offset/{offset}/index.json</code>');
    expect(page).toContain('https://example.test/api/gamedata/move/offset/100/index.json');
    expect(page).not.toContain('name="limit"');
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
