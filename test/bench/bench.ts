/**
 * Benchmark: `npm run bench -- [--rounds n] [--scale n] [--before checkout]
 * [--readme]`. Measures processes from start to exit, alternating with the tools
 * that they are compared with. `--readme` updates docs/BENCHMARKS.md. Requires Linux
 * and the programs of scripts/install-engines.sh. Exit code 1 if a figure is above
 * its budget.
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

const rows: readonly (readonly [
  subject: string,
  reference: string,
  budget?: number,
])[] = [
  ['fresh build', 'tar x'],
  ['fresh build', 'Eleventy', 0.8],
  ['fresh build, memory', '1 MB', 300],
  ['nothing changed', 'fresh build', 0.5],
  ['one record changed', 'fresh build'],
  ['from tables', 'fresh build'],
  ['from REST, empty cache', 'curl --parallel'],
  ['from REST, same edition', 'from REST, empty cache', 0.4],
  ['gamedata --help', 'node -e 0', 2.5],
  ['requests/s for a record', 'nginx'],
  ['requests/s for a record', 'bare Node server'],
];

const BASE_URL = 'http://localhost:3000';
const RECORD = '/api/gamedata/move/pound/?format=api';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    before: { type: 'string' },
    readme: { type: 'boolean', default: false },
  },
});
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
/**
 * In memory if possible, because a disk still writes the files of earlier rounds.
 */
const folder = mkdtempSync(
  path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'gamedata-bench-'),
);
const at = (file: string): string => path.join(folder, file);
/** Much faster than `fs.rm` for hundreds of thousands of files. */
const remove = (...files: readonly string[]): void =>
  void execFileSync('rm', ['-rf', ...files]);
process.once('exit', () => remove(folder));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => process.exit(1));
}

/** Without other variables: NODE_EXTRA_CA_CERTS alone doubles Node's start. */
const { PATH, HOME } = process.env;
const env = { PATH, HOME, NO_PROXY: '127.0.0.1', SOURCE_DATE_EPOCH: '1767225600' };

function run([program = '', ...args]: readonly string[], cwd?: string) {
  const result = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const { status, stderr, error } = result;
  if (status === 0) return result;
  throw new Error(
    `${program} ${args.join(' ')}: ${error?.message ?? `exit code ${status}`}\n${stderr}`,
  );
}

/** Name → measurement, in seconds unless the name has another unit. */
const subjects = new Map<string, () => number>();

function time(
  name: string,
  command: readonly string[],
  outputs: readonly string[] = [],
  cwd?: string,
): void {
  subjects.set(name, () => {
    remove(...outputs);
    const started = performance.now();
    run(command, cwd);
    return (performance.now() - started) / 1000;
  });
}

/**
 * `resourceUsage()` includes the parent:
 * https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
 */
const REPORT_STATUS = `data:text/javascript,import{readFileSync}from'fs';process.on('exit',()=>console.error(readFileSync('/proc/self/status','utf8')))`;

/** The first column of every table is an id. Fields have no line breaks. */
function multiplyRows(text: string, factor: number): string {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const copies = Array.from({ length: factor }, (_, copy) =>
    lines.map((line) => {
      const [id, second, ...others] = line.split(',');
      const suffix =
        header.startsWith('id,identifier,') && copy > 0 ? `-x${copy}` : '';
      return [Number(id) + copy * 100_000, second + suffix, ...others].join(',');
    }),
  );
  return `${[header, ...copies.flat()].join('\n')}\n`;
}

// The data, and a copy with another English name for one item.
const upstream = fullUpstream();
const texts = Object.entries(tablesOf(upstream));
const data = Object.fromEntries(
  texts.map(([file, text]) => [file, multiplyRows(text, Number(values.scale))]),
);
const renamed = data['item_names.csv']?.replace(/^\d+,9,\w.*$/m, '$& II') ?? '';
const tables = (name: string): string[] => [
  '--source',
  'csv',
  '--upstream',
  at(`${name}-tables`),
];
const snapshot = (name: string): string[] => [
  '--source',
  'snapshot',
  '--upstream',
  at(name),
];
for (const [name, of] of Object.entries({
  data,
  changed: { ...data, 'item_names.csv': renamed },
})) {
  writeTables(at(`${name}-tables`), of);
  run([
    process.execPath,
    here('../../dist/cli.js'),
    'snapshot',
    '--quiet',
    '--data',
    at(name),
    ...tables(name),
  ]);
}

// Separate processes, so that they share no event loop with the measurement.
const servers: RunningEngine[] = [];
async function start(...command: readonly string[]): Promise<string> {
  const port = String(await freePort());
  const [program = '', ...args] = [...command, port];
  const server = await startProgram({
    command: program,
    args,
    url: `http://127.0.0.1:${port}`,
  });
  servers.push(server);
  return server.url;
}

