import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createReporter,
  formatProgress,
  type ShownProgress,
} from '../../src/cli/reporter.ts';
import type { Progress } from '../../src/upstream/source.ts';

const stats = { requests: 0, bytes: 0, cacheHits: 0 };
const progress = (
  done: number,
  total: number,
  requests: Partial<Progress['requests']> = {},
): Progress => ({
  done,
  total,
  requests: { ...stats, ...requests },
});

it.each<[ShownProgress, string]>([
  [progress(0, 0), 'waiting for the first response, 0 requests'],
  [progress(5, 3160, { requests: 1 }), '5 of 3,160 done, 1 request'],
  [
    progress(1200, 3160, { requests: 1203, cacheHits: 20 }),
    '1,200 of 3,160 done, 1,203 requests, 20 from cache',
  ],
  [{ done: 5, total: 1790 }, '5 of 1,790 done'],
])('formatProgress describes the progress in one line (case %#)', (state, line) => {
  expect(formatProgress(state)).toBe(line);
});

describe('createReporter', () => {
  beforeEach(
    () => void vi.stubEnv('NO_COLOR', undefined).stubEnv('FORCE_COLOR', undefined),
  );
  afterEach(() => void vi.useRealTimers().unstubAllEnvs());

  function start(isTTY: boolean, { quiet = false, columns = 30 } = {}) {
    vi.useFakeTimers({ toFake: ['performance'] });
    const stream = Object.assign(new PassThrough(), { isTTY, columns });
    /**
     * Returns the text that was written since the last call. In Node 26 and later,
     * `read` returns one chunk at a time.
     */
    const written = (): string => {
      let text = '';
      for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) {
        text += chunk;
      }
      return text;
    };
    return {
      reporter: createReporter(stream as unknown as NodeJS.WriteStream, { quiet }),
      written,
    };
  }
  const erase = '\u001b[1G\u001b[2K';
  const [red, yellow, plain] = [31, 33, 39].map((color) => `\u001b[${color}m`);

  it('updates the live line on a terminal at most ten times per second', () => {
    const { reporter, written } = start(true);
    vi.advanceTimersByTime(100);
    reporter.progress(progress(0, 0));
    expect(written()).toBe(`${erase}waiting for the first respons`);
    vi.advanceTimersByTime(50);
    reporter.progress(progress(1, 10));
    expect(written()).toBe('');
    vi.advanceTimersByTime(50);
    reporter.progress(progress(2, 10, { requests: 5 }));
    expect(written()).toBe(`${erase}2 of 10 done, 5 requests`);
  });

  it('erases the live line before printing a notice', () => {
    const { reporter, written } = start(true);
    vi.advanceTimersByTime(1000);
    reporter.progress(progress(2, 10));
    written();
    reporter.notice('WARNING: old data');
    reporter.settle();
    expect(written()).toBe(`${erase}${yellow}WARNING${plain}: old data\n`);
  });

  it('escapes control characters in a notice', () => {
    const { reporter, written } = start(true);
    reporter.notice('\u001b[2J');
    expect(written()).toBe('\\u001b[2J\n');
  });

  it('writes a plain line every five seconds if stderr is not a terminal', () => {
    const { reporter, written } = start(false);
    for (let done = 1; done <= 10; done++) {
      vi.advanceTimersByTime(2000);
      reporter.progress(progress(done, 10));
    }
    expect(written().match(/^(\d+)/gm)).toEqual(['3', '6', '9']);
  });

  it('colors the labels of problems', () => {
    const { reporter, written } = start(true);
    reporter.notice('error: x: y');
    reporter.notice(`hint: ${'z '.repeat(60)}`);
    reporter.print(['warning: a', 'http://c: done']);
    reporter.notice('FAIL etag: e');
    expect(written().split('\n')).toEqual([
      `${red}error${plain}: x: y`,
      `hint: ${'z '.repeat(60)}`,
      `${yellow}warning${plain}: a`,
      'http://c: done',
      `${red}FAIL etag${plain}: e`,
      '',
    ]);
  });

  it.each<[isTTY: boolean, Record<string, string>, isColored: boolean]>([
    [false, {}, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
  ])(
    'chooses whether to use colors: terminal %s, environment %j',
    (isTTY, environment, isColored) => {
      for (const [name, value] of Object.entries(environment)) {
        vi.stubEnv(name, value);
      }
      const { reporter, written } = start(isTTY);
      reporter.notice('error: x');
      expect(written()).toBe(isColored ? `${red}error${plain}: x\n` : 'error: x\n');
    },
  );

  it('prints only notices in quiet mode', () => {
    const { reporter, written } = start(true, { quiet: true });
    vi.advanceTimersByTime(10_000);
    reporter.progress(progress(10, 10));
    reporter.print(['done']);
    expect(written()).toBe('');
    reporter.notice('old data');
    expect(written()).toBe('old data\n');
  });
});
