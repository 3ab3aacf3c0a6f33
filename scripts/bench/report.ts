/** The table of results, for the terminal and for the README. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Spread, Summary } from './measure.ts';
import type { Result } from './rows.ts';

const README = fileURLToPath(new URL('../../README.md', import.meta.url));
const BEGIN = '<!-- bench: made by `npm run readme:bench` -->';
const END = '<!-- /bench -->';

/** Markdown that reads well on a terminal too. */
export function benchTable(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const { title, scale, measured, yardstick, other, unit, budget } = result;
    return [
      scale === undefined ? title : `${scale} ×: ${title}`,
      time(measured),
      other ? `${yardstick}: ${time(other)}` : yardstick,
      `${figure(result.result, unit)} ${unit}`,
      budget === undefined ? '' : `${budget} ${unit}`,
      budget === undefined ? '' : result.kept ? 'kept' : 'MISSED',
      `${Math.round(measured.megabytes.max)} MB`,
    ];
  });
  const header = ['`gamedata`', 'median (min–max)', 'compared with', 'result', 'budget', '', 'peak memory'];
  return aligned([header, ...rows]);
}

/** The same for readers: one row for what is compared, one column for each scale. */
export function summaryTable(results: readonly Result[]): string {
  const scales = [...new Set(results.map(({ scale = 1 }) => scale))].sort((a, b) => a - b);
  const named = results.map((result) => ({
    ...result,
    what: result.title,
    to: result.yardstick.replace(/^\d+ × /, ''),
  }));
  const comparisons = new Map(named.map(({ what, to }) => [`${what} ÷ ${to}`, { what, to }]));
  const rows = [...comparisons.values()].map(({ what, to }) => [
    what,
    to,
    ...scales.map((scale) => {
      const found = named.find((one) => one.what === what && one.to === to && (one.scale ?? 1) === scale);
      return found ? judged(found) : '';
    }),
  ]);
  return aligned([['`gamedata`', 'compared with', ...scales.map((scale) => `${scale} ×`)], ...rows]);
}

/** `2.79 ≤ 3.5` keeps the budget, `**3.61 > 3.5**` misses it. */
function judged({ result, unit, budget, kept }: Result): string {
  const value = figure(result, unit);
  const suffix = unit === 'MB' ? ' MB' : '';
  if (budget === undefined) return value;
  return kept ? `${value} ≤ ${budget}${suffix}` : `**${value} > ${budget}${suffix}**`;
}

/** A table in Markdown: a row of headings, then the others. */
export function aligned(cells: readonly string[][]): string {
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [header = [], ...rows] = cells;
  return [
    line(header),
    `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`,
    ...rows.map(line),
  ].join('\n');
}

const figure = (value: number, unit: string): string => (unit === '×' ? value.toFixed(2) : value.toFixed(0));

function time({ seconds }: Summary): string {
  const { median, min, max }: Spread = seconds;
  return median < 10
    ? `${ms(median)} ms (${ms(min)}–${ms(max)})`
    : `${median.toFixed(1)} s (${min.toFixed(1)}–${max.toFixed(1)})`;
}

const ms = (seconds: number): string => Math.round(seconds * 1000).toLocaleString('en-US');

export function writeReadmeTable(text: string): void {
  const readme = readFileSync(README, 'utf8');
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`README.md: expected ${BEGIN} … ${END}`);
  writeFileSync(README, `${readme.slice(0, begin + BEGIN.length)}\n${text}\n${readme.slice(end)}`);
}
