import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPackage } from '../../src/cli/commands/package-files.ts';
import type { Meta } from '../../src/contract/meta.ts';
import type { MadeFile, Text } from '../../src/contract/site-file.ts';
import { emptyHistory } from '../../src/dataset/history.ts';
import { type HostName, hostNames } from '../../src/hosts/names.ts';
import { type CompleteSite, completeSite } from '../../src/site/complete-site.ts';
import { bodyText } from '../support/body.ts';
import { rawItem, rawMove, siteOf } from '../support/sites.ts';

const handlerModule = () => 'handler';
const { templates } = readPackage();

interface Choices {
  readonly names: readonly string[];
  readonly slugs: readonly string[];
  readonly meta: Partial<Meta>;
  readonly hosts: readonly HostName[];
  readonly serving: CompleteSite['serving'];
  readonly archive: boolean;
  readonly isRenamed: boolean;
}

function renamed(id: number, from: string, to: string): CompleteSite['history'] {
  const nothing = { added: [], removed: [], renamed: [], changed: [] };
  const summary = { digest: `sha256:${'0'.repeat(64)}`, captured: null, counts: { move: 1, item: 1 } };
  const changes = { move: { ...nothing, renamed: [{ id, from, to, fields: [] }] }, item: nothing };
  const totals = { added: 0, removed: 0, renamed: 1, changed: 0 };
  return { ...emptyHistory, steps: [{ from: summary, to: summary, totals, changes }] };
}

/** The files of a site that say what they are made of: path → that, and the file. */
async function derivedFiles({ names, slugs, meta, hosts, serving, archive, isRenamed }: Choices) {
  const move = names.map((englishName, at) => rawMove(at + 1, { slug: `${slugs[at]}`, englishName }));
  const { records, meta: usual } = siteOf({ move, item: [rawItem(1)] });
  const site: CompleteSite = {
    records,
    meta: { ...usual, ...meta, hosts: [...hosts] },
    history: isRenamed ? renamed(1, 'former', `${slugs[0]}`) : emptyHistory,
    hosts,
    serving,
    assets: [],
    archive,
    package: { templates, compiled: [], handlerModule },
    compress: () => Promise.reject(new Error('not compressed')),
    sizes: new Map(),
  };
  const derived = [...completeSite(site)].filter(
    (file): file is MadeFile & { inputs: Text } => 'inputs' in file && file.inputs !== undefined,
  );
  return new Map(
    await Promise.all(
      derived.map(
        async ({ path, inputs, make }) => [path, [bodyText(inputs), bodyText(await make())]] as const,
      ),
    ),
  );
}

const choices = fc.record<Choices>({
  names: fc.array(fc.constantFrom('Pound', 'Karate Chop'), { minLength: 3, maxLength: 3 }),
  slugs: fc.shuffledSubarray(['a', 'b', 'c', 'd'], { minLength: 3, maxLength: 3 }),
  meta: fc.record<Partial<Meta>>(
    {
      base_url: fc.constantFrom('https://example.test', 'https://example.test/path'),
      generator: fc.constantFrom('gamedata/1.0.0', 'gamedata/2.0.0'),
      captured: fc.constantFrom('2026-01-02', '2026-01-03'),
      links: fc.constantFrom('query', 'file'),
      downloads: fc.boolean(),
      warnings: fc.constant({ move: { 'no-icon': 1 }, item: {} }),
      sprites: fc.constantFrom(
        { mode: 'none' as const, upstream: null },
        { mode: 'link' as const, upstream: 'https://icons.test' },
      ),
    },
    { requiredKeys: [] },
  ),
  hosts: fc.subarray([...hostNames], { minLength: 1 }),
  serving: fc.record({ root: fc.constantFrom('/srv/a', '/srv/b') }),
  archive: fc.boolean(),
  isRenamed: fc.boolean(),
});

describe('files that say what they are made of', () => {
  it('are the same whenever that is the same', async () => {
    const known = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(choices, async (chosen) => {
        for (const [path, [inputs, text]] of await derivedFiles(chosen)) {
          const key = `${path}\n${inputs}`;
          if (known.has(key)) expect(text, path).toBe(known.get(key));
          known.set(key, text);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('do not depend on other properties of the data, nor on the folder unless a web server is told', async () => {
    const chosen: Choices = {
      names: ['Pound', 'Pound', 'Pound'],
      slugs: ['a', 'b', 'c'],
      meta: {},
      hosts: ['netlify', 'cloudflare'],
      serving: { root: '/srv/a' },
      archive: false,
      isRenamed: false,
    };
    const before = await derivedFiles(chosen);
    expect([...before.keys()]).toEqual(
      expect.arrayContaining(['_redirects', 'openapi.json', 'docs/index.html', 'schemas/move.json']),
    );
    const names = ['Pound', 'Pound', 'Slap'];
    const meta = { captured: '2027-01-01', digest: 'other' };
    const after = await derivedFiles({ ...chosen, names, meta, serving: { root: '/srv/b' } });
    expect(after).toEqual(before);
    // A site with other slugs has other rules, and the same schemas.
    const renamed = await derivedFiles({ ...chosen, slugs: ['a', 'b', 'd'] });
    expect(renamed.get('_redirects')).not.toEqual(before.get('_redirects'));
    expect(renamed.get('schemas/move.json')).toEqual(before.get('schemas/move.json'));
  });
});
