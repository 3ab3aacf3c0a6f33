/** What an operator reads on the terminal if the upstream has changed, or lost what it had. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyFolder } from '../../../src/verify/folder.ts';
import { fingerprint } from '../../support/fingerprint.ts';
import { runCli } from '../../support/run-cli.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { serveUpstream } from '../../support/test-upstream.ts';
import { type Answer, itemAnswer, moveAnswer, upstreamOf } from '../../support/upstream-data.ts';

const range = (length: number) => Array.from({ length }, (_, at) => at + 1);
type Answers = Record<'move' | 'item', Answer[]>;

/** An upstream of so many records of each kind, and a build of it through the command line. */
async function scene(size: number) {
  const answers: Answers = {
    move: range(size).map((id) => moveAnswer(id)),
    item: range(size).map((id) => itemAnswer(id)),
  };
  const server = await serveUpstream(upstreamOf(answers));
  const cwd = temporaryFolder();
  const build = (...more: string[]) =>
    runCli(['build', '--source', 'rest', '--upstream', server.url, '--quiet', '--retries', '0', ...more], {
      cwd,
    });
  return { answers, build, out: path.join(cwd, 'build') };
}

const change =
  (kind: 'move' | 'item', fields: object) =>
  (answers: Answers): unknown =>
    Object.assign(answers[kind][1] ?? {}, fields);

describe('a field that changed its type', () => {
  it.each<[string, (answers: Answers) => unknown, string]>([
    [
      'a generation that became its name',
      change('move', { generation: 'generation-i' }),
      'move › move-2 (2) › generation: got "generation-i": expected object, received string',
    ],
    [
      'names that became one name',
      change('item', { names: 'Poké Ball' }),
      'item › item-2 (2) › names: got "Poké Ball": expected array, received string',
    ],
    [
      'an index that became a text',
      change('item', {
        game_indices: [{ game_index: '7', generation: { url: '/api/v2/generation/1/' } }],
      }),
      'item › item-2 (2) › game_indices[0].game_index: got "7": expected number, received string',
    ],
    [
      'a field that is gone',
      change('move', { names: undefined }),
      'move › move-2 (2) › names: got nothing: expected array, received undefined',
    ],
  ])('is named with its record, what came and what was expected: %s', async (_, spoil, message) => {
    const { answers, build, out } = await scene(3);
    expect(await build('--max-shrink', '100')).toEqual({ code: 0, stdout: '', stderr: '' });
    const before = fingerprint(out);
    spoil(answers);
    expect(await build()).toEqual({ code: 1, stdout: '', stderr: `error: ${message}\nbuild: unchanged\n` });
    expect(fingerprint(out)).toEqual(before);
  });
});

describe('records that disappeared', () => {
  const hint = 'hint: If they are really gone, list them with --allow-missing, or raise --max-shrink.\n';
  /** Ten at most, in the order of their ids. */
  const gone = (left: number): string => {
    const slugs = range(100)
      .slice(left)
      .map((id) => `item-${id}`);
    const more = slugs.length > 10 ? ` and ${slugs.length - 10} more` : '';
    return slugs.slice(0, 10).join(', ') + more;
  };

  it.each([0, 50, 98])('keep the old site: %i of 100 are left', async (left) => {
    const { answers, build, out } = await scene(100);
    expect(await build('--max-shrink', '100')).toMatchObject({ code: 0 });
    const before = fingerprint(out);
    answers.item.splice(left);
    const stderr = `error: item: got ${left} records, the last build had 100: expected at most 1 % to disappear; missing: ${gone(left)}\n${hint}build: unchanged\n`;
    expect(await build()).toEqual({ code: 4, stdout: '', stderr });
    expect(await build('--max-shrink', '1', '--no-cache')).toEqual({ code: 4, stdout: '', stderr });
    expect(fingerprint(out)).toEqual(before);
    expect(verifyFolder(out)).toMatchObject({ counts: { move: 100, item: 100 }, problems: [] });
  });

  it('may disappear if each of them is named, and by no other names', async () => {
    const { answers, build, out } = await scene(20);
    await build('--max-shrink', '100');
    answers.move.splice(18);
    const others = await build('--allow-missing', 'move/move-19', 'item/item-20', 'move/move-1');
    expect(others).toMatchObject({ code: 4, stderr: expect.stringContaining('missing: move-19, move-20') });
    const named = await build('--allow-missing', 'move/move-19', 'move/move-20');
    expect(named).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(verifyFolder(out)).toMatchObject({ counts: { move: 18, item: 20 }, problems: [] });
  });

  it('may disappear if --max-shrink allows so many', async () => {
    const { answers, build } = await scene(20);
    await build('--max-shrink', '100');
    answers.move.splice(10);
    expect(await build('--max-shrink', '49')).toMatchObject({ code: 4 });
    expect(await build('--max-shrink', '50')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('from the start make no site at all', async () => {
    const { answers, build, out } = await scene(3);
    answers.move.splice(0);
    const stderr = expect.stringContaining('error: move: got 0 records, the bundled data set has ');
    expect(await build('--max-shrink', '99')).toEqual({ code: 4, stdout: '', stderr });
    expect(existsSync(out)).toBe(false);
  });
});