function measureRequests(name: string, site: string): void {
  const command = ['wrk', '-t1', '-c32', '-d1s', site + RECORD];
  subjects.set(name, () => {
    const { stdout } = run(command);
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${name}: ${stdout}`);
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  });
}

async function addCheckout(name: string, root: string, live: string): Promise<void> {
  const gamedata = [process.execPath, path.join(root, 'dist/cli.js')];
  const site = (of: string): string => at(`${name.slice(0, 6)}${of}`);
  const build = (of: string, ...options: string[]): string[] =>
    gamedata.concat(
      'build',
      '--quiet',
      '--json',
      '--base-url',
      BASE_URL,
      '--out',
      site(of),
      ...options,
    );
  const rest = (cache: string): string[] =>
    build('fresh', '--source', 'rest', '--upstream', live, '--cache', site(cache));
  const fresh = build('fresh', ...snapshot('data'));
  time(`${name}fresh build`, fresh, [site('fresh')]);
  subjects.set(`${name}fresh build, memory`, () => {
    remove(site('fresh'));
    const [node = '', ...args] = fresh;
    const { stderr } = run([node, '--import', REPORT_STATUS, ...args]);
    return Number(/VmHWM:\s*(\d+) kB/.exec(stderr)?.[1]) / 1024;
  });
  run(build('same', ...snapshot('data')));
  time(`${name}nothing changed`, build('same', ...snapshot('data')));
  time(`${name}to be changed`, build('changing', ...snapshot('data')));
  time(`${name}one record changed`, build('changing', ...snapshot('changed')));
  time(`${name}from tables`, build('fresh', ...tables('data')), [site('fresh')]);
  time(`${name}from REST, empty cache`, rest('empty'), [
    site('fresh'),
    site('empty'),
  ]);
  time(`${name}from REST, same edition`, rest('full'), [site('fresh')]);
  time(`${name}gamedata --help`, [...gamedata, '--help']);
  run(build('served', ...snapshot('data'), '--host', 'nginx'));
  const served = await start(...gamedata, 'serve', site('served'), '--port');
  measureRequests(`${name}requests/s for a record`, served);
  if (name === '') {
    const bareServer = here('bare-server.mjs');
    const bare = await start(process.execPath, bareServer, served + RECORD);
    measureRequests('bare Node server', bare);
  }
}

/** Generates the same site with Eleventy. */
function addEleventy(): void {
  const [cwd, made] = [at('eleventy'), at('made')];
  cpSync(here('eleventy'), cwd, { recursive: true });
  for (const kind of kindNames) {
    cpSync(at(`data/${kind}.ndjson`), `${cwd}/_data/${kind}.ndjson`);
  }
  const ofRecords = kindNames.map((kind) => at(`same/api/gamedata/${kind}`));
  cpSync(at('same'), `${cwd}/extras`, {
    recursive: true,
    filter: (file) => !ofRecords.includes(file),
  });
  const command = [
    process.execPath,
    engineFile('@11ty/eleventy/cmd.cjs'),
    '--quiet',
    `--output=${made}`,
  ];
  run(command, cwd);
  // Compares the same work.
  run(['diff', '-rq', at('same'), made]);
  time('Eleventy', command, [made], cwd);
}

const figures = new Map([['1 MB', 1]]);
try {
  const live = `${await start(process.execPath, '--import', 'tsx', here('../tools/upstream.ts'))}/api/v2`;
  await addCheckout('', here('../..'), live);
  if (values.before !== undefined) {
    await addCheckout('before: ', path.resolve(values.before), live);
  }
  addEleventy();
  mkdirSync(at('unpacked'));
  run(['tar', 'cf', at('site.tar'), '-C', folder, 'same']);
  time(
    'tar x',
    ['tar', 'xf', at('site.tar'), '-C', at('unpacked')],
    [at('unpacked/same')],
  );
  const records = kindNames.flatMap((kind) =>
    upstream.list(kind).map(({ id }) => `${live}/${kind}/${id}/`),
  );
  const fetching = [
    '--silent',
    '--fail',
    '--compressed',
    '--parallel',
    '--parallel-max',
    '50',
  ];
  time('curl --parallel', [
    'curl',
    ...fetching,
    ...records.flatMap((of) => ['--output', '/dev/null', of]),
  ]);
  time('node -e 0', [process.execPath, '-e', '0']);
  const engine = await nginx.start(at('served'));
  servers.push(engine);
  measureRequests('nginx', engine.url);

  // The first round warms up.
  const rounds = Array.from({ length: Number(values.rounds) + 1 }, () =>
    [...subjects].map(([name, measure]) => [name, measure()] as const),
  ).slice(1);
  for (const name of subjects.keys()) {
    const all = rounds
      .map((round) => new Map(round).get(name) ?? 0)
      .sort((a, b) => a - b);
    figures.set(name, all[Math.floor(all.length / 2)] ?? 0);
  }
} finally {
  for (const { stop } of servers) await stop();
}

const ratios = rows.map(([subject, reference, budget = Infinity]) => {
  const ratio = (figures.get(subject) ?? 0) / (figures.get(reference) ?? 0);
  if (ratio > budget) process.exitCode = 1;
  const figure = ratio.toFixed(ratio < 100 ? 2 : 0);
  const cell =
    ratio > budget ? `**${figure} > ${budget}**` : `${figure} ≤ ${budget}`;
  const before =
    (figures.get(subject) ?? 0) / (figures.get(`before: ${subject}`) ?? 0);
  return [
    subject,
    reference,
    budget === Infinity ? figure : cell,
    ...(values.before ? [before.toFixed(2)] : []),
  ];
});
const head = ['', 'compared with', 'ratio', ...(values.before ? ['to before'] : [])];
const lines = [head, head.map(() => '---'), ...ratios].map(
  (row) => `| ${row.join(' | ')} |`,
);
const [cpu, ...more] = cpus();
const machine = `${more.length + 1} cores (${cpu?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
const place = folder.startsWith('/dev/shm') ? 'in memory' : 'on disk';
const text = `${machine}; files ${place}; ${upstream.name} data, ${values.scale} ×:\n\n${lines.join('\n')}\n`;
console.log(text);
if (values.readme) {
  const document = here('../../docs/BENCHMARKS.md');
  const generated =
    /(?<=<!-- bench: generated by `npm run readme:bench` -->\n).*(?=<!-- \/bench -->)/s;
  const updated = readFileSync(document, 'utf8').replace(generated, () => text);
  writeFileSync(document, updated);
}
