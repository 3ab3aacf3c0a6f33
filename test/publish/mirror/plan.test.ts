import { describe, expect, it } from 'vitest';
import { isHostFile } from '../../../src/contract/paths.ts';
import { hostFiles } from '../../../src/hosts/index.ts';
import { hostNames } from '../../../src/hosts/names.ts';
import { planMirror } from '../../../src/publish/mirror/plan.ts';
import { hostContext, rawRecords, siteOf } from '../../support/sites.ts';

const entry = (path: string, content = path) => ({ path, bytes: content.length, sha256: content });
const touched = 'touched';
const copyOf = (...entries: ReturnType<typeof entry>[]) => ({
  entries: new Map(entries.map((one) => [one.path, one])),
  touched: new Set([touched]),
});
const paths = (entries: readonly { path: string }[]) => entries.map(({ path }) => path);

describe('the plan of a mirror', () => {
  it.each([
    ['what somebody has touched in the copy', [entry('a'), entry(touched)], [touched]],
    ['what has another size than in the copy', [{ ...entry('a'), bytes: 9 }], ['a']],
    ['the same bytes once, whatever they are called', [entry('x', 'same'), entry('y', 'same')], ['x']],
  ])('fetches %s', (_, files, fetched) => {
    const plan = planMirror({ generator: 'gamedata/1', files }, copyOf(entry('a'), entry(touched)));
    expect(paths(plan.fetch)).toEqual(fetched);
    expect(plan.files).toEqual(files);
  });

  it('omits what hosts do not hand out, and removes it from a copy that has it', () => {
    const hidden = ['_edge/gamedata.js', '.htaccess', '_hosts/nginx.conf', 'wrangler.jsonc'];
    const files = [...hidden, 'a', 'sprites/items/a_b.png'].map((path) => entry(path));
    const plan = planMirror({ generator: 'gamedata/1', files }, copyOf(entry('.htaccess')));
    expect(paths(plan.fetch)).toEqual(['a', 'sprites/items/a_b.png']);
    expect(plan.excluded).toEqual(hidden);
    expect(plan.remove).toEqual(['.htaccess']);
  });

  it('never lists the manifest in itself', () => {
    const files = [entry('manifest.json'), entry('a')];
    expect(paths(planMirror({ generator: 'gamedata/1', files }, copyOf()).files)).toEqual(['a']);
  });
});

describe("hosts' files", () => {
  it('are all known as such, and no file of the site is', () => {
    const { routes, files } = siteOf(rawRecords(3, 3));
    const written = hostFiles(hostNames, { ...hostContext(routes), handlerModule: () => '' });
    expect(written.map(({ path }) => path).filter((path) => !isHostFile(path))).toEqual([]);
    expect([...files()].map(({ path }) => path).filter(isHostFile)).toEqual([]);
  });
});
