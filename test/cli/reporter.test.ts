import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatFolder } from '../../src/cli/commands/verify.ts';
import { formatSummary, type Report } from '../../src/cli/report.ts';
import { createReporter, formatProgress } from '../../src/cli/reporter.ts';
import type { Progress } from '../../src/sources/source.ts';
import { namedEdition } from '../support/editions.ts';
import { everyKind, oneOfOthers } from '../support/kinds.ts';

const stats = { requests: 0, bodies: 0, bytes: 0, notModified: 0, retries: 0, cacheHits: 0 };
const progress = (
  done: number,
  total: number,
  requests: Partial<Progress['requests']> = {},
  waiting = { requests: 0, nextInMs: 0 },
): Progress => ({ done, total, requests: { ...stats, ...requests }, waiting: () => waiting });

const report: Report = {
  changed: true,
  out: 'build',
  source: 'rest',
  upstream: 'https://upstream.test/api/v2',
  captured: '2026-01-02',
  edition: null,
  isCached: false,
  notices: [],
  steps: [],
  nameChanges: [],
  missing: everyKind({}, () => []),
  fallback: null,
  digest: 'sha256:0',
  counts: everyKind({ move: 937, item: 1 }, () => 1),
  files: { files: 3203, bytes: 2_345_678, written: 1203, kept: 2000, removed: 1 },
  requests: null,
  warnings: [],
  seconds: 1.25,
};

describe('the progress line', () => {
  it.each<[Progress, number, string]>([
    [progress(0, 0), 0, 'waiting for the upstream'],
    [progress(0, 3160), 0, '0 of 3,160 read'],
    [
      progress(5, 3160, { requests: 8, retries: 3 }, { requests: 3, nextInMs: 3200 }),
      4,
      '5 of 3,160 read · retrying 3 requests, next in 4 s · 2 requests/s · 3 retries · 2,524 s left',
    ],
    [progress(0, 3160, { requests: 1 }), 0.5, '0 of 3,160 read · 2 requests/s'],
    [progress(1, 3160, { requests: 1 }), 1.9, '1 of 3,160 read · 1 request/s'],
    [
      progress(1200, 3160, { requests: 1203, retries: 3, cacheHits: 20 }),
      3,
      '1,200 of 3,160 read · 401 requests/s · 3 retries · 20 from cache · 5 s left',
    ],
    [
      progress(3160, 3160, { requests: 3163, retries: 1 }),
      10,
      '3,160 of 3,160 read · 316 requests/s · 1 retry',
    ],
  ])('%# says how far it is', (state, seconds, line) => {
    expect(formatProgress(state, seconds).join(' · ')).toBe(line);
  });
});

describe('the closing summary', () => {
  const counts = `937 moves, 1 item${oneOfOthers}`;
  const requests = { ...stats, requests: 1, bodies: 1, bytes: 1500 };

  it('lists data, doubts, requests and files', () => {
    const own: Partial<Report> = {
      edition: namedEdition(7),
      notices: ['GET /meta/: got null'],
      requests: { ...requests, retries: 2, cacheHits: 1234 },
      skipped: everyKind({ move: [3], item: [17, 18] }, () => []),
      warnings: [
        { kind: 'item', code: 'no-icon', count: 1129, examples: ['a: has none', 'b: has none'] },
        { kind: 'item', code: 'missing-name', count: 1, examples: ['c: has none'] },
      ],
    };
    expect(formatSummary({ ...report, ...own })).toEqual([
      `data: ${counts} from https://upstream.test/api/v2, edition 00000000 of 2026-04-07, captured 2026-01-02`,
      'skipped: move/3, item/17, item/18',
      'warning: item no-icon: 1,129',
      '  - a: has none',
      '  - b: has none',
      '  … and 1,127 more',
      'warning: item missing-name: 1',
      '  - c: has none',
      'warning: GET /meta/: got null',
      'fetched: 1 request · 1 body · 1.5 kB · 0 not modified · 1,234 from cache · 2 retries',
      'build: 3,203 files, 2.3 MB: 1,203 written, 2,000 kept, 1 removed, in 1.25 s',
    ]);
    const cached = formatSummary({ ...report, isCached: true, requests });
    expect(cached[1]).toMatch(/ · 0 from cache · the upstream has no newer edition$/);
  });

  it('has one line and the doubts if nothing has changed', () => {
    const own = { changed: false, edition: namedEdition(7), notices: ['GET /meta/: got null'], requests };
    expect(formatSummary({ ...report, ...own })).toEqual([
      'warning: GET /meta/: got null',
      `build: 3,203 files, 2.3 MB: nothing changed, in 1.25 s; ${counts}, captured 2026-01-02, edition 00000000 of 2026-04-07`,
    ]);
  });

  it('of a check lists 20 problems at most', () => {
    const problems = Array.from({ length: 23 }, (_, at) => ({ file: `${at}.json`, problem: 'is missing' }));
    const lines = formatFolder('site', { files: 3203, counts: report.counts, problems });
    expect(lines).toHaveLength(22);
    expect(lines[0]).toBe('0.json: is missing');
    expect(lines.slice(-2)).toEqual(['… and 3 more', 'site: 23 problems found']);
  });
});

