/**
 * Benchmark: `npm run bench -- [--rounds n] [--scale n] [--before checkout]
 * [--readme]`. Measures processes from start to exit, alternating with the tools
 * that they are compared with. `--readme` updates docs/BENCHMARKS.md. Requires Linux
 * and the programs from scripts/install-engines.sh. Exits with code 1 if a figure is
 * above its budget.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { kindNames } from '../../src/contract/kinds.ts';
import type { RunningEngine } from '../support/engines/engine.ts';
import { engineFile } from '../support/engines/npm-engines.ts';
import { freePort, startProgram } from '../support/engines/process.ts';
import { nginx } from '../support/engines/web-servers.ts';
import { fullUpstream } from '../support/full-upstream.ts';
import { tablesOf, writeTables } from '../support/tables.ts';

interface Comparison {
  /** A measurement that runs gamedata. */
  readonly subject: string;
  /** The measurement that the subject is divided by. */
  readonly reference: string;
  /** The largest accepted ratio. By default, any ratio is accepted. */
  readonly budget?: number;
}

const comparisons: readonly Comparison[] = [
  { subject: 'fresh build', reference: 'tar x' },
  { subject: 'fresh build', reference: 'Eleventy', budget: 0.95 },
  { subject: 'fresh build, memory', reference: '1 MB', budget: 300 },
  { subject: 'nothing changed', reference: 'fresh build', budget: 0.5 },
  { subject: 'one record changed', reference: 'fresh build' },
  { subject: 'from tables', reference: 'fresh build' },
  { subject: 'from REST, empty cache', reference: 'curl --parallel' },
  {
    subject: 'from REST, same edition',
    reference: 'from REST, empty cache',
    budget: 0.4,
  },
  { subject: 'gamedata --help', reference: 'node -e 0', budget: 2.5 },
  { subject: 'requests/s for a record', reference: 'nginx' },
  { subject: 'requests/s for a record', reference: 'bare Node server' },
];

const BASE_URL = 'http://localhost:3000';
const RECORD = '/api/gamedata/move/pound/?format=api';
/** Permits that the data has no icons, although the bundled data has some. */
const ACCEPT = ['--max-shrink', '100'];

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    before: { type: 'string' },
    readme: { type: 'boolean', default: false },
  },
});

/** Returns the path of a project file, which is given relative to this file. */
function resolveHere(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

// We use memory if possible, because a disk may still be writing files from earlier
// rounds.
const MEMORY_FOLDER = '/dev/shm';
const parentFolder = existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir();
const workFolder = mkdtempSync(path.join(parentFolder, 'gamedata-bench-'));

/** Returns a path in the work folder. */
function at(file: string): string {
  return path.join(workFolder, file);
}

/** Much faster than `fs.rm` for hundreds of thousands of files. */
function remove(...files: readonly string[]): void {
  execFileSync('rm', ['-rf', ...files]);
}

process.once('exit', () => remove(workFolder));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1));
}

/**
 * We pass no other variables, because NODE_EXTRA_CA_CERTS alone doubles Node's
 * startup time.
 */
