import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withOutput } from '../../src/publish/publish.ts';
import { fingerprint } from '../support/fingerprint.ts';
import { publishedSite, publishTree, type Tree } from '../support/publishing.ts';

const old: Tree = { 'a.json': '1', 'b/c.json': '2' };

describe('a build that is told to stop', () => {
  it.each([10, undefined])('leaves the old site whole and nothing else: at file %s', async (abortAt) => {
    const { out, names } = await publishedSite(old);
    const before = fingerprint(out);
    const controller = new AbortController();
    let made = 0;
    // More files than a build writes in one go.
    function* manyFiles() {
      while (made < 2000) {
        made++;
        if (made === abortAt) controller.abort();
        yield { path: `many/${made}.json`, body: String(made) };
      }
    }
    const work = withOutput(out, (output) => output.publish(manyFiles(), { signal: controller.signal }));
    const refused = expect(work).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
    // While it writes.
    await setImmediate();
    controller.abort();
    await refused;
    if (abortAt) expect(made).toBe(abortAt);
    else expect(made).toBeLessThan(2000);
    expect(names()).toEqual(['site']);
    expect(fingerprint(out)).toEqual(before);
  });
});

describe('what a killed build left', () => {
  const leftover = (out: string, role: string) => path.join(path.dirname(out), `.site.gamedata-${role}`);

  it('is removed by the next build', async () => {
    const { out, names } = await publishedSite(old);
    for (const role of ['new', 'trash-1']) {
      mkdirSync(path.join(leftover(out, role), 'api'), { recursive: true });
      writeFileSync(path.join(leftover(out, role), 'api', 'x.json'), 'half');
    }
    expect(await publishTree(out, old)).toMatchObject({ changed: false });
    expect(names()).toEqual(['site']);
  });
});