describe('the reporter', () => {
  beforeEach(() => void vi.stubEnv('NO_COLOR', undefined).stubEnv('FORCE_COLOR', undefined));
  afterEach(() => void vi.useRealTimers().unstubAllEnvs());

  /** A stream that keeps what is written, and may be a terminal. */
  function recorder(isTTY: boolean, columns: number) {
    const stream = Object.assign(new PassThrough(), { isTTY, columns });
    /** Everything since the last call. From Node 26 on, `read` returns one chunk at a time. */
    const written = (): string => {
      let text = '';
      for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) text += chunk;
      return text;
    };
    return { stream: stream as unknown as NodeJS.WriteStream, written };
  }

  /** A reporter, and time that passes when told to. */
  function start(isTTY: boolean, { quiet = false, columns = 30 } = {}) {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    const { stream, written } = recorder(isTTY, columns);
    return { reporter: createReporter(stream, { quiet }), written };
  }
  const erase = '\u001b[1G\u001b[2K';
  const [red, green, yellow, plain] = [31, 32, 33, 39].map((color) => `\u001b[${color}m`);

  it('keeps one live line on a terminal, with as much as fits, and leaves the last one standing', () => {
    const { reporter, written } = start(true);
    reporter.progress(progress(0, 0));
    expect(written()).toBe(`${erase}waiting for the upstream`);
    vi.advanceTimersByTime(50);
    reporter.progress(progress(1, 10));
    expect(written()).toBe('');
    vi.advanceTimersByTime(900);
    reporter.progress(progress(2, 10, { requests: 5 }));
    expect(written()).toBe(`${erase}2 of 10 read · 5 requests/s`);
    reporter.progress(progress(10, 10, { requests: 5 }));
    expect(written()).toBe(`${erase}10 of 10 read · 5 requests/s\n`);
  });

  it('clears the live line before anything else is said', () => {
    const { reporter, written } = start(true);
    vi.advanceTimersByTime(1000);
    reporter.progress(progress(2, 10));
    written();
    reporter.notice('WARNING: \u001b[2J');
    reporter.settle();
    expect(written()).toBe(`${erase}${yellow}WARNING${plain}: \\u001b[2J\n`);
  });

  it('shows at least once a second how long a retry is off, although nothing arrives', () => {
    const { reporter, written } = start(true, { columns: 80 });
    let nextInMs = 3000;
    const waiting = () => ({ requests: 2, nextInMs });
    reporter.progress({ ...progress(2, 10, { requests: 4 }), waiting });
    for (const seconds of [3, 2, 1]) {
      nextInMs = seconds * 1000;
      vi.advanceTimersByTime(1000);
      expect(written()).toMatch(new RegExp(`2 of 10 read · retrying 2 requests, next in ${seconds} s · `));
    }
    reporter.notice('enough');
    written();
    vi.advanceTimersByTime(10_000);
    expect(written()).toBe('');
  });

  it.each([0, 20])('loses no letter on a terminal of %i columns', (columns) => {
    const { reporter, written } = start(true, { columns });
    vi.advanceTimersByTime(6000);
    reporter.progress(progress(1200, 3160, { requests: 1203, retries: 3 }));
    expect(written()).toBe('1,200 of 3,160 read · 201 requests/s · 3 retries · 10 s left\n');
  });

  it('writes a plain line now and then elsewhere, and the last one', () => {
    const { reporter, written } = start(false);
    for (let done = 1; done <= 10; done++) {
      vi.advanceTimersByTime(2000);
      reporter.progress(progress(done, 10));
    }
    const lines = written().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['1', '3', '5', '8', '10', '']);
    expect(lines.join('')).not.toContain('\u001b');
  });

  describe('colours', () => {
    it('what is wrong, what is doubtful, and the line that sums up', () => {
      const { reporter, written } = start(true);
      reporter.notice('error: x: y');
      reporter.notice('hint: z');
      reporter.print(['warning: a', 'data: b', 'http://c: done', 'next: d'], 'http://c');
      reporter.print(['all']);
      reporter.fail(['FAIL etag: e', 'f: g', 'site: 1 problem found']);
      expect(written().split('\n')).toEqual([
        `${red}error${plain}: x: y`,
        'hint: z',
        `${yellow}warning${plain}: a`,
        'data: b',
        `${green}http://c${plain}: done`,
        'next: d',
        `${green}all${plain}`,
        `${red}FAIL etag${plain}: e`,
        'f: g',
        `${red}site${plain}: 1 problem found`,
        '',
      ]);
    });

    it.each<[isTTY: boolean, Record<string, string>, isColoured: boolean]>([
      [true, {}, true],
      [false, {}, false],
      [false, { FORCE_COLOR: '1' }, true],
      [true, { FORCE_COLOR: '0' }, false],
    ])('on a terminal (%s) with %j: %s', (isTTY, environment, isColoured) => {
      for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
      const { reporter, written } = start(isTTY);
      reporter.notice('error: x');
      expect(written()).toBe(isColoured ? `${red}error${plain}: x\n` : 'error: x\n');
    });

    it('nothing if the terminal has none, or the user wants none', () => {
      const environment = { NO_COLOR: '1' };
      const { stream, written } = recorder(true, 80);
      const terminal = Object.assign(stream, {
        getColorDepth: () => WriteStream.prototype.getColorDepth(environment),
      });
      createReporter(terminal, { quiet: false }).notice('error: x');
      expect(written()).toBe('error: x\n');
    });
  });

  it('does not wrap long lines', () => {
    const { reporter, written } = start(true, { columns: 60 });
    reporter.notice(`next: cp ${'a '.repeat(60)}`);
    expect(written()).toBe(`next: cp ${'a '.repeat(60)}\n`);
  });

  it('says nothing but problems if it is quiet', () => {
    const { reporter, written } = start(true, { quiet: true });
    vi.advanceTimersByTime(10_000);
    reporter.progress(progress(10, 10));
    reporter.print(formatSummary(report));
    expect(written()).toBe('');
    reporter.notice('WARNING: old data');
    expect(written()).toBe(`${yellow}WARNING${plain}: old data\n`);
  });
});