const { PATH, HOME } = process.env;
const env = { PATH, HOME, NO_PROXY: '127.0.0.1', SOURCE_DATE_EPOCH: '1767225600' };

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, and throws an error if it fails. */
function run(command: readonly string[], cwd?: string): Output {
  const [program = '', ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return { stdout, stderr };
  const problem = error?.message ?? `exit code ${status}`;
  throw new Error(`${program} ${args.join(' ')}: ${problem}\n${stderr}`);
}

/** The measurements by name, in seconds unless the name includes another unit. */
const measurements = new Map<string, () => number>();

/** Measures a command. The files that it creates are removed before each run. */
function addTime(
  name: string,
  command: readonly string[],
  outputs: readonly string[] = [],
  cwd?: string,
): void {
  measurements.set(name, () => {
    remove(...outputs);
    const started = performance.now();
    run(command, cwd);
    return (performance.now() - started) / 1000;
  });
}

/**
 * A module that prints the process's own figures at its end, because
 * `resourceUsage()` includes the parent:
 * https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
 */
const REPORT_STATUS = `data:text/javascript,import{readFileSync}from'fs';process.on('exit',()=>console.error(readFileSync('/proc/self/status','utf8')))`;

/** Measures the largest amount of memory that a Node command uses, in MB. */
function addMemory(
  name: string,
  command: readonly string[],
  outputs: readonly string[],
): void {
  const [node = '', ...args] = command;
  measurements.set(name, () => {
    remove(...outputs);
    const { stderr } = run([node, '--import', REPORT_STATUS, ...args]);
    const kilobytes = /VmHWM:\s*(\d+) kB/.exec(stderr)?.[1];
    return Number(kilobytes) / 1024;
  });
}

/** Measures how many requests for one record a site responds to in a second. */
function addRequests(name: string, site: string): void {
  const command = ['wrk', '-t1', '-c32', '-d1s', site + RECORD];
  measurements.set(name, () => {
    const { stdout } = run(command);
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${name}: ${stdout}`);
    const perSecond = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1];
    return Number(perSecond);
  });
}

/**
 * Returns a table with `factor` times as many rows. Each copy of a row has a
 * separate id and identifier, because the data set requires unique ids and slugs.
 * The first column of every table is an id. Fields have no line breaks.
 */
function multiplyRows(text: string, factor: number): string {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const hasIdentifier = header.startsWith('id,identifier,');
  const rows = [header];
  for (let copy = 0; copy < factor; copy += 1) {
    const suffix = hasIdentifier && copy > 0 ? `-x${copy}` : '';
    for (const line of lines) {
      const [id, secondField, ...otherFields] = line.split(',');
      const newId = Number(id) + copy * 100_000;
      rows.push([newId, secondField + suffix, ...otherFields].join(','));
    }
  }
  return `${rows.join('\n')}\n`;
}

const upstream = fullUpstream();

/** Writes tables into `<name>-tables`, and a snapshot of them into `<name>`. */
function writeDataSet(name: string, tables: Readonly<Record<string, string>>): void {
  writeTables(at(`${name}-tables`), tables);
  run([
    process.execPath,
    resolveHere('../../dist/cli.js'),
    'snapshot',
    '--quiet',
    '--data',
    at(name),
    ...ACCEPT,
    ...fromTables(name),
  ]);
}

/** Writes the data, and a copy with another English name for one item. */
function writeDataSets(): void {
  const scale = Number(options.scale);
  const tables: Record<string, string> = {};
  for (const [file, text] of Object.entries(tablesOf(upstream))) {
    tables[file] = multiplyRows(text, scale);
  }
  const itemNames = tables['item_names.csv'] ?? '';
  // English is the language with the id 9.
  const changedNames = itemNames.replace(/^\d+,9,\w.*$/m, '$& II');
  writeDataSet('data', tables);
  writeDataSet('changed', { ...tables, 'item_names.csv': changedNames });
}

function fromTables(name: string): string[] {
  return ['--source', 'csv', '--upstream', at(`${name}-tables`)];
}

function fromSnapshot(name: string): string[] {
  return ['--source', 'snapshot', '--upstream', at(name)];
}

const servers: RunningEngine[] = [];

/**
 * Starts a server whose last argument is its port, and returns its URL. The server
 * is a separate process so that it shares no event loop with the measurement.
 */
async function start(...command: readonly string[]): Promise<string> {
  const [program = '', ...args] = command;
  const port = String(await freePort());
  const server = await startProgram({
    command: program,
    args: [...args, port],
    url: `http://127.0.0.1:${port}`,
  });
  servers.push(server);
  return server.url;
}

/**
 * Adds the measurements of one checkout. Also builds the sites that these
 * measurements update or serve.
 *
 * @param prefix starts the names of the measurements
 * @param live the URL of the running upstream
 */
async function addCheckout(
  prefix: string,
  root: string,
  live: string,
): Promise<void> {
  const gamedata = [process.execPath, path.join(root, 'dist/cli.js')];
  // Each checkout has separate folders, whose names start with "before".
  const folderPrefix = prefix.slice(0, 6);
  const site = (name: string): string => at(folderPrefix + name);
  const build = (name: string, ...moreOptions: string[]): string[] => [
    ...gamedata,
    'build',
    '--quiet',
    '--json',
    '--base-url',
    BASE_URL,
    ...ACCEPT,
    '--out',
    site(name),
    ...moreOptions,
  ];
  const buildFromRest = (cache: string): string[] =>
    build('fresh', '--source', 'rest', '--upstream', live, '--cache', site(cache));

  const freshSite = site('fresh');
  const freshBuild = build('fresh', ...fromSnapshot('data'));
  addTime(`${prefix}fresh build`, freshBuild, [freshSite]);
  addMemory(`${prefix}fresh build, memory`, freshBuild, [freshSite]);

  const sameBuild = build('same', ...fromSnapshot('data'));
  run(sameBuild);
  addTime(`${prefix}nothing changed`, sameBuild);

  // Each round changes the record and changes it back.
  const changeBack = build('changing', ...fromSnapshot('data'));
  const change = build('changing', ...fromSnapshot('changed'));
  addTime(`${prefix}to be changed`, changeBack);
  addTime(`${prefix}one record changed`, change);

  const tableBuild = build('fresh', ...fromTables('data'));
  addTime(`${prefix}from tables`, tableBuild, [freshSite]);
  addTime(`${prefix}from REST, empty cache`, buildFromRest('empty'), [
    freshSite,
    site('empty'),
  ]);
  addTime(`${prefix}from REST, same edition`, buildFromRest('full'), [freshSite]);
  addTime(`${prefix}gamedata --help`, [...gamedata, '--help']);

  run(build('served', ...fromSnapshot('data'), '--host', 'nginx'));
  const served = await start(...gamedata, 'serve', site('served'), '--port');
  addRequests(`${prefix}requests/s for a record`, served);
  if (prefix === '') await addBareServer(served);
}

async function addBareServer(served: string): Promise<void> {
  const bareServer = resolveHere('bare-server.mjs');
  const url = await start(process.execPath, bareServer, served + RECORD);
  addRequests('bare Node server', url);
}

/**
 * Adds the time that Eleventy takes to generate the site in `same`. Eleventy creates
 * the record files from a template, and copies all other files. First checks that
 * both sites are equal, because otherwise the times would not be comparable.
 */
function addEleventy(): void {
  const project = at('eleventy');
  const output = at('made');
  cpSync(resolveHere('eleventy'), project, { recursive: true });
  const recordFolders: string[] = [];
  for (const kind of kindNames) {
    cpSync(at(`data/${kind}.ndjson`), `${project}/_data/${kind}.ndjson`);
    recordFolders.push(at(`same/api/gamedata/${kind}`));
  }
  cpSync(at('same'), `${project}/extras`, {
    recursive: true,
    filter: (file) => !recordFolders.includes(file),
  });
  const command = [
    process.execPath,
    engineFile('@11ty/eleventy/cmd.cjs'),
    '--quiet',
    `--output=${output}`,
  ];
  run(command, project);
  run(['diff', '-rq', at('same'), output]);
  addTime('Eleventy', command, [output], project);
}

/** Adds the time that tar takes to write a site's files. */
function addTar(): void {
  const unpacked = at('unpacked');
  mkdirSync(unpacked);
  run(['tar', 'cf', at('site.tar'), '-C', workFolder, 'same']);
  const command = ['tar', 'xf', at('site.tar'), '-C', unpacked];
  addTime('tar x', command, [at('unpacked/same')]);
}

/** Adds the time that curl takes to fetch all records from the upstream. */
function addCurl(live: string): void {
  const command = [
    'curl',
    '--silent',
    '--fail',
    '--compressed',
    '--parallel',
    '--parallel-max',
    '50',
  ];
  for (const kind of kindNames) {
    for (const { id } of upstream.list(kind)) {
      command.push('--output', '/dev/null', `${live}/${kind}/${id}/`);
    }
  }
  addTime('curl --parallel', command);
}

/** Adds the requests that nginx responds to for the site of this checkout. */
async function addNginx(): Promise<void> {
  const engine = await nginx.start(at('served'));
  servers.push(engine);
  addRequests('nginx', engine.url);
}

/**
 * Runs all measurements in turn, as often as there are rounds, and returns the
 * median of each. Measuring in turn spreads any disturbance over all measurements.
 */
function measure(): Map<string, number> {
  const figuresByName = new Map<string, number[]>();
  for (const name of measurements.keys()) figuresByName.set(name, []);
  const rounds = Number(options.rounds);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, measureOnce] of measurements) {
      const figure = measureOnce();
      // The first round warms up.
      if (round > 0) figuresByName.get(name)?.push(figure);
    }
  }
  const medians = new Map<string, number>();
  for (const [name, figures] of figuresByName) {
    figures.sort((a, b) => a - b);
    const middle = Math.floor(figures.length / 2);
    medians.set(name, figures[middle] ?? 0);
  }
  return medians;
}

