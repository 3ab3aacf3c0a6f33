/**
 * How fast a build is: `npm run bench -- [--rounds n] [--scale 1,10,100] [--only row,…] [--out file.json] [--readme]
 * [--inherit]`. Whole processes from start to exit, each in alternation with its yardstick, since only ratios mean something
 * on another machine; with `--inherit` in this shell's environment instead of an empty one. Exit code 1 if a budget is
 * missed.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildSubjects } from './bench/build-subjects.ts';
import { gamedata, hasCurl, hasEleventy, node, remove } from './bench/commands.ts';
import { type DataSets, makeDataSets } from './bench/data-sets.ts';
import { fetchSubjects } from './bench/fetch-subjects.ts';
import { machineShape, workFolder } from './bench/machine.ts';
import { measure, type Subject, type Summary } from './bench/measure.ts';
import { benchTable, summaryTable, writeTable } from './bench/report.ts';
import { buildRows, evaluate, fetchRows, growthRow, type Row, startRow } from './bench/rows.ts';
import { hasPython, startRunner } from './bench/runner.ts';
import { startUpstream } from './bench/upstream.ts';

/** The default of `gamedata build`. */
const CONCURRENCY = 16;
const LATENCY = 30;
/** What the folder holds for each time the real data, with room to spare: 50 MB at a hundred times. */
const BYTES_PER_SCALE = 80 * 2 ** 20;
/** Short runs vary more and take less time. */
const ROUNDS = { start: 31, quick: 11, distant: 3 };
const buildRounds = (scale: number): number => (scale < 10 ? 15 : scale < 100 ? 7 : 3);

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    scale: { type: 'string', default: '1,10,100' },
    only: { type: 'string' },
    out: { type: 'string' },
    inherit: { type: 'boolean', default: false },
    readme: { type: 'boolean', default: false },
  },
});
const scales = values.scale.split(',').map(Number);
const only = values.only?.split(',');
const rounds = (usual: number): number => (values.rounds === undefined ? usual : Number(values.rounds));

if (!hasPython()) {
  console.error(
    'python3 is not installed (Debian: apt-get install python3-minimal): nothing can be measured',
  );
  process.exit(1);
}
if (!hasEleventy())
  console.error('Eleventy is not installed (scripts/install-engines.sh): its rows are left out');
if (!hasCurl()) console.error('curl is not installed (Debian: apt-get install curl): its row is left out');

const { folder, diskFolder, fileSystem } = workFolder(BYTES_PER_SCALE * Math.max(...scales));
const runner = startRunner({ folder, inherit: values.inherit });
// However it ends.
process.once('exit', () => {
  runner.stop();
  remove(folder);
  remove(diskFolder);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const upstream = await startUpstream(LATENCY);

const summaries = new Map<string, Summary>();
const rows: Row[] = [];
await measureStart();
await measureFetching();
await measureBuilds();
conclude();
runner.stop();

/** Measures those subjects that a wanted row needs. */
async function add(wanted: readonly Row[], subjects: readonly Subject[], usualRounds: number): Promise<void> {
  const names = new Set(wanted.flatMap(({ of, to }) => [of, to]));
  const needed = subjects.filter(({ name }) => names.has(name));
  if (needed.length === 0) return;
  console.error(`measuring ${needed.map(({ name }) => name).join(', ')} …`);
  const measured = await measure(needed, { runner, rounds: rounds(usualRounds), folder });
  for (const [name, summary] of measured) summaries.set(name, summary);
}

function isWanted({ id }: Row): boolean {
  return only === undefined || only.includes(id);
}

async function measureStart(): Promise<void> {
  const wanted = [startRow].filter(isWanted);
  const subjects = [
    { name: 'node -e 0', command: node('-e', '0') },
    { name: 'gamedata --help', command: gamedata('--help') },
  ];
  await add(wanted, subjects, ROUNDS.start);
  rows.push(...wanted);
}

async function measureFetching(): Promise<void> {
  const wanted = fetchRows({ latency: LATENCY, concurrency: CONCURRENCY }).filter(isWanted);
  if (wanted.length === 0) return;
  const place = path.join(folder, 'fetching');
  mkdirSync(place);
  const { quick, distant } = await fetchSubjects(upstream, { folder: place, runner, latency: LATENCY });
  await add(wanted, quick, ROUNDS.quick);
  await add(wanted, [distant], ROUNDS.distant);
  rows.push(...wanted);
  remove(place);
}

async function measureBuilds(): Promise<void> {
  const real = path.join(folder, 'real');
  const source = ['--source', 'rest', '--upstream', upstream.plain, '--no-cache'];
  await runner.run(gamedata('snapshot', '--quiet', '--data', real, ...source));
  upstream.stop();
  const first: { scale: number; records: number }[] = [];
  for (const scale of scales) {
    const place = path.join(folder, `scale-${scale}`);
    const data: DataSets = makeDataSets(real, { scale, folder: place });
    const here = { scale, records: data.records };
    const [from = here] = first;
    const growth = from === here ? [] : [growthRow(from, here)];
    const wanted = [...buildRows(scale, data.records), ...growth].filter(isWanted);
    // What a later scale is compared with.
    const base = from === here && scales.length > 1 ? [growthRow(here, here)].filter(isWanted) : [];
    if (wanted.length > 0 || base.length > 0) {
      const subjects = await buildSubjects(data, { folder: place, diskFolder, scale, runner });
      await add([...wanted, ...base], subjects, buildRounds(scale));
    }
    rows.push(...wanted);
    remove(place);
    first.push(here);
  }
}

function conclude(): void {
  const results = evaluate(rows, summaries);
  if (results.length === 0) throw new Error('nothing was measured: expected --only to name rows');
  const machine = `${machineShape()}; files on ${fileSystem}; ${upstream.data} data${values.inherit ? '; inherited environment' : ''}`;
  const table = benchTable(results);
  console.log(`${machine}\n\n${table}`);
  if (values.out !== undefined) {
    const report = { machine, results, measured: Object.fromEntries(summaries) };
    writeFileSync(values.out, `${JSON.stringify(report, null, 2)}\n`);
    writeFileSync(values.out.replace(/(\.json)?$/, '.md'), `${machine}\n\n${table}\n`);
  }
  if (values.readme) writeTable(`${machine}:\n\n${summaryTable(results)}`);
  const missed = results.filter(({ kept }) => !kept);
  if (missed.length > 0) process.exitCode = 1;
}
