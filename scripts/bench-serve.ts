/**
 * How fast the site is served: `npm run bench:serve -- [--rounds n] [--seconds n] [--out file.json]`. Everything is
 * measured in one run, in alternating rounds, since only ratios mean something on another machine. Needs wrk; nginx if
 * its configuration is to be measured. Exit code 1 if a budget is missed.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { RunningEngine } from '../test/support/engines/engine.ts';
import { startServe } from '../test/support/engines/serve.ts';
import {
  hasNginx,
  hasOwnConfiguration,
  startBareNginx,
  startOwnNginx,
  startServeHandler,
} from './bench/servers.ts';
import { type Measured, runWrk } from './bench/wrk.ts';

interface Subject {
  readonly name: string;
  readonly server: RunningEngine;
  readonly paths: readonly string[];
  readonly encoding?: string;
}

/** How many times as fast the first has to be as the second. */
interface Comparison {
  readonly of: string;
  readonly to: string;
  readonly budget: number;
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    out: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);

if (spawnSync('wrk', ['--version']).error) {
  console.error('wrk is not installed (Debian: apt-get install wrk): nothing can be measured');
  process.exit(1);
}

const folder = mkdtempSync(path.join(tmpdir(), 'gamedata-bench-'));
const started: RunningEngine[] = [];
try {
  const site = buildSite();
  const { subjects, comparisons } = await startSubjects(site);
  const measured = await measure(subjects);
  const results = comparisons.map((comparison) => compare(comparison, measured));
  const memory = await measureMemory(site);
  print({ measured, results, memory });
  if (values.out !== undefined) {
    const report = { rounds, seconds, measured: Object.fromEntries(measured), comparisons: results, memory };
    writeFileSync(values.out, `${JSON.stringify(report, null, 2)}\n`);
  }
  if (results.some(({ kept }) => !kept)) process.exitCode = 1;
} finally {
  for (const server of started) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

function buildSite(): string {
  const site = path.join(folder, 'site');
  const help = execFileSync(process.execPath, ['dist/cli.js', 'build', '--help'], { encoding: 'utf8' });
  const hosts = /"nginx"/.test(help) ? ['netlify', 'nginx'] : ['netlify'];
  const args = ['build', '--source', 'snapshot', '--quiet', '--out', site, '--host', ...hosts];
  execFileSync(process.execPath, ['dist/cli.js', ...args]);
  return site;
}

async function start(starting: Promise<RunningEngine>): Promise<RunningEngine> {
  const server = await starting;
  started.push(server);
  return server;
}

async function startSubjects(site: string): Promise<{ subjects: Subject[]; comparisons: Comparison[] }> {
  const { records, pages, windows } = pathsOf(site);
  const ours = await start(startServe(site));
  const theirs = await start(startServeHandler(site));
  const subjects: Subject[] = [
    { name: 'serve: records', server: ours, paths: records.map(endpoint) },
    { name: 'serve-handler: records', server: theirs, paths: records },
    { name: 'serve: list pages', server: ours, paths: pages.map(endpoint) },
    { name: 'serve-handler: list pages', server: theirs, paths: pages },
    { name: 'serve: windows', server: ours, paths: windows },
  ];
  const comparisons: Comparison[] = [
    { of: 'serve: records', to: 'serve-handler: records', budget: 2 },
    { of: 'serve: list pages', to: 'serve-handler: list pages', budget: 2 },
    { of: 'serve: windows', to: 'serve: list pages', budget: 0.5 },
  ];
  if (!hasNginx() || !hasOwnConfiguration(site)) {
    const what = hasNginx() ? 'the site has no configuration for nginx' : 'nginx is not installed';
    console.error(`${what}: its rows are left out`);
    return { subjects, comparisons };
  }
  const own = await start(startOwnNginx(site, folder));
  const bare = await start(startBareNginx(site, folder));
  for (const [what, files] of Object.entries({ records, 'list pages': pages })) {
    subjects.push({ name: `nginx, our rules: ${what}`, server: own, paths: files.map(endpoint) });
    subjects.push({ name: `nginx, no rules: ${what}`, server: bare, paths: files });
    comparisons.push({ of: `nginx, our rules: ${what}`, to: `nginx, no rules: ${what}`, budget: 0.9 });
  }
  const packed = { paths: pages, encoding: 'gzip' };
  subjects.push({
    name: 'nginx, our rules, gzip: list pages',
    server: own,
    ...packed,
    paths: pages.map(endpoint),
  });
  subjects.push({ name: 'nginx, no rules, gzip: list pages', server: bare, ...packed });
  comparisons.push({
    of: 'nginx, our rules, gzip: list pages',
    to: 'nginx, no rules, gzip: list pages',
    budget: 0.9,
  });
  return { subjects, comparisons };
}

/** Files of moves by their paths, and windows that are none of the built pages, all of 100 records. */
function pathsOf(site: string): { records: string[]; pages: string[]; windows: string[] } {
  const list = '/api/gamedata/move/';
  const names = readdirSync(path.join(site, list), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'offset')
    .map(({ name }) => name);
  const offsets = readdirSync(path.join(site, list, 'offset')).map(Number);
  // The last page is short.
  const full = offsets.sort((a, b) => a - b).slice(0, -1);
  return {
    records: names.map((name) => `${list}${name}/index.json`),
    pages: full.map((offset) => `${list}offset/${offset}/index.json`),
    windows: full.flatMap((offset) => [-93, -50, -7].map((by) => `${list}?limit=100&offset=${offset + by}`)),
  };
}

/** The address of the contract that leads to a file. */
function endpoint(file: string): string {
  const [, kind, offset] = /^(.*)offset\/(\d+)\/index\.json$/.exec(file) ?? [];
  if (kind !== undefined) return `${kind}?format=api&limit=100&offset=${offset}`;
  return `${file.slice(0, -'index.json'.length)}?format=api`;
}

interface Summary {
  /** Requests a second. */
  readonly rate: number;
  readonly slowest: number;
  readonly fastest: number;
  /** Milliseconds. */
  readonly p99: number;
}

async function measure(subjects: readonly Subject[]): Promise<Map<string, Summary>> {
  const runs = new Map<string, Measured[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, server, paths, encoding } of subjects) {
      const run = await runWrk({
        url: server.url,
        paths,
        encoding,
        seconds: round === 0 ? 1 : seconds,
        folder,
      });
      // The first round is for warming up.
      if (round > 0) runs.get(name)?.push(run);
    }
  }
  return new Map(
    [...runs].map(([name, all]) => {
      const rates = all.map(({ rate }) => rate);
      const p99 = median(all.map((run) => run.p99));
      return [name, { rate: median(rates), slowest: Math.min(...rates), fastest: Math.max(...rates), p99 }];
    }),
  );
}

