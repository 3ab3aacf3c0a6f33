import { describe, expect, it } from 'vitest';
import { listPageFile } from '../../src/contract/paths.ts';
import { damage, openChanged } from '../support/built-site.ts';
import { rawRecords, siteOf } from '../support/sites.ts';

const site = siteOf(rawRecords(130, 3));
const movePage = listPageFile('move', 0);

describe('openSite', () => {
  it.each([
    [undefined, 'has no meta.json'],
    ['{', 'has no valid meta.json: invalid JSON'],
    [
      '{"format":1}',
      'has no valid meta.json: generator: got nothing, expected string',
    ],
    [
      '{"format":9,"generator":"gamedata/9.0.0"}',
      'meta.json has format 9, but this version of gamedata reads format 1',
    ],
  ])('rejects a site whose meta.json is %j', (text, problem) => {
    const { open, previous } = openChanged(site.files(), damage('meta.json', text));
    expect(open).toThrow(`site: ${problem}`);
    expect(previous?.digest).toBe('');
  });

  const fields = Array.from({ length: 98 }, (_, at) => `"x${at}":1`).join();
  const invalidRecords = [
    '7',
    'null',
    '{"url":"","slug":""}',
    '{"url":"","id":1}',
    '{"id":1,"slug":""}',
    '{"url":"","id":1,"slug":"","x":[]}',
    '{"url":"","id":1,"slug":"","x":{}}',
  ];
  it.each<[page: string, problem: string | RegExp]>([
    ...invalidRecords.map((record): [string, string] => [
      `{"results":[${record}]}`,
      `${movePage} › results[0]: got ${record}, expected a record`,
    ]),
    [
      `{"results":[{"url":"","id":1,"slug":"",${fields}}]}`,
      /results\[0\]: got .*, expected a record$/,
    ],
    [
      '{"results":[]}',
      / › digest: got sha256:\w+, expected sha256:\w+, as in meta\.json$/,
    ],
  ])(
    'rejects the invalid list page %s even if it matches the manifest',
    (body, problem) => {
      const others = site.files().filter((file) => file.path !== movePage);
      const { open } = openChanged([...others, { path: movePage, body }]);
      expect(() => open().records()).toThrow(problem);
    },
  );
});