function divide(figures: Map<string, number>, name: string, by: string): number {
  return (figures.get(name) ?? 0) / (figures.get(by) ?? 0);
}

/**
 * Creates the Markdown table of all comparisons. Sets the exit code if a ratio is
 * above its budget.
 */
function createTable(figures: Map<string, number>): string {
  const head = ['', 'compared with', 'ratio'];
  if (options.before) head.push('to before');
  const rows = [head, head.map(() => '---')];
  for (const { subject, reference, budget } of comparisons) {
    const ratio = divide(figures, subject, reference);
    const figure = ratio.toFixed(ratio < 100 ? 2 : 0);
    let cell = figure;
    if (budget !== undefined && ratio > budget) {
      cell = `**${figure} > ${budget}**`;
      process.exitCode = 1;
    } else if (budget !== undefined) {
      cell = `${figure} ≤ ${budget}`;
    }
    const row = [subject, reference, cell];
    if (options.before) {
      row.push(divide(figures, subject, `before: ${subject}`).toFixed(2));
    }
    rows.push(row);
  }
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Describes the machine, the files and the data that the figures depend on. */
function describeConditions(): string {
  const processors = cpus();
  const model = processors[0]?.model.trim();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const machine = `${processors.length} cores (${model}), ${gigabytes} GB`;
  const place = parentFolder === MEMORY_FOLDER ? 'in memory' : 'on disk';
  const data = `${upstream.name} data, ${options.scale} ×`;
  return `${machine}, Node ${process.version}; files ${place}; ${data}`;
}

function updateDocument(text: string): void {
  const document = resolveHere('../../docs/BENCHMARKS.md');
  const generated =
    /(?<=<!-- bench: generated by `npm run readme:bench` -->\n).*(?=<!-- \/bench -->)/s;
  const oldDocument = readFileSync(document, 'utf8');
  writeFileSync(
    document,
    oldDocument.replace(generated, () => text),
  );
}

writeDataSets();
let figures: Map<string, number>;
try {
  const program = resolveHere('../tools/upstream.ts');
  const origin = await start(process.execPath, '--import', 'tsx', program, '--port');
  const live = `${origin}/api/v2`;
  await addCheckout('', resolveHere('../..'), live);
  if (options.before !== undefined) {
    await addCheckout('before: ', path.resolve(options.before), live);
  }
  addEleventy();
  addTar();
  addCurl(live);
  addTime('node -e 0', [process.execPath, '-e', '0']);
  await addNginx();
  figures = measure();
} finally {
  for (const { stop } of servers) await stop();
}
// Memory is compared with a constant, so the table shows it in MB.
figures.set('1 MB', 1);

const text = `${describeConditions()}:\n\n${createTable(figures)}\n`;
console.log(text);
if (options.readme) updateDocument(text);
