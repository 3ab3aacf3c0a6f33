/**
 * How fast it is: `npm run bench -- [--rounds n] [--scale 1,10] [--before checkout] [--readme]`. Whole processes from start to
 * exit, each in alternation with its yardstick, since only ratios mean something on another machine. With `--before`, those of
 * another compiled checkout alternate with them; with `--readme` the table goes into docs/BENCHMARKS.md. Needs Linux, and
 * what scripts/install-engines.sh installs. Exit code 1 if a budget is missed.
 */

import { existsSync, mkdtempSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { localUpstream } from '../test/support/upstream-data.ts';
import { buildSubjects, eleventy, freshBuild, openCheckout, otherSubjects, tar } from './bench/builds.ts';
import { makeData } from './bench/data.ts';
import { measureFetching } from './bench/fetching.ts';
import { type Figures, measure, peakMemory, remove } from './bench/measure.ts';
import { isKept, type Row, table, writeTable } from './bench/report.ts';
import { measureServing } from './bench/serving.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1,10' },
    before: { type: 'string' },
    readme: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const scales = values.scale.split(',').map(Number);

const rows: readonly Row[] = [
  { what: 'fresh build', of: 'fresh', to: 'tar x' },
  { what: 'fresh build', of: 'fresh', to: 'Eleventy', budget: 0.45 },
  { what: 'fresh build, memory', of: 'memory', unit: ' MB', budget: scales.includes(100) ? 3000 : 300 },
  { what: 'nothing changed', of: 'unchanged', to: 'fresh', budget: 0.45 },
  { what: 'one record changed', of: 'changed', to: 'fresh' },
  { what: 'another base URL', of: 'moved', to: 'fresh' },
  { what: 'from tables', of: 'tables', to: 'fresh' },
  { what: 'from REST, empty cache', of: 'rest', to: 'curl --parallel' },
  { what: 'from REST, same edition', of: 'rest again', to: 'rest', budget: 0.4 },
  { what: 'from REST, same edition', of: 'requests', unit: ' requests', budget: 1 },
  { what: 'gamedata --help', of: 'help', to: 'node -e 0' },
  { what: 'requests/s for a record', of: 'serve: record', to: 'nginx: record' },
  { what: 'requests/s for a window', of: 'serve: window', to: 'nginx: window' },
  { what: 'front page, first visit', of: 'front page: kilobytes', unit: ' kB', budget: 20 },
  { what: 'front page, first visit', of: 'front page: requests', unit: ' requests', budget: 5 },
];

/** In memory if there is room: a disk still has to write what the rounds before have left. */
const isInMemory = existsSync('/dev/shm') && Math.max(...scales) < 100;
const folder = mkdtempSync(path.join(isInMemory ? '/dev/shm' : tmpdir(), 'gamedata-bench-'));
process.once('exit', () => remove(folder));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const ours = openCheckout(fileURLToPath(new URL('..', import.meta.url)), '', folder);
const checkouts =
  values.before === undefined ? [ours] : [ours, openCheckout(values.before, 'before: ', folder)];
const upstream = localUpstream();

const measured = new Map<number, Figures>();
for (const scale of scales) {
  console.error(`measuring ${scale} times the ${upstream.name} data …`);
  measured.set(scale, await measureAt(scale));
}
const all = [...measured.values()];
const names = new Set(all.flatMap((figures) => [...figures.keys()]));
const before = [...names]
  .filter((name) => names.has(`before: ${name}`))
  .map((name): Row => ({ what: name, of: name, to: `before: ${name}` }));
const [cpu, ...others] = cpus();
const machine = `${others.length + 1} cores (${cpu?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB`;
const place = `Node ${process.version}; files ${isInMemory ? 'in memory' : 'on disk'}; ${upstream.name} data`;
const text = `${machine}, ${place}:\n\n${table([...rows, ...before], measured)}`;
console.log(text);
if (values.readme) writeTable(text);
if (!rows.every((row) => all.every((figures) => isKept(row, figures)))) process.exitCode = 1;

/** Of multiples of the real data, only what grows with it. */
async function measureAt(scale: number): Promise<Figures> {
  const data = makeData(upstream, scale, ours);
  const growing = checkouts.flatMap((checkout) => buildSubjects(checkout, data));
  // The scale before has left its site.
  for (const { at } of checkouts) remove(at('fresh'));
  const memory = checkouts.map((of) => [`${of.name}memory`, peakMemory(freshBuild(of, data))] as const);
  if (scale > 1) return new Map([...measure([...growing, tar(ours)], rounds), ...memory]);
  const subjects = [
    ...[...growing, tar(ours), eleventy(ours, data)],
    ...checkouts.flatMap((checkout) => otherSubjects(checkout, data)),
    ...checkouts.map(({ name, gamedata }) => ({ name: `${name}help`, commands: [gamedata('--help')] })),
    { name: 'node -e 0', commands: [[process.execPath, '-e', '0']] },
  ];
  const fetching = await measureFetching(checkouts, { upstream, rounds });
  const serving = await measureServing(checkouts, { data, rounds });
  return new Map([...measure(subjects, rounds), ...fetching, ...serving, ...memory]);
}
