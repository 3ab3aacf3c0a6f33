import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/cli/commands/build.ts';
import { mapKinds } from '../../src/contract/kinds.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { namesIn } from '../support/kinds.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { serveUpstream } from '../support/test-upstream.ts';
import {
  type Answer,
  itemAnswer,
  moveAnswer,
  plainAnswer,
  upstreamOf,
} from '../support/upstream-data.ts';

const named = (names: Record<string, string>) => ({
  names: Object.entries(names).map(([language, name]) => ({
    name,
    language: { name: language },
  })),
});
const read = (folder: string, file: string) =>
  JSON.parse(readFileSync(path.join(folder, file), 'utf8'));

/**
 * Serves an upstream with two moves, which a test may change, and creates a function
 * that builds it.
 */
async function createScene() {
  const answers = {
    ...mapKinds((kind) => [plainAnswer(kind, 1, named({ en: 'Other' }))]),
    move: [1, 2].map((id) =>
      moveAnswer(id, named({ en: `Move ${id}`, fr: `Capacité ${id}` })),
    ),
    item: [itemAnswer(1, { names: [] })],
  };
  const { url: upstream } = await serveUpstream(upstreamOf(answers));
  const out = path.join(temporaryFolder(), 'site');
  const shared = {
    cache: temporaryFolder(),
    baseUrl: 'https://example.test',
    maxShrink: 100,
  } as const;
  const run = (options: Parameters<typeof build>[0] = {}) =>
    build({ ...shared, source: 'rest', upstream, out, ...options });
  return { answers, out, run };
}

describe("a site's names", () => {
  it("rewrites a language's names, but not the history, when a translation changes", async () => {
    const { answers, run, out } = await createScene();
    await run();
    const before = fingerprint(out);
    Object.assign(answers.move[0] as Answer, named({ en: 'Move 1', fr: 'Autre' }));
    const nameChanges = [{ language: 'fr', before: 2, changed: 1, lost: 0 }];
    expect(await run()).toMatchObject({
      changed: true,
      changes: { steps: [], names: nameChanges },
    });
    const after = fingerprint(out);
    const changed = [...after.keys()].filter(
      (file) => file.includes('.') && before.get(file) !== after.get(file),
    );
    expect(changed.sort()).toEqual([
      ...[
        'data/dataset.json',
        'data/names/fr.json',
        'docs/index.html',
        'manifest.json',
        'meta.json',
        'names/fr.json',
        'openapi.json',
      ],
    ]);
    const names = namesIn('fr', {
      move: { 'move-1': 'Autre', 'move-2': 'Capacité 2' },
    });
    expect(read(out, 'names/fr.json')).toEqual(names);
    expect(await run()).toMatchObject({ changed: false, changes: { names: [] } });
  });
});