function compare({ of, to, budget }: Comparison, measured: ReadonlyMap<string, Summary>) {
  const ratio = (measured.get(of)?.rate ?? 0) / (measured.get(to)?.rate ?? 0);
  return { of, to, ratio, budget, kept: ratio >= budget };
}

/** The resident memory of a new server after so many requests of all kinds, in megabytes. */
async function measureMemory(site: string): Promise<{ requests: number; megabytes: number }[]> {
  const { records, pages, windows } = pathsOf(site);
  const paths = [...records.map(endpoint), ...pages.map(endpoint), ...windows];
  const server = await startServe(site);
  started.push(server);
  const memory: { requests: number; megabytes: number }[] = [];
  let requests = 0;
  for (const goal of [20_000, 100_000, 200_000]) {
    while (requests < goal) {
      requests += (await runWrk({ url: server.url, paths, seconds: 1, folder })).requests;
    }
    const kilobytes = Number(
      execFileSync('ps', ['-o', 'rss=', '-p', String(server.pid)], { encoding: 'utf8' }),
    );
    memory.push({ requests, megabytes: Math.round(kilobytes / 1024) });
  }
  return memory;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}

interface Report {
  readonly measured: ReadonlyMap<string, Summary>;
  readonly results: readonly ReturnType<typeof compare>[];
  readonly memory: readonly { requests: number; megabytes: number }[];
}

function print({ measured, results, memory }: Report): void {
  const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
  console.log(`wrk -t2 -c32, medians of ${rounds} rounds of ${seconds} s\n`);
  console.log('| | requests/s | min–max | p99 ms |\n|---|---|---|---|');
  for (const [name, { rate, slowest, fastest, p99 }] of measured)
    console.log(`| ${name} | ${whole(rate)} | ${whole(slowest)}–${whole(fastest)} | ${p99.toFixed(1)} |`);
  console.log('\n| compared | ratio | budget | |\n|---|---|---|---|');
  for (const { of, to, ratio, budget, kept } of results)
    console.log(`| ${of} ÷ ${to} | ${ratio.toFixed(2)} | ${budget} | ${kept ? 'kept' : 'MISSED'} |`);
  console.log('\n| requests | memory of serve |\n|---|---|');
  for (const { requests, megabytes } of memory) console.log(`| ${whole(requests)} | ${megabytes} MB |`);
}
